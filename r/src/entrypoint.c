/* R loads the library by this file; what it does is in rust/src. */

#include <R.h>
#include <Rinternals.h>

void R_init_adjoin_extendr(void *dll);
void register_extendr_panic_hook(void);

void R_init_adjoin(void *dll) {
  /* A panic is told to the user as a condition, not printed. */
  register_extendr_panic_hook();
  R_init_adjoin_extendr(dll);
}

static void look(void *data) {
  (void) data;
  R_CheckUserInterrupt();
}

/* Whether somebody pressed Ctrl-C; the jump that R makes ends here, so that none goes through Rust. */
int adjoin_interrupted(void) {
  return R_ToplevelExec(look, NULL) == FALSE;
}
