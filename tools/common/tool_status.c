/* tool_status.c - draws the progress lines at the bottom of a terminal, one for each tool of a pipe. The tools share a
 * small file, called the board, which contains the lines of all tools. A tool that updates its line locks the board and
 * redraws all lines. Without a board a tool draws only its own line.
 *
 * Between updates, the cursor is at the beginning of the first progress line. A tool erases the lines by clearing
 * everything from the cursor on, so it need not know how many lines are drawn. */
#include "common/tool.h"

#include "common/tool_utf8.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define LINES_MAX 8
#define PATIENCE  100 /* maximum number of tries, 5 ms each, to lock the board for a message */

struct board { /* contents of the board, a file that all tools of a pipe share; all zero: no lines */
    struct board_line {
        pid_t process; /* 0: this element is not used */
        char text[TOOL_STATUS_BYTES];
    } line[LINES_MAX]; /* the progress line of each process, sorted by process id */
};

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static volatile sig_atomic_t shown;
static int board_fd = -1;
static char *board_path;
static bool no_board;
static struct board alone;              /* board of this process only, used if there is no shared board file */
static const char erase[] = "\r\033[J"; /* clears the terminal from the cursor's line to the end */

/* ---- the terminal ---- */

static int window(bool columns)
{
    struct winsize size;
    if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size))
        return 0;
    return columns ? size.ws_col : size.ws_row;
}

int tool_status_width(void)
{
    const int columns = window(true);
    return columns > 1 ? columns - 1 : 79;
}

int tool_status_can(void)
{
    const char *term = getenv("TERM");
    /* process group in the foreground; -1 if stderr is no terminal or not the controlling terminal */
    const pid_t front = isatty(STDERR_FILENO) ? tcgetpgrp(STDERR_FILENO) : -1;
    return isatty(STDERR_FILENO) && term && *term && strcmp(term, "dumb") != 0 && (front < 0 || front == getpgrp());
}

/* ---- width ---- */

static int sign_columns(uint32_t sign)
{
    static const struct {
        uint32_t first, last;
        int columns;
    } ranges[] = {{0x300, 0x36f, 0},   {0x200b, 0x200f, 0}, {0xfe00, 0xfe0f, 0},   {0x1100, 0x115f, 2},
                  {0x2e80, 0xa4cf, 2}, {0xac00, 0xd7a3, 2}, {0xf900, 0xfaff, 2},   {0xfe30, 0xfe6f, 2},
                  {0xff00, 0xff60, 2}, {0xffe0, 0xffe6, 2}, {0x1f300, 0x1faff, 2}, {0x20000, 0x3fffd, 2}};
    for (size_t k = 0; k < sizeof ranges / sizeof *ranges; k++)
        if (sign >= ranges[k].first && sign <= ranges[k].last)
            return ranges[k].columns;
    return 1;
}

/* Returns a pointer to the first character of `text` that does not fit into `most` columns, or to the end of `text` if
 * all characters fit. Sets *columns to the number of columns that the text before this pointer takes. */
static const char *end_within(const char *text, int most, int *columns)
{
    *columns = 0;
    while (*text) {
        const char *next = text;
        const int more = sign_columns(utf8_next(&next));
        if (*columns + more > most)
            break;
        *columns += more;
        text = next;
    }
    return text;
}

int tool_status_columns(const char *text)
{
    int columns;
    end_within(text, INT32_MAX, &columns);
    return columns;
}

void tool_status_cut(char *text, int columns)
{
    int used;
    text[end_within(text, columns, &used) - text] = '\0';
}

/* ---- the board ---- */

/* Returns the path of the board (the file with the progress lines). Each process group on a terminal has its own board.
 * A pipe is one process group. */
