#include "interrupt.h"

#include <R_ext/Utils.h>

/* Less than a millisecond. */
enum { ENOUGH = 1 << 18 };

void interrupt_check(int step, size_t operations) {
  const size_t every = ENOUGH / (operations + 1) + 1;
  if ((size_t)step % every == every - 1)
    R_CheckUserInterrupt();
}
