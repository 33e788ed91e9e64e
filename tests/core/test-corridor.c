/* The freeway: vehicles are neither made nor lost. */
#include <R_ext/Random.h>
#include <math.h>

#include "check.h"
#include "corridor.h"
#include "stubs.h"

/* A random road, its cells from empty to jammed, ramps and off-ramps here and there. */
static struct corridor road_random(int cells) {
  struct corridor road = {.diagram = {65, 12, 1900},
                          .length = 0.1,
                          .step = 5 / 3600.0,
                          .clock = 0,
                          .cells = cells,
                          .cell = stub_block((size_t)cells, sizeof(struct cell))};
  for (int i = 0; i < cells; i++) {
    const double lanes = 1 + whole(5), jam = 190 * (1 + 65 / 12.0) / 65 * lanes;
    const int ramp = i == 0 || whole(2);
    const struct cell cell = {.lanes = lanes,
                              .off = i < cells - 1 && whole(2) ? 0.4 * unif_rand() : 0,
                              .ramp = ramp ? 3000 * unif_rand() : 0,
                              .merge = unif_rand(),
                              .vehicles = jam * fmin(1, fmax(0, 2 * unif_rand() - 0.5)),
                              .waiting = ramp ? 10 * unif_rand() : 0,
                              .open = whole(3) ? 1 : unif_rand(),
                              .out = NAN};
    road.cell[i] = cell;
  }
  return road;
}

static double vehicles_on(const struct corridor *road) {
  double sum = 0;
  for (int i = 0; i < road->cells; i++)
    sum += road->cell[i].vehicles + road->cell[i].waiting;
  return sum;
}

/* What every step keeps: vehicles, their number, the jam density and the capacity. */
static void test_corridor_step(void) {
  for (int n = 0; n < 500; n++) {
    const int cells = 1 + whole(9);
    struct corridor road = road_random(cells);
    int ok = 1;
    for (int t = 0; t < 20; t++) {
      const double before = vehicles_on(&road), left = corridor_step(&road);
      ok = ok && left >= 0 && near(vehicles_on(&road) + left, before, 1e-12);
      for (int i = 0; i < cells; i++) {
        const struct cell *c = road.cell + i;
        const double jam = 190 * (1 + 65 / 12.0) / 65 * c->lanes;
        const double most = c->open * c->lanes * 1900 * road.step;
        ok = ok && c->vehicles >= 0 && c->vehicles <= jam * (1 + 1e-12);
        ok = ok && c->waiting >= 0 && c->out >= 0 && c->out <= most * (1 + 1e-12);
      }
    }
    CHECK(ok);
  }
}

/* A cell of 3 lanes sends at most 3 * 1900 / 720 = 7.91666 in a step, of 10 vehicles 65 /
 * 72 of them; a jam takes nothing. */
static void test_corridor_by_hand(void) {
  struct corridor road = road_random(2);
  const struct cell plain = {.lanes = 3, .open = 1};
  road.cell[0] = road.cell[1] = plain;
  road.cell[0].vehicles = 5;
  road.cell[1].vehicles = 10;
  CHECK(near(corridor_step(&road), 95 / 12.0, 1e-12));
  CHECK(near(road.cell[0].out, 5 * 65 / 72.0, 1e-12));
  CHECK(near(road.cell[1].vehicles, 10 - 95 / 12.0 + 5 * 65 / 72.0, 1e-12));
  road.cell[1].vehicles = 3 * 190 * (1 + 65 / 12.0) / 65;
  road.cell[1].open = 0;
  road.cell[0].vehicles = 5;
  CHECK(near(corridor_step(&road), 0, 1e-12));
  CHECK(near(road.cell[0].vehicles, 5, 1e-12));
}

/* Demand comes by the clock, incidents come and go, and the counts add up. */
static void test_corridor_read(void) {
  for (int n = 0; n < 200; n++) {
    const int cells = 1 + whole(9), sensors = whole(cells + 1), slots = 1 + whole(3);
    struct corridor road = road_random(cells);
    const double before = vehicles_on(&road);
    int entries = 0, *entry = stub_ints((size_t)cells),
        *sensor = stub_ints((size_t)sensors);
    for (int i = 0; i < cells; i++)
      if (road.cell[i].ramp > 0)
        entry[entries++] = i;
    for (int i = 0; i < sensors; i++)
      sensor[i] = whole(cells);
    double *demand = stub_doubles((size_t)(entries * slots)), *when = stub_doubles(6);
    for (int i = 0; i < entries * slots; i++)
      demand[i] = 4000 * unif_rand();
    for (int i = 0; i < 6; i++)
      when[i] = 0.02 * unif_rand();
    int *place = stub_ints(2);
    place[0] = whole(cells);
    place[1] = whole(cells);
    const struct traffic traffic = {entries, entry, slots, 0.01,     demand,
                                    2,       place, when,  when + 2, when + 4};
    const int readings = 1 + whole(4), steps = 1 + whole(6);
    const size_t r = (size_t)readings;
    const struct readings seen = {readings,
                                  steps,
                                  sensors,
                                  sensor,
                                  stub_doubles(r * (size_t)sensors),
                                  stub_doubles(r),
                                  stub_doubles(r),
                                  stub_doubles(r)};
    corridor_read(&road, &traffic, &seen, stub_doubles(2 * (size_t)sensors));
    double inside = before;
    int ok = near(road.clock, readings * steps * road.step, 1e-12);
    for (int i = 0; i < readings; i++) {
      inside += seen.arrived[i] - seen.left[i];
      ok = ok && near(seen.inside[i], inside, 1e-12);
    }
    for (int i = 0; i < readings * sensors; i++)
      ok = ok && seen.speed[i] >= 0 && seen.speed[i] <= 65 * (1 + 1e-12);
    CHECK(ok);
    stub_free();
  }
}

const struct test TESTS_CORRIDOR[] = {
    {"corridor: a step", test_corridor_step},
    {"corridor: numbers by hand", test_corridor_by_hand},
    {"corridor: readings", test_corridor_read},
    {0},
};
