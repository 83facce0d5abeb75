/* sample.c - --sample: frames contain only some of the bodies. Every frame contains the same bodies. */
#include "run.h"

#include "select/sample.h"

#include <inttypes.h>

void sim_sample_look(struct run *r)
{
    if (nb_sample_of_run(&r->bodies.meta))
        warn("the input is a sample of the bodies of a run (nbsim --sample), with only a part of the mass");
    if (r->options->sample < 1)
        sim_check(nb_bodies_number(&r->bodies));
}

double sim_sample_bytes(const struct run *r)
{
    double frame = 0;
    for (int k = 0; k < r->bodies.column_count; k++)
        frame += (double)nb_column_bytes_padded(&r->bodies.columns[k], r->bodies.n);
    return r->options->sample < 1 ? (double)r->bodies.n + r->options->sample * frame : 0;
}

void sim_sample_begin(struct run *r)
{
    if (r->options->sample == 1)
        return;
    /* number of earlier samples. nb_sample_count also counts the sample of this run, because the command of this run is
     * already in the history; therefore - 1 */
    const uint64_t draw = nb_sample_count(&r->bodies.meta) - 1;
    const uint64_t count = sim_frames_thin(r->frames, r->options->sample, draw);
    say("--sample: %" PRIu64 " of %" PRIu64 " bodies are written, each with its own mass", count, r->bodies.n);
    if (count == 0)
        warn("--sample %g: no body is left; the frames are written without bodies (choose a larger fraction)",
             r->options->sample);
}
