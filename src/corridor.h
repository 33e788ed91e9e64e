/* A freeway as a row of cells, the cell-transmission model of Daganzo (1994, 1995): in
 * every step each cell hands on what it can send and the next can take. An on-ramp may join
 * at the start of a cell, and an off-ramp leave at its end; the road's own entrance is the
 * on-ramp of the first cell. Vehicles that find no room wait at their ramp, so that none is
 * lost. */
#ifndef BAYESGAP_CORRIDOR_H
#define BAYESGAP_CORRIDOR_H

/* The triangular fundamental diagram, per lane. */
struct diagram {
  double free;     /* speed of free traffic, mph */
  double wave;     /* speed at which the end of a queue moves upstream, mph */
  double capacity; /* vehicles an hour */
};

struct cell {
  double lanes;
  double off;   /* share of those who leave the cell that take the off-ramp, below 1 */
  double ramp;  /* what its on-ramp can send, vehicles an hour */
  double merge; /* share of the room that the on-ramp gets when both have to queue */
  double vehicles, waiting; /* in the cell, and at its on-ramp */
  double open;              /* share of the capacity that incidents leave */
  double out;               /* vehicles that left it in the last step, both ways */
};

struct corridor {
  struct diagram diagram;
  double length; /* of a cell, miles */
  double step;   /* hours; free * step <= length */
  double clock;  /* hours since midnight */
  int cells;
  struct cell *cell;
};

/* What happens to the road from outside, by the clock. */
struct traffic {
  int entries;          /* on-ramps in use */
  const int *entry;     /* entries: their cells */
  int slots;            /* demand is constant within a slot, and after the last */
  double slot;          /* hours */
  const double *demand; /* entries x slots, vehicles an hour */
  int incidents;
  const int *place;    /* incidents: their cells */
  const double *start; /* incidents: hours since midnight */
  const double *end;
  const double *left; /* incidents: share of the capacity left */
};

/* What is seen in each of n readings of `steps` steps. */
struct readings {
  int n, steps;
  int sensors;
  const int *sensor; /* sensors: the cells whose ends they watch */
  double *speed;     /* n x sensors: distance over time, mph; free where nobody came */
  double *arrived;   /* n: vehicles that came to the entrance or a ramp */
  double *left;      /* n: vehicles that left by an off-ramp or at the end */
  double *inside;    /* n: vehicles on the road or waiting, at the end of the reading */
};

/* One step; returns how many vehicles left the road. */
double corridor_step(struct corridor *);

/* work: 2 * sensors. */
void corridor_read(struct corridor *, const struct traffic *, const struct readings *,
                   double *work);

#endif
