/* R's door to the table of policies. */
#define R_NO_REMAP
#define STRICT_R_HEADERS
#include <R.h>
#include <Rinternals.h>

#include "binding.h"
#include "binding_state.h"
#include "policy.h"

static SEXP pack_params(const struct policy *policy) {
  const int n = policy_params(policy);
  const char *names[] = {"name", "default", "lower", "upper", "choices", "meaning", ""};
  SEXP out = PROTECT(Rf_mkNamed(VECSXP, names));
  for (int i = 0; i < 6; i++)
    SET_VECTOR_ELT(out, i, Rf_allocVector(i >= 1 && i <= 3 ? REALSXP : STRSXP, n));
  for (int i = 0; i < n; i++) {
    const struct param *p = policy->params + i;
    SET_STRING_ELT(at(out, 0), i, Rf_mkChar(p->name));
    REAL(at(out, 1))[i] = p->value;
    REAL(at(out, 2))[i] = p->lower;
    REAL(at(out, 3))[i] = p->upper;
    SET_STRING_ELT(at(out, 4), i, p->choices ? Rf_mkChar(p->choices) : NA_STRING);
    SET_STRING_ELT(at(out, 5), i, Rf_mkChar(p->meaning));
  }
  UNPROTECT(1);
  return out;
}

static int regards_costs(const struct policy *policy, const double *param) {
  return policy->costs && policy->costs(param);
}

SEXP bg_regards_costs(SEXP policy) {
  return Rf_ScalarLogical(
      regards_costs(unpack_policy(policy), REAL(at(policy, POLICY_PARAM))));
}

SEXP bg_policies(void) {
  const int n = policy_count();
  const char *names[] = {"name",  "label", "recommends", "params", "anytime",
                         "draws", "keeps", "costs",      ""};
  const SEXPTYPE types[] = {STRSXP, STRSXP, STRSXP, VECSXP,
                            LGLSXP, LGLSXP, LGLSXP, LGLSXP};
  SEXP out = PROTECT(Rf_mkNamed(VECSXP, names));
  for (int i = 0; i < 8; i++)
    SET_VECTOR_ELT(out, i, Rf_allocVector(types[i], n));
  for (int i = 0; i < n; i++) {
    const struct policy *p = policy_at(i);
    SET_STRING_ELT(at(out, 0), i, Rf_mkChar(p->name));
    SET_STRING_ELT(at(out, 1), i, Rf_mkChar(p->label));
    SET_STRING_ELT(at(out, 2), i, Rf_mkChar(p->recommends));
    SET_VECTOR_ELT(at(out, 3), i, pack_params(p));
    LOGICAL(at(out, 4))[i] = p->anytime;
    LOGICAL(at(out, 5))[i] = p->draws;
    LOGICAL(at(out, 6))[i] = p->keeps;
    LOGICAL(at(out, 7))[i] = regards_costs(p, REAL(at(at(at(out, 3), i), 1)));
  }
  UNPROTECT(1);
  return out;
}
