/* nbrender - draws the frames of a stream as pictures or as a film. */
#include "nbrender/nbrender.h"

struct render {
    struct render_options options;
    struct source source;
    struct motion *motion;
    struct scene *scene;
    struct output *output;
    double begin_s;
    uint64_t expected; /* number of pictures of the film; 0: not known */
    bool begun;        /* the first line of output was printed */
};

/* Returns the number of pictures, or 0 if the number of frames is not known. */
static uint64_t count_pictures(const struct render *r)
{
    const uint64_t frames = source_expects(&r->source), steps = (uint64_t)r->options.motion.interpolate;
    return frames < 2 || frames - 1 > (UINT64_MAX - 1) / steps ? frames : (frames - 1) * steps + 1;
}

static void open_all(struct render *r)
{
    r->output = output_open(&r->options);
    bool last = output_is_single(r->output) && !tool_options.frame_given;
    source_open(&r->source, &r->options, last ? NB_FRAME_LAST : tool_options.frame);
    bool several = r->source.wanted == TOOL_FRAME_ALL || (r->source.wanted == TOOL_FRAME_LIST && !tool_frame_is_one());
    if (output_is_single(r->output) && several)
        die_usage("%s: one picture shows one frame (use -o frame-%%05d.png for several)", tool_frame_option());
    if (view_options_need_length(&r->options.view))
        view_options_set_length(&r->options.view, source_length(&r->source));
    r->motion = motion_create(&r->options.motion, &r->source);
    r->scene = scene_create(&r->options);
    scene_survey(r->scene, !several || source_expects(&r->source) == 1);
    r->source.overlay = scene_overlay(r->scene);
    r->expected = count_pictures(r);
    r->begin_s = tool_clock();
}

/* Prints the first line of output, once, when the first frame to draw was read. If the input has an error before this
 * frame, only the error message is printed. */
static void say_begin(struct render *r)
{
    const struct render_options *o = &r->options;
    if (r->begun || (r->source.wanted >= 0 && !motion_wants(r->motion)))
        return;
    r->begun = true;
    say("%dx%d, %s projection on %s", o->width, o->height,
        o->view.layout == LAYOUT_DOME           ? "dome"
        : o->view.layout == LAYOUT_SPHERE       ? "360"
        : o->view.fov_deg > 0 || o->view.camera ? "perspective"
                                                : "orthographic",
        scene_device(r->scene));
    luminous_say(o);
}

static void show(struct render *r)
{
    scene_develop(r->scene, output_picture(r->output));
    output_put(r->output, motion_meta(r->motion), motion_number(r->motion));
}

static void show_progress(const struct render *r)
{
    const double elapsed_s = tool_clock() - r->begin_s, shown = (double)output_count(r->output);
    struct tool_progress p = tool_progress_of("picture");
    p.done = shown;
    p.time = motion_meta(r->motion)->time;
    p.rate = shown / elapsed_s;
    if (r->expected > 0) {
        p.total = (double)r->expected;
        p.left_s = tool_progress_left(elapsed_s, shown / p.total);
    }
    tool_progress(&p);
}

static void draw_all(struct render *r)
{
    while (motion_next(r->motion)) {
        say_begin(r);
        scene_draw(r->scene, r->motion);
        if (motion_wants(r->motion)) {
            if (output_is_single(r->output) && output_count(r->output) > 0)
                die("%s: several frames have this time (--frame K selects one)", nb_snap_name(r->source.reader));
            show(r);
        }
        show_progress(r);
    }
    if (r->source.wanted == NB_FRAME_LAST && !r->source.error && !r->source.interrupted)
        show(r);
}

/* Finishes the output and returns the exit status. If the input is truncated, keeps the pictures drawn so far, and dies
 * with a message that has the name of the output and the number of pictures. */
static int end(struct render *r)
{
    uint64_t shown = output_count(r->output);
    char broken[NB_ERROR_MAX];
    if (shown == 0 && r->source.error)
        die("%s", r->source.error);
    if (shown == 0) {
        say("ended by signal %d before the first picture", (int)tool_signal);
        exit(128 + tool_signal);
    }
    bool named = !r->source.error || r->options.output.keep_partial;
    const char *place = named && tool_options.output ? tool_options.output : output_place(r->output);
    snprintf(broken, sizeof broken, "%s; %s ends there, with %llu frame%s", r->source.error ? r->source.error : "",
             place, (unsigned long long)shown, shown == 1 ? "" : "s");
    output_close(r->output, named);
    if (r->source.error)
        die("%s", broken);
    tool_progress_end();
    double elapsed_s = tool_clock() - r->begin_s;
    say("%llu %s in %.3g s, %.3g frames/s%s", (unsigned long long)shown, shown == 1 ? "picture" : "pictures", elapsed_s,
        (double)shown / elapsed_s, tool_signal ? ", ended by a signal" : "");
    return tool_signal ? 128 + tool_signal : TOOL_OK;
}

int main(int argc, char **argv)
{
    struct render r = {0};
    render_options_parse(&r.options, argc, argv);
    tool_catch_signals();
    open_all(&r);
    draw_all(&r);
    int status = end(&r);
    motion_destroy(r.motion);
    source_close(&r.source);
    scene_destroy(r.scene);
    view_options_free(&r.options.view);
    return status;
}
