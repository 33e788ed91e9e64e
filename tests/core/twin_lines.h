/* The worth of lines by looking at all of them wherever two cross: the slow and obvious form. */
#ifndef BAYESGAP_TWIN_LINES_H
#define BAYESGAP_TWIN_LINES_H

#include "envelope.h"

/* envelope_log_worth() */
double twin_worth(const struct lines *);

#endif
