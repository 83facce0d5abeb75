/* The options that tools share. */
#include "common/tool.h"

#include "base/error.h"
#include "base/portable.h"

#include <errno.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

enum { KEY_THREADS = 0x1000, KEY_SALVAGE, KEY_FRAME, KEY_TIMES, KEY_NO_SYNC, KEY_NO_SPACE_CHECK, KEY_PROGRESS };

static bool parse_common(int key, const char *arg, void *context)
{
    (void)context;
    switch (key) {
    case 'q': tool_options.quiet = true; return true;
    case 'v': tool_options.verbose = true; return true;
    case KEY_THREADS: {
        uint64_t threads = tool_unsigned("--threads", arg);
        if (threads < 1 || threads > TOOL_THREADS_MAX)
            die_usage("--threads %s: not from 1 to %d", arg, TOOL_THREADS_MAX);
        tool_options.threads = (int)threads;
        omp_set_num_threads(tool_options.threads);
        return true;
    }
    case KEY_PROGRESS: tool_progress_choose((enum tool_progress_mode)tool_word()); return true;
    default: return false;
    }
}

static const struct tool_option common_table[] = {
    {"threads", KEY_THREADS, "N", TOOL_NOT_RECORDED, "CPU threads (default: all cores)"},
    {"progress", KEY_PROGRESS, "auto|bar|lines|json|off", TOOL_NOT_RECORDED,
     "tell how far the work is: bar, a line that changes; lines, one now and then, for logs; json, an object a line, for programs; off; auto, bar on a terminal and off elsewhere (default auto)"},
    {"quiet", 'q', NULL, TOOL_NOT_RECORDED, "say nothing but errors"},
    {"verbose", 'v', NULL, TOOL_NOT_RECORDED, "say more"},
    {0},
};
const struct tool_table tool_table_common = {common_table, parse_common};

static bool parse_output(int key, const char *arg, void *context)
{
    (void)context;
    switch (key) {
    case 'o': tool_options.output = arg; return true;
    case 'f': tool_options.overwrite = true; return true;
    case KEY_NO_SYNC: tool_options.no_sync = true; return true;
    default: return false;
    }
}

static const struct tool_option output_table[] = {
    {"output", 'o', "FILE", TOOL_NOT_RECORDED, "write to FILE instead of stdout (- is stdout)"},
    {"overwrite", 'f', NULL, TOOL_NOT_RECORDED, "replace an existing output file"},
    {"no-sync", KEY_NO_SYNC, NULL, TOOL_NOT_RECORDED, "do not wait until the output is on the disk: for scratch files"},
    {0},
};
const struct tool_table tool_table_output = {output_table, parse_output};

static bool parse_space(int key, const char *arg, void *context)
{
    (void)arg, (void)context;
    tool_options.no_space_check |= key == KEY_NO_SPACE_CHECK;
    return key == KEY_NO_SPACE_CHECK;
}

static const struct tool_option space_table[] = {
    {"no-space-check", KEY_NO_SPACE_CHECK, NULL, TOOL_NOT_RECORDED, "write although the disk seems too small"},
    {0},
};
const struct tool_table tool_table_space = {space_table, parse_space};

/* One frame has a number of its own: most inputs need not be looked through to find it. */
void tool_frame_choose(const char *arg)
{
    const bool last = strcmp(arg, "last") == 0, all = strcmp(arg, "all") == 0;
    struct tool_list *l = &tool_options.frames;
    free(l->ranges);
    tool_list_parse("--frame", last ? "-1" : all ? "0:-1" : arg, l);
    tool_options.frame_given = true;
    tool_options.frame = all                                               ? TOOL_FRAME_ALL
                         : tool_list_is_one(l) && l->ranges[0].first >= -1 ? l->ranges[0].first
                                                                           : TOOL_FRAME_LIST;
}

void tool_times_choose(const char *arg)
{
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

static bool parse_input(int key, const char *arg, void *context)
{
    (void)context;
    switch (key) {
    case KEY_FRAME: tool_frame_choose(arg); return true;
    case KEY_TIMES: tool_times_choose(arg); return true;
    case KEY_SALVAGE: tool_options.salvage = true; return true;
    default: return false;
    }
}

static void offer_frame(const char *typed)
{
    (void)typed;
    tool_offer_behind(0);
    tool_offer("last", "the last frame");
}

static void offer_frames(const char *typed)
{
    offer_frame(typed);
    tool_offer("all", "all frames");
}

#define SALVAGE                                                                             \
    {                                                                                       \
        "salvage", KEY_SALVAGE, NULL, 0, "take the whole frames of a damaged or cut stream" \
    }

static const struct tool_option input_table[] = {
    {"frame", KEY_FRAME, "LIST", 0,
     "take these frames of the input: K from 0, or from the end, -1 or 'last' being the last; lists K,K; ranges A:B or A:B:STEP with both ends; or 'all'",
     offer_frames},
    {"times", KEY_TIMES, "LIST", 0,
     "take the frames at these times: T, lists T,T, ranges A:B of all between (A or B may be left out), and A:B:STEP",
     .excludes = "frame"},
    SALVAGE,
    {0},
};
const struct tool_table tool_table_input = {input_table, parse_input};

static const struct tool_option one_input_table[] = {
    {"frame", KEY_FRAME, "K", 0, "take frame K of the input: from 0, or from the end, -1 or 'last' being the last",
     offer_frame},
    {"times", KEY_TIMES, "T", 0, "take the frame at time T", .excludes = "frame"},
    SALVAGE,
    {0},
};
const struct tool_table tool_table_one_input = {one_input_table, parse_input};

void tool_one_input(const char **input, const char *arg)
{
    if (*input)
        die_usage("%s: one input is enough, %s was given already", arg, *input);
    *input = arg;
}

void tool_record(struct nb_meta *meta, const char *seed)
{
    if (nb_history_add(meta, nb_program_name(), TOOL_VERSION, seed, tool_command()))
        die("%s", nb_error());
}

void tool_record_joined(struct nb_meta *meta, const int *parents, int count, const char *seed)
{
    if (nb_history_add_joined(meta, parents, count, nb_program_name(), TOOL_VERSION, seed, tool_command()))
        die("%s", nb_error());
}
