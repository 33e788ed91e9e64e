/* Registration: R finds the routines by symbol only. */
#include <R_ext/Rdynload.h>
#include <R_ext/Visibility.h>
#include <stddef.h>

#include "binding.h"
#include "binding_column.h"

/* By way of void (*)(void), the one cast between function types that compilers accept. */
#define ROUTINE(name, arguments)                                                         \
  { #name, (DL_FUNC)(void (*)(void))name, arguments }

/* clang-format off */
static const R_CallMethodDef ROUTINES[] = {
    ROUTINE(bg_advance, 6),
    ROUTINE(bg_believe, 4),
    ROUTINE(bg_append, 2),
    ROUTINE(bg_next, 1),
    ROUTINE(bg_round, 3),
    ROUTINE(bg_later_stream, 2),
    ROUTINE(bg_certainty, 6),
    ROUTINE(bg_draws, 5),
    ROUTINE(bg_posterior_factor, 6),
    ROUTINE(bg_posterior_column, 4),
    ROUTINE(bg_least, 4),
    ROUTINE(bg_run, 6),
    ROUTINE(bg_world_mean, 3),
    ROUTINE(bg_factor, 2),
    ROUTINE(bg_smallest_eigenvalue, 1),
    ROUTINE(bg_kernels, 0),
    ROUTINE(bg_kernel_matrix, 3),
    ROUTINE(bg_kernel_diagonal, 1),
    ROUTINE(bg_kernel_factor, 3),
    ROUTINE(bg_kernel_gradient, 3),
    ROUTINE(bg_evidence, 1),
    ROUTINE(bg_corridor, 4),
    ROUTINE(bg_write, 3),
    ROUTINE(bg_grow, 5),
    ROUTINE(bg_replace, 2),
    ROUTINE(bg_remove, 1),
    ROUTINE(bg_settle, 1),
    ROUTINE(bg_checksum, 2),
    ROUTINE(bg_plain, 2),
    ROUTINE(bg_kind, 1),
    ROUTINE(bg_alive, 1),
    ROUTINE(bg_began, 1),
    ROUTINE(bg_policies, 0),
    ROUTINE(bg_regards_costs, 1),
    {NULL, NULL, 0},
};
/* clang-format on */

void R_init_bayesgap(DllInfo *);

void attribute_visible R_init_bayesgap(DllInfo *dll) {
  R_registerRoutines(dll, NULL, ROUTINES, NULL, NULL);
  R_useDynamicSymbols(dll, FALSE);
  R_forceSymbols(dll, TRUE);
  column_init(dll);
}
