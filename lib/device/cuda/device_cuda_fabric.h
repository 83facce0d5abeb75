/* device_cuda_fabric.h - NCCL between the GPUs of processes: as device_kind.h says of fabric_..., with NCCL's
 * communicator, and the stream that messages are put on. */
#ifndef NB_DEVICE_CUDA_FABRIC_H
#define NB_DEVICE_CUDA_FABRIC_H

#include "device/device_kind.h"

#ifdef __cplusplus
extern "C" {
#endif

int nb_nccl_find(const struct nb_device *d, char *place, size_t size);
int nb_nccl_name(unsigned char name[NB_FABRIC_BYTES]);
/* NULL after nb_fail. */
void *nb_nccl_join(const unsigned char name[NB_FABRIC_BYTES], int rank, int count);
/* stream: a cudaStream_t. */
int nb_nccl_exchange(void *comm, const struct nb_peer_message *message, size_t count, void *stream);
/* -1 after nb_fail where what is on its way will not arrive. */
int nb_nccl_check(void *comm);
void nb_nccl_leave(void *comm);

#ifdef __cplusplus
}
#endif
#endif
