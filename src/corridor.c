#include "corridor.h"

#include <R_ext/Utils.h>
#include <math.h>
#include <stddef.h>

/* The diagram for one step: what passes an edge and what a jam holds, per lane, and the
 * shares of a cell's vehicles that go on and of its room that opens. Found once a step, for
 * divisions are slow. */
struct rates {
  double passes, jam, sends, takes;
};

static struct rates rates_of(const struct corridor *road) {
  const struct diagram *d = &road->diagram;
  const double share = road->step / road->length;
  const struct rates r = {
      .passes = d->capacity * road->step,
      .jam = d->capacity * (1 / d->free + 1 / d->wave) * road->length,
      .sends = d->free * share,
      .takes = d->wave * share,
  };
  return r;
}

static double least(double a, double b) {
  return a < b ? a : b;
}

static double sends(const struct rates *r, const struct cell *c) {
  return least(r->sends * c->vehicles, c->open * c->lanes * r->passes);
}

static double takes(const struct rates *r, const struct cell *c) {
  const double room = fmax(0, r->jam * c->lanes - c->vehicles);
  return least(r->takes * room, c->open * c->lanes * r->passes);
}

static double middle(double a, double b, double c) {
  return fmax(fmin(a, b), fmin(fmax(a, b), c));
}

/* From `up` and the ramp into `down`: all, or when there is no room for all, each at least
 * its share of the room as far as it has use for it (Daganzo 1995). Who takes the off-ramp
 * waits with the others. `up` is NULL at the entrance. Returns how many took the off-ramp. */
static double cross(const struct corridor *road, struct cell *up, double sent,
                    struct cell *down, double room) {
  const double stay = up ? 1 - up->off : 0, through = stay * sent;
  const double ramp = least(down->waiting, down->ramp * road->step);
  double out = sent, joined = ramp;
  if (through + ramp > room) {
    const double main = middle(through, room - ramp, (1 - down->merge) * room);
    joined = middle(ramp, room - through, down->merge * room);
    out = up ? fmin(sent, main / stay) : 0;
  }
  down->waiting -= joined;
  down->vehicles += joined + stay * out;
  if (!up)
    return 0;
  up->vehicles -= out;
  up->out = out;
  return out - stay * out;
}

/* A crossing must see its two cells as they were: what a cell sends is found before it is
 * filled, and what it takes before it is emptied. */
double corridor_step(struct corridor *road) {
  const struct rates rates = rates_of(road);
  struct cell *up = NULL, *last = road->cell + (road->cells - 1);
  double sent = 0, left = 0;
  for (struct cell *cell = road->cell; cell <= last; cell++) {
    const double next = sends(&rates, cell);
    left += cross(road, up, sent, cell, takes(&rates, cell));
    up = cell;
    sent = next;
  }
  last->vehicles -= sent;
  last->out = sent;
  return left + sent;
}

static double arrive(struct corridor *road, const struct traffic *t) {
  const int slot = (int)fmin(road->clock / t->slot, t->slots - 1);
  const double *demand = t->demand + (size_t)slot * (size_t)t->entries;
  double sum = 0;
  for (int i = 0; i < t->entries; i++) {
    const double more = demand[i] * road->step;
    road->cell[t->entry[i]].waiting += more;
    sum += more;
  }
  return sum;
}

static void close_lanes(struct corridor *road, const struct traffic *t) {
  for (int i = 0; i < t->incidents; i++)
    road->cell[t->place[i]].open = 1;
  for (int i = 0; i < t->incidents; i++)
    if (road->clock >= t->start[i] && road->clock < t->end[i])
      road->cell[t->place[i]].open *= t->left[i];
}

static double count(const struct corridor *road) {
  double sum = 0;
  for (int i = 0; i < road->cells; i++)
    sum += road->cell[i].vehicles + road->cell[i].waiting;
  return sum;
}

/* The speed at the end of a cell is the distance that its vehicles went over the time that
 * they took. */
void corridor_read(struct corridor *road, const struct traffic *traffic,
                   const struct readings *r, double *work) {
  const double start = road->clock;
  double *gone = work, *spent = work + r->sensors;
  for (int i = 0; i < r->n; i++) {
    R_CheckUserInterrupt();
    r->arrived[i] = r->left[i] = 0;
    for (int j = 0; j < r->sensors; j++)
      gone[j] = spent[j] = 0;
    for (int s = 0; s < r->steps; s++) {
      road->clock = start + road->step * (i * (double)r->steps + s);
      r->arrived[i] += arrive(road, traffic);
      close_lanes(road, traffic);
      for (int j = 0; j < r->sensors; j++)
        spent[j] += road->cell[r->sensor[j]].vehicles * road->step;
      r->left[i] += corridor_step(road);
      for (int j = 0; j < r->sensors; j++)
        gone[j] += road->cell[r->sensor[j]].out * road->length;
    }
    for (int j = 0; j < r->sensors; j++)
      r->speed[(size_t)i + (size_t)r->n * (size_t)j] =
          spent[j] > 0 ? gone[j] / spent[j] : road->diagram.free;
    r->inside[i] = count(road);
  }
  road->clock = start + road->step * ((double)r->n * r->steps);
}
