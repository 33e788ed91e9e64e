/* R's door to the simulated freeway. */
#define R_NO_REMAP
#define STRICT_R_HEADERS
#include <R.h>
#include <Rinternals.h>

#include "binding.h"
#include "binding_pack.h"
#include "corridor.h"

enum road_at { ROAD_CELLS, ROAD_DIAGRAM, ROAD_LENGTH, ROAD_ENTRY };
enum cells_at { CELL_LANES, CELL_OFF, CELL_RAMP, CELL_MERGE };
enum state_at { VEHICLES, WAITING, CLOCK };
enum traffic_at { SLOT, DEMAND, INCIDENTS };
enum incidents_at { PLACE, START, END, LEFT };
enum view_at { READINGS, STEPS, STEP, SENSOR };

/* The road in a state that may be changed. */
static struct corridor unpack_corridor(SEXP road, SEXP state, SEXP view) {
  SEXP cells = at(road, ROAD_CELLS);
  const double *diagram = REAL(at(road, ROAD_DIAGRAM));
  const int n = Rf_length(at(cells, CELL_LANES));
  struct corridor c = {
      .diagram = {diagram[0], diagram[1], diagram[2]},
      .length = Rf_asReal(at(road, ROAD_LENGTH)),
      .step = Rf_asReal(at(view, STEP)),
      .clock = Rf_asReal(at(state, CLOCK)),
      .cells = n,
      .cell = (struct cell *)R_alloc((size_t)n, sizeof(struct cell)),
  };
  for (int i = 0; i < n; i++) {
    const struct cell cell = {
        .lanes = REAL(at(cells, CELL_LANES))[i],
        .off = REAL(at(cells, CELL_OFF))[i],
        .ramp = REAL(at(cells, CELL_RAMP))[i],
        .merge = REAL(at(cells, CELL_MERGE))[i],
        .vehicles = REAL(at(state, VEHICLES))[i],
        .waiting = REAL(at(state, WAITING))[i],
        .open = 1,
    };
    c.cell[i] = cell;
  }
  return c;
}

static const int *from_zero(SEXP from_one) {
  const int n = Rf_length(from_one);
  int *x = (int *)R_alloc((size_t)n, sizeof(int));
  for (int i = 0; i < n; i++)
    x[i] = INTEGER(from_one)[i] - 1;
  return x;
}

static struct traffic unpack_traffic(SEXP road, SEXP traffic) {
  SEXP incidents = at(traffic, INCIDENTS), demand = at(traffic, DEMAND);
  const struct traffic t = {
      .entries = Rf_nrows(demand),
      .entry = from_zero(at(road, ROAD_ENTRY)),
      .slots = Rf_ncols(demand),
      .slot = Rf_asReal(at(traffic, SLOT)),
      .demand = REAL(demand),
      .incidents = Rf_length(at(incidents, PLACE)),
      .place = from_zero(at(incidents, PLACE)),
      .start = REAL(at(incidents, START)),
      .end = REAL(at(incidents, END)),
      .left = REAL(at(incidents, LEFT)),
  };
  return t;
}

static SEXP pack_state(const struct corridor *c) {
  const char *names[] = {"vehicles", "waiting", "clock", ""};
  SEXP out = PROTECT(Rf_mkNamed(VECSXP, names));
  SET_VECTOR_ELT(out, VEHICLES, Rf_allocVector(REALSXP, c->cells));
  SET_VECTOR_ELT(out, WAITING, Rf_allocVector(REALSXP, c->cells));
  SET_VECTOR_ELT(out, CLOCK, Rf_ScalarReal(c->clock));
  for (int i = 0; i < c->cells; i++) {
    REAL(at(out, VEHICLES))[i] = c->cell[i].vehicles;
    REAL(at(out, WAITING))[i] = c->cell[i].waiting;
  }
  UNPROTECT(1);
  return out;
}

SEXP bg_corridor(SEXP road, SEXP state, SEXP traffic, SEXP view) {
  struct corridor c = unpack_corridor(road, state, view);
  const struct traffic t = unpack_traffic(road, traffic);
  const int n = Rf_asInteger(at(view, READINGS));
  const int sensors = Rf_length(at(view, SENSOR));
  const char *names[] = {"speed", "arrived", "left", "inside", "state", ""};
  SEXP out = PROTECT(Rf_mkNamed(VECSXP, names));
  SET_VECTOR_ELT(out, 0, Rf_allocMatrix(REALSXP, n, sensors));
  for (int i = 1; i < 4; i++)
    SET_VECTOR_ELT(out, i, Rf_allocVector(REALSXP, n));
  const struct readings r = {
      .n = n,
      .steps = Rf_asInteger(at(view, STEPS)),
      .sensors = sensors,
      .sensor = from_zero(at(view, SENSOR)),
      .speed = REAL(at(out, 0)),
      .arrived = REAL(at(out, 1)),
      .left = REAL(at(out, 2)),
      .inside = REAL(at(out, 3)),
  };
  corridor_read(&c, &t, &r, (double *)R_alloc(2 * (size_t)sensors, sizeof(double)));
  SET_VECTOR_ELT(out, 4, pack_state(&c));
  UNPROTECT(1);
  return out;
}
