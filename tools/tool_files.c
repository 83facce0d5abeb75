/* Inputs and output files as every tool treats them. */
#include "tool.h"

#include "error.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- inputs ---- */

struct nb_snap_reader *tool_input_open(const char *path)
{
    if (!path)
        path = "-";
    if (strcmp(path, "-") == 0 && isatty(STDIN_FILENO))
        die_usage("stdin is a terminal: give a file, or a pipe such as `nbgen plummer -n 1k | %s ...'",
                  program_invocation_short_name);
    struct nb_snap_reader *r = nb_snap_open(path, tool_options.salvage);
    if (!r)
        die("%s", nb_error());
    return r;
}

static void warn_of_damage(struct nb_snap_reader *r)
{
    const char *damage = nb_snap_damage(r);
    if (damage)
        warn("%s", damage);
}

bool tool_input_read(struct nb_snap_reader *r, struct nb_bodies *b)
{
    int status = nb_snap_read(r, b);
    warn_of_damage(r);
    if (status < 0)
        die("%s", nb_error());
    return status > 0;
}

void tool_input_frame(const char *path, struct nb_bodies *b)
{
    struct nb_snap_reader *r = tool_input_open(path);
    if (tool_options.frame == TOOL_FRAME_ALL)
        die_usage("--frame all: one frame is wanted, K or last");
    int status = nb_snap_read_frame(r, tool_options.frame, !tool_options.frame_given, b);
    warn_of_damage(r);
    if (status < 0)
        die("%s", nb_error());
    if (nb_bodies_check(b))
        die("%s: frame %lld: %s", nb_snap_name(r), (long long)nb_snap_frame(r), nb_error());
    nb_snap_close(r);
}

/* ---- outputs ---- */

struct tool_output {
    int fd;
    char *name;
    char *part; /* NULL: written in place */
    bool keep, binary;
    struct tool_output *next;
};

static struct tool_output *unfinished; /* those that leave a FILE.part if the tool ends now */

static void leave_no_half_file(void)
{
    for (struct tool_output *o = unfinished; o; o = o->next)
        if (o->part && o->keep)
            fprintf(stderr, "%s: %s keeps the %s\n", program_invocation_short_name, o->part,
                    o->binary ? "whole frames written so far (read it with --salvage)" : "lines written so far");
        else if (o->part)
            unlink(o->part);
}

static bool is_stdout(const char *path)
{
    static const char *const names[] = {"-", "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"};
    for (size_t k = 0; path && k < sizeof names / sizeof *names; k++)
        if (strcmp(path, names[k]) == 0)
            return true;
    return !path;
}

/* Regular files, there or not, are written beside and renamed; devices and FIFOs in place. */
static bool is_regular(const char *path)
{
    struct stat st;
    return stat(path, &st) || S_ISREG(st.st_mode);
}

void tool_output_check(const char *path, bool binary)
{
    struct stat st;
    if (is_stdout(path)) {
        if (binary && isatty(STDOUT_FILENO))
            die_usage("stdout is a terminal: give -o FILE, or send the stream into a pipe");
        return;
    }
    bool exists = stat(path, &st) == 0;
    if (exists && S_ISDIR(st.st_mode))
        die("%s: is a directory", path);
    if (exists && S_ISREG(st.st_mode) && !tool_options.overwrite)
        die("%s: exists already (-f replaces it)", path);
}

/* The file behind a link is replaced, not the link. */
static void follow_link(struct tool_output *o)
{
    struct stat st;
    char *target = lstat(o->name, &st) == 0 && S_ISLNK(st.st_mode) ? realpath(o->name, NULL) : NULL;
    if (target) {
        free(o->name);
        o->name = target;
    }
}

static void open_part(struct tool_output *o)
{
    char *part;
    follow_link(o);
    if (asprintf(&part, "%s.part", o->name) < 0)
        die("no memory");
    if (tool_options.overwrite) /* a new file: another run may still write into the old one */
        unlink(part);
    o->fd = open(part, O_WRONLY | O_CREAT | O_CLOEXEC | O_EXCL, 0666);
    if (o->fd < 0 && errno == EEXIST)
        die("%s: exists already, from a run under way or one that failed (-f replaces it)", part);
    if (o->fd < 0)
        die("%s: cannot be written: %s", o->name, strerror(errno));
    o->part = part;
}

static void open_in_place(struct tool_output *o, bool binary)
{
    o->fd = open(o->name, O_WRONLY | O_CLOEXEC);
    if (o->fd < 0)
        die("%s: cannot be written: %s", o->name, strerror(errno));
    if (binary && isatty(o->fd))
        die_usage("%s is a terminal", o->name);
}

struct tool_output *tool_output_open(const char *path, bool binary)
{
    static bool cleaning;
    struct tool_output *o = calloc(1, sizeof *o);
    char *name = strdup(is_stdout(path) ? "stdout" : path);
    if (!o || !name)
        die("no memory");
    o->name = name;
    o->fd = STDOUT_FILENO;
    o->binary = binary;
    tool_output_check(path, binary);
    if (!is_stdout(path) && is_regular(path))
        open_part(o);
    else if (!is_stdout(path))
        open_in_place(o, binary);
    if (!cleaning)
        atexit(leave_no_half_file);
    cleaning = true;
    o->next = unfinished;
    unfinished = o;
    return o;
}

int tool_output_fd(const struct tool_output *o)
{
    return o->fd;
}

const char *tool_output_name(const struct tool_output *o)
{
    return o->name;
}

const char *tool_output_part(const struct tool_output *o)
{
    return o->part ? o->part : o->name;
}

void tool_output_keep(struct tool_output *o, bool keep)
{
    o->keep = keep;
}

static void forget(struct tool_output *o)
{
    for (struct tool_output **at = &unfinished; *at; at = &(*at)->next)
        if (*at == o) {
            *at = o->next;
            break;
        }
    free(o->name);
    free(o->part);
    free(o);
}

void tool_output_close(struct tool_output *o)
{
    if (close(o->fd))
        die("%s: cannot be written: %s", o->name, strerror(errno));
    if (o->part && rename(o->part, o->name))
        die("%s: cannot be renamed to %s: %s", o->part, o->name, strerror(errno));
    forget(o);
}

void tool_output_leave(struct tool_output *o)
{
    if (close(o->fd))
        die("%s: cannot be written: %s", tool_output_part(o), strerror(errno));
    forget(o);
}

void tool_output_failed(void)
{
    if (errno == EPIPE) {
        leave_no_half_file();
        signal(SIGPIPE, SIG_DFL);
        raise(SIGPIPE);
    }
    die("%s", nb_error());
}
