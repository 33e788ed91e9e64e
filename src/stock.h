/* Draws made ahead in a whole run: several of the prior at once are much cheaper than one by one, and
 * what is observed before one of them is used moves it as it would have moved a later one. Each is used
 * once, so that those of different rounds know nothing of each other but for what was observed. */
#ifndef BAYESGAP_STOCK_H
#define BAYESGAP_STOCK_H

#include <stddef.h>

#include "posterior.h"

/* Doubles of room. */
size_t stock_room(const struct prior *);

/* Once in every round, before any draw: those that know nothing of what was learned in rounds without
 * one are let go. A belief that was compacted since has fewer columns, never as many. */
void stock_watch(double *room, const struct posterior *);

/* The next draw about the means, as by draws_about(), of a belief without blocks: k entries that may
 * be written, until the next call. room: what stock_room() says, the first double 0 before the first
 * round, then what was left there, at the same address. */
double *stock_next(double *room, const struct posterior *);

#endif
