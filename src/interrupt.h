/* Ctrl-C in loops that may take long. */
#ifndef BAYESGAP_INTERRUPT_H
#define BAYESGAP_INTERRUPT_H

#include <stddef.h>

/* Looks for Ctrl-C in a loop whose steps, counted from 0, take so many operations or more
 * each: often enough that it is answered at once, seldom enough that it costs nothing. Does
 * not return when it was pressed. */
void interrupt_check(int step, size_t operations);

#endif
