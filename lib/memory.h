/* memory.h - what this machine's memory can still hold, asked before long work and not in the middle of it. */
#ifndef NB_MEMORY_H
#define NB_MEMORY_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Bytes that could be handed out now, swap included; infinite where the system does not say. */
double nb_memory_free(void);
/* 0 where `needed` bytes more for n bodies are free, or few enough not to ask; else -1 after nb_fail with what is
 * needed and what is there. What is counted must be going to be written to: memory that is mapped and not used costs
 * nothing.
 */
int nb_memory_check(uint64_t n, double needed_bytes);

#ifdef __cplusplus
}
#endif
#endif
