/* types.cl - included before every kernel: the types of a precision. PRECISION is 0 for single, 1 for mixed, 2 for
 * double. GROUP is the number of work-items of a work-group. */
#ifdef cl_khr_fp64
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#endif

/* state: elements of vectors. real: arithmetic of pairs. wide: the most precise type of the device. */
#if PRECISION == 0
typedef float state, real;
typedef float4 state4;
#elif PRECISION == 1
typedef double state;
typedef float real;
typedef double4 state4;
#else
typedef double state, real;
typedef double4 state4;
#endif
#ifdef cl_khr_fp64
typedef double wide;
typedef double4 wide4;
#define CONVERT_WIDE4 convert_double4
#else
typedef float wide;
typedef float4 wide4;
#define CONVERT_WIDE4 convert_float4
#endif

/* PLACE: a position in device memory as two parameters. AT: the same as a pointer, NULL if the buffer is. */
#define PLACE(type, name) global type *name##_buffer, ulong name##_at
#define AT(name)          (name##_buffer ? name##_buffer + name##_at : name##_buffer)

#define KERNEL kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
