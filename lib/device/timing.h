/* timing.h - where the time goes: the work of a device by named stages, added up.
 *
 * Code that puts work on a device says what it is with nb_timing_stage. Off, as at the beginning, that costs a branch;
 * on, a mark in the device's order of work, and what is then recorded for replay (nb_device_record_begin) would not be
 * measured: callers that record ask nb_timing_on first. A device has one table. */
#pragma once

#include "device/device.h"

#ifdef __cplusplus
extern "C" {
#endif

struct nb_stage {
    const char *name;
    double seconds; /* all in all */
    uint64_t count; /* times that the stage began */
};

/* Measures from now on, to nb_timing_end, which comes before nb_device_close. 0, or -1 after nb_fail. */
int nb_timing_begin(struct nb_device *d);
bool nb_timing_on(const struct nb_device *d);
/* What is put on the device from now to the next call belongs to the stage, a string that stays; NULL: to none. */
void nb_timing_stage(struct nb_device *d, const char *stage);
/* Of the stage that began last this share, 0 to 1, is another one's: threads did both side by side. */
void nb_timing_share(struct nb_device *d, const char *stage, double share);
/* Waits for the device and gives the table, in the order in which stages first began; *count rows, owned here. NULL
 * after nb_fail. Only between begin and end. */
const struct nb_stage *nb_timing_table(struct nb_device *d, size_t *count);
/* Stops, and forgets everything. */
void nb_timing_end(struct nb_device *d);

#ifdef __cplusplus
}
#endif
