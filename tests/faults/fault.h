/* fault.h - which call is to fail, for the shim that is preloaded into a tool (fail_malloc.c, fail_calls.c) and for the
 * calls of a device in a test build (fail_cuda.cu, fail_device.c).
 *
 * The environment says it:
 *   FAULT_CALL   name of the call (malloc stands for all that allocate); unset: none fails
 *   FAULT_AT     number of the call that fails, from 1 on; 0: none, calls are counted
 *   FAULT_MODE   once (default), on: that one and all after it, burst: that one and the 20 after it
 *   FAULT_ERROR  errno of the failure (default: ENOMEM), or "short": a read or write of one byte, or "lose": on a GPU,
 * an illegal address; or, in place of a failure, "kill": SIGKILL, "stop": SIGSTOP, until SIGCONT comes FAULT_PART   of
 * devices: calls of another than this one neither count nor fail FAULT_LEAST  of malloc: smaller sizes, in bytes,
 * neither count nor fail FAULT_LOG    a file: "hit" is written into it when the fault strikes, "NAME COUNT" of each
 * call at a regular end Only programs whose name begins with nb are concerned, not what they start. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

enum { FAULT_SHORT = -1, FAULT_LOSE = -2 };

/* Counts the call of that name; the errno with which it is to fail, FAULT_SHORT or FAULT_LOSE, or 0. `counter` is the
 * caller's, one for each name, registered at its first use. */
struct fault_counter {
    const char *name;
    long count;
    struct fault_counter *next;
    bool known;
};
int fault_at(struct fault_counter *counter);
/* Smallest size that counts. */
size_t fault_least(void);
