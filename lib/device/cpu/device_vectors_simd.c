/* device_vectors_simd.c - operations on a device's vectors, compiled for one instruction set. The compiler vectorises
 * them. */
#include "device/cpu/device_vectors.h"
#include "simd/vectors.h"

#define OWN_STEP_CALL   static inline
#define TIME_SCALE_CALL static inline
#include "device/own_steps.h"
#include "device/time_scale.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* Maximum number of bytes of data for which one thread is faster than several. */
#define PARALLEL_BYTES 1000000

#define UNALIGNED(type) __attribute__((aligned(sizeof(type)), may_alias))
#define OF(word)        PASTE(PASTE(word, _), TYPE)

#define REAL    float
#define INTEGER int32_t
#define SCALAR  double
#define TYPE    single
#define LANES   8
#include "device/cpu/device_vectors_type.h"

#define REAL    double
#define INTEGER int64_t
#define SCALAR  double
#define TYPE    double
#define LANES   8
#include "device/cpu/device_vectors_type.h"

#define REAL   nb_quad
#define SCALAR nb_quad
#define TYPE   quad
#define LANES  1
#include "device/cpu/device_vectors_type.h"

#define SET PASTE(nb_device_vectors_, SET_WORD)

extern const struct nb_device_vectors_set SET;
const struct nb_device_vectors_set SET = {{&vectors_single, &vectors_double, &vectors_double, &vectors_quad}};
