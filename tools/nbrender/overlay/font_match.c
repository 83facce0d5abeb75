/* Finds the font for text. A child process with limits on memory and CPU time asks fontconfig for the font. */
#ifdef NB_HAVE_TEXT /* defined by mk/flags.mk if FreeType and fontconfig are installed */
#include "nbrender/overlay/font.h"

#include "nbrender/overlay/overlay.h"

#include <errno.h>
#include <fontconfig/fontconfig.h>
#include <poll.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define LOOK_MS         100 /* interval between checks for signals, ms */
#define COMPLAINT_BYTES 256

/* ---- child process ---- */

/* Returns the private memory of this process in bytes, or 0 if it is not known. */
static size_t own_bytes(void)
{
    unsigned long long pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (file && fscanf(file, "%*u %*u %*u %*u %*u %llu", &pages) != 1)
        pages = 0;
    if (file)
        fclose(file);
    return (size_t)pages * (size_t)sysconf(_SC_PAGESIZE);
}

static void limit(void)
{
    const struct rlimit none = {0, 0}, cpu = {FONT_MATCH_SECONDS, FONT_MATCH_SECONDS};
    const size_t own = own_bytes();
    struct rlimit data;
    setrlimit(RLIMIT_CORE, &none);
    setrlimit(RLIMIT_CPU, &cpu);
    if (own == 0 || getrlimit(RLIMIT_DATA, &data))
        return;
    if (data.rlim_cur > own + FONT_MATCH_BYTES)
        data.rlim_cur = own + FONT_MATCH_BYTES;
    setrlimit(RLIMIT_DATA, &data);
}

/* Returns fontconfig's best match for sans-serif with the character `sign` (0: any character). Returns NULL if there is
 * no font or no memory. */
static FcPattern *match(FcConfig *config, uint32_t sign)
{
    FcPattern *wanted = FcPatternBuild(NULL, FC_FAMILY, FcTypeString, "sans-serif", FC_SCALABLE, FcTypeBool, FcTrue,
                                       FC_OUTLINE, FcTypeBool, FcTrue, FC_COLOR, FcTypeBool, FcFalse, NULL);
    FcCharSet *signs = sign ? FcCharSetCreate() : NULL;
    FcResult result;
    if (!wanted || (signs && !(FcCharSetAddChar(signs, sign) && FcPatternAddCharSet(wanted, FC_CHARSET, signs))) ||
        !FcConfigSubstitute(config, wanted, FcMatchPattern))
        return NULL;
    FcDefaultSubstitute(wanted);
    return FcFontMatch(config, wanted, &result);
}

/* Finds the font for the character `sign`, writes a struct font_place to the pipe `out`, and exits. Error messages go
 * to the pipe `complaints`. If there is no font, writes nothing to `out` and exits with status 1. */
static void answer(uint32_t sign, int out, int complaints)
{
    static struct font_place place;
    signal(SIGINT, SIG_DFL);
    signal(SIGTERM, SIG_DFL);
    signal(SIGHUP, SIG_DFL);
    dup2(complaints, STDERR_FILENO);
    limit();
    FcConfig *config = FcInitLoadConfigAndFonts();
    FcPattern *found = config ? match(config, sign) : NULL;
    FcChar8 *file;
    if (!found || FcPatternGetString(found, FC_FILE, 0, &file) != FcResultMatch ||
        strlen((char *)file) >= sizeof place.file)
        _exit(1);
    FcPatternGetInteger(found, FC_INDEX, 0, &place.index);
    strcpy(place.file, (char *)file);
    /* the answer is small enough that a pipe accepts it in one write */
    _exit(write(out, &place, sizeof place) == (ssize_t)sizeof place ? 0 : 1);
}

/* ---- parent process ---- */

struct child {
    pid_t process;
    int answer, complaints; /* read ends of the pipes for the answer and for error messages */
    struct font_place *place;
    size_t have; /* number of bytes of *place received so far */
    char complaint[COMPLAINT_BYTES];
    size_t said;
};

