/* extern_c.h - around the declarations of a header that CUDA's sources include too: they are C's. */
#pragma once

#ifdef __cplusplus
#define NB_C_BEGIN extern "C" {
#define NB_C_END   }
#else
#define NB_C_BEGIN
#define NB_C_END
#endif
