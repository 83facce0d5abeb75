/* portable.h - what the systems and compilers that this is built for do not have alike: Linux with glibc or musl, and
 * macOS. Here alone, and in portable.c, is asked which one it is (tests/project/lint.sh); the instruction sets of
 * processors are in simd/vectors.h. */
#pragma once

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

#ifdef __FAST_MATH__
#error "-ffast-math and -Ofast break compensated sums and the tests for NaN"
#endif

/* ---- compilers ---- */

/* The type with most digits of which NB_QUAD_BITS are there, 113 but on 64-bit Arm under macOS, and its literals. */
#if __LDBL_MANT_DIG__ == 113
#define NB_QUAD_TYPE        long double
#define NB_QUAD_BITS        113
#define NB_QUAD_LITERAL(it) it##L
#elif defined __SIZEOF_FLOAT128__
#define NB_QUAD_TYPE        __float128
#define NB_QUAD_BITS        113
#define NB_QUAD_LITERAL(it) it##Q
#else
#define NB_QUAD_TYPE        long double
#define NB_QUAD_BITS        __LDBL_MANT_DIG__
#define NB_QUAD_LITERAL(it) it##L
#endif

/* The number whose bytes in memory, the lowest first or the highest first, are x. */
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define nb_little_endian_64(x) ((uint64_t)(x))
#define nb_big_endian_32(x)    __builtin_bswap32(x)
#else
#define nb_little_endian_64(x) __builtin_bswap64(x)
#define nb_big_endian_32(x)    ((uint32_t)(x))
#endif

/* ---- systems ---- */

#ifdef __APPLE__
#define NB_OPENCL_LIBRARY "/System/Library/Frameworks/OpenCL.framework/OpenCL"
#define NB_OPENCL_ADVICE  "it comes with macOS"
#define NB_MAXRSS_BYTES   1 /* unit of rusage.ru_maxrss */
#else
#define NB_OPENCL_LIBRARY "libOpenCL.so.1"
#define NB_OPENCL_ADVICE  "Debian's package ocl-icd-libopencl1 has it"
#define NB_MAXRSS_BYTES   1024
#endif

/* The last part of the name by which the program was called. */
const char *nb_program_name(void);
/* Opens the program's own file for reading; -1 where it cannot be found. */
int nb_program_open(void);
/* The processor and the C library as the system calls them, "unknown" where it does not say. */
void nb_processor_name(char *name, size_t size);
void nb_library_name(char *name, size_t size);

/* realloc to count elements of size bytes: NULL, and the old block stays, where that is too much. */
void *nb_realloc_array(void *block, size_t count, size_t size);
/* A hint for whole pages of 2 MiB, at an address that is a multiple of that: larger pages serve. */
void nb_large_pages(void *block, size_t bytes);

/* Renames, unless there is something of the new name (EEXIST). 0, or -1 with errno. */
int nb_rename_new(const char *from, const char *to);
/* All of a descriptor's data to the disk itself. 0, or -1 with errno. */
int nb_sync(int fd);
/* A hint that a file is going to be read from its beginning to its end. */
void nb_read_through(int fd);
/* pipe(), the ends closed in programs that are started. 0, or -1 with errno. */
int nb_pipe(int ends[2]);
/* Asks for room for so many bytes in a pipe; anything else is left alone. */
void nb_pipe_widen(int fd, int bytes);
/* The reading end of the pipe that fd writes to, not blocking; -1 where the system does not give it. */
int nb_pipe_other_end(int fd);
/* A stream whose text goes to write(cookie, ...): how many bytes it took, fewer where it failed. NULL: no memory. */
FILE *nb_text_writer(void *cookie, ssize_t (*write)(void *cookie, const char *text, size_t size));
/* pthread_create with room for 8 MiB on the stack, as a program's first thread has; some give no more than 128 KiB.
 * What OpenMP starts has its room from the linker (mk/flags.mk). 0, or the error. */
int nb_thread_start(pthread_t *thread, void *(*run)(void *), void *argument);
/* Lets the other threads of the process go before this one, by so much (nice(2)), where threads have a priority. */
void nb_thread_nice(int niceness);