static int start(struct child *c, uint32_t sign)
{
    int out[2], complaints[2];
    if (pipe(out))
        return nb_fail("cannot start fontconfig: %s", strerror(errno));
    if (pipe(complaints)) {
        nb_fail("cannot start fontconfig: %s", strerror(errno));
        close(out[0]);
        close(out[1]);
        return -1;
    }
    c->process = fork();
    if (c->process == 0)
        answer(sign, out[1], complaints[1]);
    const int why = errno;
    close(out[1]);
    close(complaints[1]);
    c->answer = out[0];
    c->complaints = complaints[0];
    return c->process < 0 ? nb_fail("cannot start fontconfig: %s", strerror(why)) : 0;
}

/* Appends the available bytes of the pipe `fd` to the buffer `to` of `size` bytes, and increases *have, the number of
 * bytes in the buffer. Reads and drops bytes if the buffer is full. Returns false at the end of the pipe. */
static bool take(int fd, void *to, size_t size, size_t *have)
{
    char rest[512];
    const bool room = *have < size;
    const ssize_t got = read(fd, room ? (char *)to + *have : rest, room ? size - *have : sizeof rest);
    if (got > 0 && room)
        *have += (size_t)got;
    return got > 0 || (got < 0 && (errno == EINTR || errno == EAGAIN));
}

/* Reads both pipes until they are closed. Returns false if a signal arrives first. */
static bool listen_to(struct child *c)
{
    struct pollfd ends[2] = {{.fd = c->answer, .events = POLLIN}, {.fd = c->complaints, .events = POLLIN}};
    while (ends[0].fd >= 0 || ends[1].fd >= 0) {
        if (tool_signal)
            return false;
        if (poll(ends, 2, LOOK_MS) <= 0)
            continue;
        if (ends[0].revents && !take(c->answer, c->place, sizeof *c->place, &c->have))
            ends[0].fd = -1;
        if (ends[1].revents && !take(c->complaints, c->complaint, sizeof c->complaint - 1, &c->said))
            ends[1].fd = -1;
    }
    return true;
}

static int end(struct child *c, bool heard)
{
    int status = 0;
    if (!heard)
        kill(c->process, SIGKILL);
    close(c->answer);
    close(c->complaints);
    while (waitpid(c->process, &status, 0) < 0 && errno == EINTR)
        ;
    return status;
}

/* Returns the first line of fontconfig's messages, without "Fontconfig error: " at its beginning. */
static const char *first_line(struct child *c)
{
    static const char begin[] = "Fontconfig error: ";
    c->complaint[c->said] = '\0';
    c->complaint[strcspn(c->complaint, "\n")] = '\0';
    return strncmp(c->complaint, begin, sizeof begin - 1) == 0 ? c->complaint + sizeof begin - 1 : c->complaint;
}

/* Fails if FONTCONFIG_FILE names something other than a regular file, because a device or a pipe may be endless. */
static int check_file(void)
{
    const char *file = getenv("FONTCONFIG_FILE");
    struct stat st;
    if (file && stat(file, &st) == 0 && !S_ISREG(st.st_mode))
        return nb_fail("text needs a font, but FONTCONFIG_FILE=%s is not a file", file);
    return 0;
}

int font_match(uint32_t sign, struct font_place *place)
{
    static bool warned;
    struct child c = {.place = place};
    if (check_file() || start(&c, sign))
        return -1;
    const bool heard = listen_to(&c);
    const int status = end(&c, heard);
    const char *line = first_line(&c);
    if (!heard)
        return nb_fail("ended by signal %d while fontconfig looked for a font", (int)tool_signal);
    if (c.have == sizeof *place && status == 0) {
        if (*line && !warned)
            warn("fontconfig: %s", line);
        warned = true;
        return 0;
    }
    if (WIFSIGNALED(status))
        return nb_fail("text needs a font, but fontconfig found none within %d s and %zu MiB (check FONTCONFIG_FILE)",
                       FONT_MATCH_SECONDS, FONT_MATCH_BYTES >> 20);
    if (*line)
        return nb_fail("text needs a font, but fontconfig finds none: %s", line);
    return nb_fail("text needs a font, but fontconfig finds none (install fonts-dejavu-core)");
}

#else
typedef int font_match_is_empty; /* a C file must not be empty */
#endif
