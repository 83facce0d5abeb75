/* The counters of fault.h. This file neither allocates nor uses stdio, because both may be the failing calls. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "fault.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define BURST 20

static const char *call, *log_path;
static long at, last; /* calls [at, last] fail */
static int error;
static size_t least;
static bool wanted, active;
static int signal_sent; /* in place of a failure; 0: none */
static struct fault_counter *counters;

static long number(const char *name, long otherwise)
{
    const char *text = getenv(name);
    return text ? strtol(text, NULL, 10) : otherwise;
}

__attribute__((constructor(102))) static void read_environment(void)
{
    const char *mode = getenv("FAULT_MODE"), *what = getenv("FAULT_ERROR");
    call = getenv("FAULT_CALL");
    log_path = getenv("FAULT_LOG");
    at = number("FAULT_AT", 0);
    least = (size_t)number("FAULT_LEAST", 0);
    last = !mode || strcmp(mode, "once") == 0 ? at : strcmp(mode, "burst") == 0 ? at + BURST : INT64_MAX;
    signal_sent = what && strcmp(what, "kill") == 0 ? SIGKILL : what && strcmp(what, "stop") == 0 ? SIGSTOP : 0;
    error = what && strcmp(what, "short") == 0  ? FAULT_SHORT
            : what && strcmp(what, "lose") == 0 ? FAULT_LOSE
                                                : (int)number("FAULT_ERROR", ENOMEM);
    wanted = strncmp(program_invocation_short_name, "nb", 2) == 0;
}

/* What is done before main is not counted: in a build with CUDA its runtime registers kernels there, and ends by a null
 * pointer where memory fails, which is nothing that a tool can meet. */
static int (*tool_main)(int, char **, char **);

static int begin_main(int argc, char **argv, char **environment)
{
    active = wanted;
    return tool_main(argc, argv, environment);
}

typedef int start_main(int (*)(int, char **, char **), int, char **, void (*)(void), void (*)(void), void (*)(void),
                       void *);
start_main __libc_start_main;
int __libc_start_main(int (*entry)(int, char **, char **), int argc, char **argv, void (*init)(void),
                      void (*fini)(void), void (*end)(void), void *stack)
{
    start_main *next = (start_main *)dlsym(RTLD_NEXT, "__libc_start_main");
    tool_main = entry;
    return next(begin_main, argc, argv, init, fini, end, stack);
}

/* By system calls: the functions around them are what fails. */
static void note(const char *text, size_t size)
{
    if (!log_path)
        return;
    long fd = syscall(SYS_openat, AT_FDCWD, log_path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    if (fd >= 0) {
        syscall(SYS_write, fd, text, size);
        syscall(SYS_close, fd);
    }
}

static void note_count(const struct fault_counter *counter)
{
    char line[96], digits[24];
    size_t size = strlen(counter->name), length = 0;
    memcpy(line, counter->name, size);
    line[size++] = ' ';
    for (long rest = counter->count; rest > 0; rest /= 10)
        digits[length++] = (char)('0' + rest % 10);
    while (length > 0)
        line[size++] = digits[--length];
    line[size++] = '\n';
    note(line, size);
}

__attribute__((destructor)) static void tell_counts(void)
{
    if (active && at == 0)
        for (const struct fault_counter *c = counters; c; c = c->next)
            note_count(c);
}

/* Two threads may meet here first: the one that sets `known` adds it. */
static void add(struct fault_counter *counter)
{
    if (__atomic_exchange_n(&counter->known, true, __ATOMIC_ACQ_REL))
        return;
    counter->next = __atomic_load_n(&counters, __ATOMIC_ACQUIRE);
    while (!__atomic_compare_exchange_n(&counters, &counter->next, counter, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
        ;
}

int fault_at(struct fault_counter *counter)
{
    if (!active || !call)
        return 0;
    long k = __atomic_add_fetch(&counter->count, 1, __ATOMIC_RELAXED);
    if (at == 0)
        add(counter);
    if (at == 0 || k < at || k > last || strcmp(counter->name, call) != 0)
        return 0;
    if (k == at)
        note("hit\n", 4);
    if (signal_sent)
        syscall(SYS_kill, syscall(SYS_getpid), signal_sent);
    return signal_sent ? 0 : error;
}

size_t fault_least(void)
{
    return least;
}
