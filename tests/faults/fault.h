/* fault.h - selects the call that fails, for the shim that is preloaded into a tool (fail_malloc.c, fail_calls.c) and
 * for the calls of a device in a test build (fail_cuda.cu, fail_device.c).
 *
 * Variables of the environment:
 *   FAULT_CALL   name of the call ("malloc": all functions that allocate); if it is not set, no call fails
 *   FAULT_AT     number of the call that fails, from 1 on; 0: no call fails, calls are counted
 *   FAULT_MODE   once (default): this call only; on: this call and all later ones; burst: this call and the next 20
 *   FAULT_ERROR  effect, one of:
 *                an errno (default ENOMEM)
 *                short: a read or write of one byte
 *                lose: on a GPU, an illegal address
 *                kill: no failure, but SIGKILL
 *                stop: no failure, but SIGSTOP, until SIGCONT comes
 *   FAULT_PART   for calls of devices: number of the device; calls of other devices neither count nor fail
 *   FAULT_LEAST  for malloc: smaller sizes, in bytes, neither count nor fail
 *   FAULT_LOG    name of a file: "hit" is written to it at the failure, "NAME COUNT" of each call at a regular exit
 *
 * Only programs whose name begins with nb are affected, not the programs that they start. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

enum { FAULT_SHORT = -1, FAULT_LOSE = -2 };

/* Counts a call. Returns the errno with which it must fail, FAULT_SHORT or FAULT_LOSE, or 0 for no failure. `counter`
 * belongs to the caller, one for each name of a call, and is registered at its first use. */
struct fault_counter {
    const char *name;
    long count;
    struct fault_counter *next;
    bool known;
};
int fault_at(struct fault_counter *counter);
/* Returns FAULT_LEAST, the smallest size in bytes that counts. */
size_t fault_least(void);
