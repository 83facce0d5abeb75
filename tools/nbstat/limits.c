/* --max-de, --max-dp, --max-dl: the worst of all that exceeded its limit. */
#include "nbstat.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Keeps this value if it exceeds its limit, and by more than what is kept. One that is no number exceeds any. */
static void note(struct stat_excess *worst, const struct stat_excess *now)
{
    if (isnan(now->limit) || now->value <= now->limit)
        return;
    double ratio = isfinite(now->value) ? now->value / now->limit : INFINITY;
    if (worst->option && !(ratio > worst->ratio))
        return;
    free(worst->file);
    *worst = *now;
    worst->ratio = ratio;
    worst->file = strdup(now->file);
    if (!worst->file)
        die("no memory");
}

void stat_excess_note(struct stat_excess *worst, const struct stat_options *o, const struct stat_row *row)
{
    const struct {
        const char *option, *what;
        double value, limit;
    } checks[] = {{"--max-de", "energy", fabs(row->energy_error), o->max_de},
                  {"--max-dp", "momentum", row->momentum_error, o->max_dp},
                  {"--max-dl", "angular momentum", row->angular_momentum_error, o->max_dl}};
    for (int k = 0; k < 3; k++)
        note(worst, &(struct stat_excess){.option = checks[k].option,
                                          .what = checks[k].what,
                                          .file = (char *)row->file,
                                          .frame = row->frame,
                                          .value = checks[k].value,
                                          .limit = checks[k].limit});
}
