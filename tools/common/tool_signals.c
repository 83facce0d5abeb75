/* tool_signals.c - removes incomplete outputs and progress lines before a signal ends the tool. The signals are SIGINT,
 * SIGTERM, SIGHUP and SIGBUS (a page of a mapped file cannot be read). */

#include "common/tool.h"

#include "base/portable.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

atomic_int tool_signal;
static volatile sig_atomic_t deferred, held, came, child;

static void abandon(void)
{
    if (child > 0)
        kill(child, SIGKILL);
    tool_output_abandon();
    tool_status_abandon();
}

static void on_signal(int number)
{
    if (deferred && !tool_signal) {
        tool_signal = number;
        return;
    }
    if (held) {
        came = number;
        return;
    }
    abandon();
    signal(number, SIG_DFL);
    raise(number); /* ends the process when this handler returns; until then the signal is blocked */
}

void tool_hold_signals(bool hold)
{
    held = hold;
    if (!hold && came)
        raise(came);
}

void tool_kill_on_signal(pid_t process)
{
    child = process;
}

void tool_watch_signals(void)
{
    static const int numbers[] = {SIGINT, SIGTERM, SIGHUP};
    /* SA_RESTART: a read or write in progress is continued after the handler, so that no stream is truncated. */
    const struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_RESTART};
    for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++) {
        struct sigaction before;
        /* does not catch signals that the caller ignores, as nohup ignores SIGHUP */
        if (sigaction(numbers[k], NULL, &before) == 0 && before.sa_handler != SIG_IGN)
            sigaction(numbers[k], &action, NULL);
    }
}

void tool_catch_signals(void)
{
    deferred = 1;
    tool_watch_signals();
}

/* ---- mapped files ---- */

static char lost[512]; /* message for the signal SIGBUS: a page of a mapped file cannot be read. The message is
                          formatted in advance, because a signal handler must not call snprintf */

static void on_lost_page(int number)
{
    static atomic_flag begun;
    (void)number;
    while (atomic_flag_test_and_set(&begun)) /* waits if another thread is already ending the tool */
        pause();
    abandon();
    (void)!write(STDERR_FILENO, lost, strlen(lost));
    _exit(TOOL_FAILED);
}

void tool_watch_mapping(const char *name)
{
    const struct sigaction action = {.sa_handler = on_lost_page};
    if (lost[0])
        return;
    snprintf(lost, sizeof lost - 1, "%s: %s: the file was truncated while it was in use, or its disk failed",
             nb_program_name(), name);
    strcat(lost, "\n");
    sigaction(SIGBUS, &action, NULL);
}
