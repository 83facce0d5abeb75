/* timing.h - where the time goes: the work of a device by named stages, added up.
 *
 * Code that puts work on a device says what it is with nb_timing_stage. Off, as at the beginning, that costs a branch;
 * on, a mark in the device's order of work, and what is then recorded for replay (nb_device.record_begin) would not be
 * measured: callers that record ask nb_timing_on first. One process has one table; not for several threads at once. */
#ifndef NB_TIMING_H
#define NB_TIMING_H

#include "device/device.h"

#ifdef __cplusplus
extern "C" {
#endif

struct nb_timing {
    const char *stage;
    double seconds; /* all in all */
    uint64_t count; /* times that the stage began */
};

/* Measures from now on, on that device. 0, or -1 after nb_fail. */
int nb_timing_begin(const struct nb_device *device);
bool nb_timing_on(void);
/* What is put on the device from now to the next call belongs to the stage, a string that stays; NULL: to none. */
void nb_timing_stage(const char *stage);
/* Waits for the device and gives the table, in the order in which stages first began; *count rows, owned here. NULL
 * after nb_fail. */
const struct nb_timing *nb_timing_table(size_t *count);
/* Stops, and forgets everything. */
void nb_timing_end(void);

#ifdef __cplusplus
}
#endif
#endif
