/* timing.h - measures how much time the work of a device takes: one sum of times for each named stage.
 *
 * Code that queues work on a device names the stage of this work with nb_timing_stage. If timing is on, this function
 * adds a mark to the queued work. If timing is off (the default), the call costs nearly nothing. Replays of a recording
 * (nb_device_replay) are not measured. Therefore a caller must not record work if nb_timing_on returns true. Each
 * device has its own sums. */
#pragma once

#include "device/device.h"

#ifdef __cplusplus
extern "C" {
#endif

struct nb_stage {
    const char *name;
    double seconds; /* total */
    uint64_t count; /* number of times that the stage began */
};

/* Begins to measure. Call nb_timing_end before nb_device_close. Returns 0, or -1 after nb_fail. */
int nb_timing_begin(struct nb_device *d);
bool nb_timing_on(const struct nb_device *d);
/* Assigns the work queued from now on to the stage, until the next call. `stage` is a string that stays valid, such as
 * a literal; NULL: no stage. */
void nb_timing_stage(struct nb_device *d, const char *stage);
/* Assigns the fraction `share` (0 to 1) of the current stage's time to the stage `stage`. Used if the threads of a
 * device work on both stages at the same time. */
void nb_timing_share(struct nb_device *d, const char *stage, double share);
/* Waits for the device and returns the table of stages, in the order in which they first began. *count: its length. The
 * device owns the table. Returns NULL after nb_fail. Call only between nb_timing_begin and nb_timing_end. */
const struct nb_stage *nb_timing_table(struct nb_device *d, size_t *count);
/* Stops measuring, and discards the results. */
void nb_timing_end(struct nb_device *d);

#ifdef __cplusplus
}
#endif
