/* sandbox.h - runs code of the tools repeatedly in one process, although this code may end the program. */
#pragma once

/* Calls f(arg). A call of exit in it ends it, and its status is returned; else -1. What it had allocated and opened by
 * then is given back, so that nothing of it may be used afterwards. Linked with -Wl,--wrap= for exit, fclose and what
 * allocates (FUZZ_WRAP in mk/tests.mk). */
int sandbox_run(void (*f)(void *arg), void *arg);
