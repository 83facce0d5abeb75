/* extern_c.h - C linkage for declarations in headers that CUDA sources include. */
#pragma once

#ifdef __cplusplus
#define NB_C_BEGIN extern "C" {
#define NB_C_END   }
#else
#define NB_C_BEGIN
#define NB_C_END
#endif
