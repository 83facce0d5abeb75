#include "sandbox.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { BLOCKS_MAX = 1 << 16, OPEN_MAX_HERE = 16 };

static jmp_buf back;
static bool inside;
static void *blocks[BLOCKS_MAX]; /* allocated in the sandbox and not freed */
static size_t block_count;

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *block, size_t size);
void *__real_reallocarray(void *block, size_t count, size_t size);
char *__real_strdup(const char *text);
void __real_free(void *block);
int __real_fclose(FILE *file);
void __real_exit(int status) __attribute__((noreturn));

void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *block, size_t size);
void *__wrap_reallocarray(void *block, size_t count, size_t size);
char *__wrap_strdup(const char *text);
void __wrap_free(void *block);
int __wrap_fclose(FILE *file);
void __wrap_exit(int status) __attribute__((noreturn));
void __wrap_omp_set_num_threads(int threads);

/* ---- memory ---- */

static void *note(void *block)
{
    if (inside && block && block_count < BLOCKS_MAX)
        blocks[block_count++] = block;
    return block;
}

static void forget(const void *block)
{
    for (size_t k = block_count; inside && k-- > 0;)
        if (blocks[k] == block) {
            blocks[k] = blocks[--block_count];
            return;
        }
}

void *__wrap_malloc(size_t size)
{
    return note(__real_malloc(size));
}

void *__wrap_calloc(size_t count, size_t size)
{
    return note(__real_calloc(count, size));
}

void *__wrap_realloc(void *block, size_t size)
{
    void *other = __real_realloc(block, size);
    if (other) {
        forget(block);
        note(other);
    }
    return other;
}

void *__wrap_reallocarray(void *block, size_t count, size_t size)
{
    void *other = __real_reallocarray(block, count, size);
    if (other) {
        forget(block);
        note(other);
    }
    return other;
}

char *__wrap_strdup(const char *text)
{
    return note(__real_strdup(text));
}

void __wrap_free(void *block)
{
    forget(block);
    __real_free(block);
}

/* ---- the end ---- */

void __wrap_exit(int status)
{
    if (inside)
        longjmp(back, status + 1);
    __real_exit(status);
}

/* A tool that has printed what was asked for closes stdout, which the next run needs. */
int __wrap_fclose(FILE *file)
{
    return inside && file == stdout ? fflush(file) : __real_fclose(file);
}

/* Threads that a command line asks for are none of a test's. */
void __wrap_omp_set_num_threads(int threads)
{
    (void)threads;
}

static int first_free_descriptor(void)
{
    int fd = dup(STDIN_FILENO);
    close(fd);
    return fd;
}

int sandbox_run(void (*f)(void *arg), void *arg)
{
    const int first = first_free_descriptor();
    block_count = 0;
    int ended = setjmp(back);
    if (ended == 0) {
        inside = true;
        f(arg);
    }
    inside = false;
    while (block_count > 0)
        __real_free(blocks[--block_count]);
    for (int fd = first; fd < first + OPEN_MAX_HERE; fd++)
        close(fd);
    return ended - 1;
}