static char *path_of_board(void)
{
    const char *folder = getenv("XDG_RUNTIME_DIR");
    struct stat terminal;
    char *path;
    if (!folder || *folder != '/')
        folder = getenv("TMPDIR");
    if (!folder || *folder != '/')
        folder = "/tmp";
    if (fstat(STDERR_FILENO, &terminal) || !S_ISCHR(terminal.st_mode) ||
        asprintf(&path, "%s/nbtools-%ju-%jd-%jx", folder, (uintmax_t)geteuid(), (intmax_t)getpgrp(),
                 (uintmax_t)terminal.st_rdev) < 0)
        return NULL;
    return path;
}

static void close_board(void)
{
    if (board_fd >= 0)
        close(board_fd);
    board_fd = -1;
}

/* Opens the board. Refuses a file of another user and anything that is not a regular file. */
static bool open_board(void)
{
    struct stat st;
    if (board_fd >= 0 || no_board)
        return board_fd >= 0;
    if (!board_path)
        board_path = path_of_board();
    if (board_path)
        board_fd = open(board_path, O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0600);
    if (board_fd >= 0 && (fstat(board_fd, &st) || !S_ISREG(st.st_mode) || st.st_uid != geteuid()))
        close_board();
    no_board = board_fd < 0;
    return !no_board;
}

/* Opens and locks the board. If another process has removed the file of the board, creates a new one. Returns false if
 * there is no board (no_board is true), or if another process holds the lock after `patience` tries, 5 ms each. */
static bool lock_board(int patience)
{
    struct stat st;
    while (open_board()) {
        if (flock(board_fd, LOCK_EX | LOCK_NB) == 0) {
            if (fstat(board_fd, &st) == 0 && st.st_nlink > 0)
                return true;
            close_board();
        } else if (errno != EWOULDBLOCK && errno != EINTR) {
            close_board();
            no_board = true; /* the file system has no locks */
        } else if (patience-- > 0)
            nanosleep(&(struct timespec){.tv_nsec = 5000000}, NULL);
        else
            return false;
    }
    return false;
}

/* Reads the board without the lines of tools that have ended. */
static void read_board(struct board *b)
{
    *b = (struct board){0};
    if (pread(board_fd, b, sizeof *b, 0) != sizeof *b)
        *b = (struct board){0};
    for (int k = 0; k < LINES_MAX; k++) {
        struct board_line *l = &b->line[k];
        l->text[sizeof l->text - 1] = '\0';
        if (l->process <= 0 || getpgid(l->process) != getpgrp())
            l->process = 0;
    }
}

static bool is_empty(const struct board *b)
{
    for (int k = 0; k < LINES_MAX; k++)
        if (b->line[k].process)
            return false;
    return true;
}

static void write_board(const struct board *b)
{
    if (is_empty(b))
        unlink(board_path);
    else if (pwrite(board_fd, b, sizeof *b, 0) != sizeof *b)
        unlink(board_path);
    flock(board_fd, LOCK_UN);
    if (is_empty(b))
        close_board();
}

static int compare(const void *left, const void *right)
{
    const struct board_line *a = left, *b = right;
    /* Sorts by process id, because process ids usually ascend in the order of the tools in the pipe. */
    return a->process < b->process ? -1 : a->process > b->process;
}

/* Sets the progress line of this process to `text`, or removes the line if `text` is NULL. Does nothing if the board is
 * full. */
static void set_line(struct board *b, const char *text)
{
    int own = -1;
    for (int k = 0; k < LINES_MAX && (own < 0 || b->line[own].process != getpid()); k++)
        if (b->line[k].process == getpid() || (own < 0 && !b->line[k].process))
            own = k;
    if (own < 0)
        return;
    b->line[own].process = text ? getpid() : 0;
    snprintf(b->line[own].text, sizeof b->line[own].text, "%s", text ? text : "");
    qsort(b->line, LINES_MAX, sizeof *b->line, compare);
}

/* ---- drawing: in one write, so that other output does not come between ---- */

