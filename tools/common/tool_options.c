/* tool_options.c - tables of the options that tools share, and the history line of a run. */
#include "common/tool.h"

#include "base/portable.h"

#include <omp.h>
#include <stdlib.h>
#include <string.h>

static void take_threads(const struct tool_option *o, const char *arg)
{
    tool_take_integer(o, arg);
    omp_set_num_threads(tool_options.threads);
}

const struct tool_option tool_table_common[] = {
    {"threads", "N", take_threads, &tool_options.threads, "CPU threads (default: OMP_NUM_THREADS, otherwise all cores)",
     1, TOOL_THREADS_MAX, "must be from 1 to 4096", .flags = TOOL_NOT_RECORDED},
    {"progress", "auto|bar|lines|json|off", tool_take_word, &tool_options.progress,
     "report progress: bar, a line that changes; lines, for logs; json, objects for programs (default auto: bar "
     "on a terminal, otherwise off)",
     .flags = TOOL_NOT_RECORDED},
    {"quiet", NULL, tool_take_flag, &tool_options.quiet, "print errors only", .letter = 'q',
     .flags = TOOL_NOT_RECORDED},
    {"verbose", NULL, tool_take_flag, &tool_options.verbose, "print more messages", .letter = 'v',
     .flags = TOOL_NOT_RECORDED},
    {0},
};

const struct tool_option tool_table_output[] = {
    {"output", "FILE", tool_take_text, &tool_options.output, "write to FILE instead of stdout (- is stdout)",
     .letter = 'o', .flags = TOOL_NOT_RECORDED},
    {"overwrite", NULL, tool_take_flag, &tool_options.overwrite, "replace an existing output file", .letter = 'f',
     .flags = TOOL_NOT_RECORDED},
    {"no-sync", NULL, tool_take_flag, &tool_options.no_sync, "do not sync the output to the disk, for scratch files",
     .flags = TOOL_NOT_RECORDED},
    {0},
};

const struct tool_option tool_table_space[] = {
    {"no-space-check", NULL, tool_take_flag, &tool_options.no_space_check, "write although the disk seems too small",
     .flags = TOOL_NOT_RECORDED},
    {0},
};

/* Stores the value of --frame in tool_options.frames. A single number >= -1 is also stored in tool_options.frame, so
 * that the tool can read this frame without counting the frames of the input. */
void tool_take_frame(const struct tool_option *o, const char *arg)
{
    (void)o;
    const bool last = strcmp(arg, "last") == 0, all = strcmp(arg, "all") == 0;
    struct tool_list *l = &tool_options.frames;
    free(l->ranges);
    tool_list_parse("--frame", last ? "-1" : all ? "0:-1" : arg, l);
    tool_options.frame_given = true;
    tool_options.frame = all                                               ? TOOL_FRAME_ALL
                         : tool_list_is_one(l) && l->ranges[0].first >= -1 ? l->ranges[0].first
                                                                           : TOOL_FRAME_LIST;
}

void tool_take_times(const struct tool_option *o, const char *arg)
{
    (void)o;
    tool_times_free(tool_options.times);
    tool_options.times = tool_times_parse("--times", arg);
    tool_options.times_listed = false;
    tool_options.frame_given = true;
    tool_options.frame = TOOL_FRAME_LIST;
}

const char *tool_frame_option(void)
{
    return tool_options.times ? "--times" : "--frame";
}

static void offer_frame(void)
{
    tool_offer("last", "the last frame");
}

static void offer_frames(void)
{
    offer_frame();
    tool_offer("all", "all frames");
}

#define SALVAGE                                                         \
    {                                                                   \
        "salvage", NULL, tool_take_flag, &tool_options.salvage,         \
            "take the complete frames of a damaged or truncated stream" \
    }

const struct tool_option tool_table_input[] = {
    {"frame", "LIST", tool_take_frame, NULL,
     "take these frames: numbers from 0 (-1 or last is the last), ranges A:B or A:B:STEP with both ends, or all, "
     "separated by commas",
     .offer = offer_frames},
    {"times", "LIST", tool_take_times, NULL,
     "take the frames at these times: T, A:B (all between; A or B may be left out) or A:B:STEP, separated by commas",
     .excludes = "frame"},
    SALVAGE,
    {0},
};

const struct tool_option tool_table_one_input[] = {
    {"frame", "K", tool_take_frame, NULL, "take frame K, from 0; -1 or last is the last frame", .offer = offer_frame},
    {"times", "T", tool_take_times, NULL, "take the frame at time T", .excludes = "frame"},
    SALVAGE,
    {0},
};

void tool_record(struct nb_meta *meta, const char *seed)
{
    must(nb_history_add(meta, nb_program_name(), TOOL_VERSION, seed, tool_command()));
}

void tool_record_joined(struct nb_meta *meta, const int *parents, int count, const char *seed)
{
    must(nb_history_add_joined(meta, parents, count, nb_program_name(), TOOL_VERSION, seed, tool_command()));
}
