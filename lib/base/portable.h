/* portable.h - differences between the supported systems and compilers: Linux with glibc or musl, and macOS. Only this
 * file and portable.c may test for a system or compiler (tests/project/lint.sh checks this). Differences between
 * instruction sets are in simd/vectors.h. */
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

/* The most precise floating-point type, the number of bits of its significand (113 except on 64-bit Arm with macOS),
 * and a macro that makes a literal of this type. */
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

/* nb_little_endian_64 and nb_big_endian_32 convert a number x between this machine's byte order and the order in the
 * name. */
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
#define NB_MAXRSS_BYTES   1 /* bytes per unit of rusage.ru_maxrss */
#else
#define NB_OPENCL_LIBRARY "libOpenCL.so.1"
#define NB_OPENCL_ADVICE  "Debian's package ocl-icd-libopencl1 has it"
#define NB_MAXRSS_BYTES   1024
#endif

/* Returns the last component of the name by which the program was called. */
const char *nb_program_name(void);
/* Opens the executable file of this program for reading. Returns a descriptor, or -1 if the file is not found. */
int nb_program_open(void);
/* nb_processor_name writes the name of the processor, and nb_library_name the name and version of the C library;
 * "unknown" if the system does not give the name. */
void nb_processor_name(char *name, size_t size);
void nb_library_name(char *name, size_t size);

/* Calls realloc for count elements of size bytes. Returns NULL if count * size overflows or if there is no memory;
 * block is then unchanged. */
void *nb_realloc_array(void *block, size_t count, size_t size);
/* Requests large pages for a block whose address and size are multiples of 2 MiB. */
void nb_large_pages(void *block, size_t bytes);

/* Renames a file unless `to` exists (EEXIST). Returns 0, or -1 with errno. */
int nb_rename_new(const char *from, const char *to);
/* Writes all data of a descriptor to the disk. Returns 0, or -1 with errno. */
int nb_sync(int fd);
/* Tells the system that the file will be read sequentially. */
void nb_read_through(int fd);
/* Makes a pipe with close-on-exec descriptors. Returns 0, or -1 with errno. */
int nb_pipe(int ends[2]);
/* Requests a pipe capacity in bytes. Does nothing if fd is not a pipe. */
void nb_pipe_widen(int fd, int bytes);
/* Puts whole pages of memory into a pipe without copying them. Returns the number of bytes, or -1 with errno. The
 * caller must not change the pages before it has called nb_pages_drop. */
ssize_t nb_pipe_give(int fd, const void *pages, size_t bytes);
/* Replaces whole pages of allocated memory by new ones that contain zeros. The old pages stay in the pipes that contain
 * them. Returns false if the system cannot do this. */
bool nb_pages_drop(void *pages, size_t bytes);
/* fd is the writing end of a pipe. Returns a new, non-blocking descriptor of the reading end, or -1 if the system
 * cannot open it. */
int nb_pipe_other_end(int fd);
/* Returns a stream, or NULL if there is no memory. Text printed to the stream is passed to write(cookie, text, size).
 * `write` returns the number of bytes that it accepted; a number less than `size` is an error. */
FILE *nb_text_writer(void *cookie, ssize_t (*write)(void *cookie, const char *text, size_t size));
/* Calls pthread_create with a stack of 8 MiB, the size of the first thread's stack. Some systems have 128 KiB by
 * default. The linker sets the stack size of OpenMP threads (mk/flags.mk). Returns 0 or the error number. */
int nb_thread_start(pthread_t *thread, void *(*run)(void *), void *argument);
/* Lowers the priority of this thread by `niceness` (nice(2)), if the system has priorities of threads. */
void nb_thread_nice(int niceness);