static void draw(const struct board *b, const char *message)
{
    char text[LINES_MAX * (TOOL_STATUS_BYTES + 8) + 64];
    size_t used = (size_t)snprintf(text, sizeof text, "%s", message ? "" : "\r");
    const int width = tool_status_width(), rows = window(false);
    int drawn = 0;
    for (int k = 0; k < LINES_MAX && (rows < 1 || drawn < rows - 1); k++) {
        char line[TOOL_STATUS_BYTES];
        if (!b->line[k].process)
            continue;
        snprintf(line, sizeof line, "%s", b->line[k].text);
        tool_status_cut(line, width);
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%s\033[K", drawn++ ? "\r\n" : "", line);
    }
    if (drawn > 1)
        used += (size_t)snprintf(text + used, sizeof text - used, "\033[J\033[%dA", drawn - 1);
    else
        used += (size_t)snprintf(text + used, sizeof text - used, "\033[J");
    snprintf(text + used, sizeof text - used, "\r");
    fprintf(stderr, "%s%s%s", message ? erase : "", message ? message : "", text);
}

static bool take_board(struct board *b, int patience)
{
    const bool locked = lock_board(patience);
    if (locked)
        read_board(b);
    else
        *b = no_board ? alone : (struct board){0};
    return locked;
}

static void give_board(const struct board *b, bool locked)
{
    if (locked)
        write_board(b);
    else if (no_board)
        alone = *b;
}

/* Sets the progress line of this process to `own`, unless `stays` is set. Prints `message`, if it is not NULL, above
 * the progress lines. Redraws all lines. patience: as in lock_board. */
static void update(const char *own, bool stays, const char *message, int patience)
{
    struct board b;
    const bool locked = take_board(&b, patience);
    if (!locked && !no_board && !message)
        return; /* another tool is drawing. This update is skipped, because the next one follows soon */
    if (!stays)
        set_line(&b, own);
    draw(&b, message);
    give_board(&b, locked);
}

static void on_pipe(int number)
{
    tool_status_abandon();
    signal(number, SIG_DFL);
    raise(number);
}

static void begin(void)
{
    static bool begun;
    struct sigaction before;
    if (!begun && sigaction(SIGPIPE, NULL, &before) == 0 && before.sa_handler == SIG_DFL)
        signal(SIGPIPE, on_pipe);
    if (!begun)
        atexit(tool_status_hide);
    begun = true;
}

void tool_status_show(const char *line)
{
    pthread_mutex_lock(&mutex);
    begin();
    shown = 1;
    update(line, false, NULL, 0);
    pthread_mutex_unlock(&mutex);
}

void tool_status_hide(void)
{
    pthread_mutex_lock(&mutex);
    if (shown)
        update(NULL, false, NULL, PATIENCE);
    shown = 0;
    pthread_mutex_unlock(&mutex);
}

/* Returns whether a board exists. Progress lines of other tools of the pipe may then be on the terminal. */
static bool others_show(void)
{
    if (!board_path && tool_status_can())
        board_path = path_of_board();
    return board_path && access(board_path, F_OK) == 0;
}

void tool_status_message(const char *line)
{
    pthread_mutex_lock(&mutex);
    if (shown || others_show())
        update(NULL, true, line, PATIENCE);
    else
        fputs(line, stderr);
    pthread_mutex_unlock(&mutex);
}

static struct {
    struct board board;
    bool on, locked;
} parted;

void tool_status_part(int fd)
{
    if (!isatty(fd) || !isatty(STDERR_FILENO) || parted.on)
        return;
    pthread_mutex_lock(&mutex);
    parted.on = shown || others_show();
    if (parted.on) {
        parted.locked = take_board(&parted.board, PATIENCE);
        fputs(erase, stderr);
    } else
        pthread_mutex_unlock(&mutex);
}

void tool_status_join(void)
{
    if (!parted.on)
        return;
    draw(&parted.board, NULL);
    give_board(&parted.board, parted.locked);
    parted.on = false;
    pthread_mutex_unlock(&mutex);
}

void tool_status_abandon(void)
{
    if (shown && write(STDERR_FILENO, erase, sizeof erase - 1) < 0)
        return;
}
