// fill_gpu DEVICE LEAVE_MB: takes all memory of a GPU but so much, says "full" and how much is left, and holds it until
// its standard input ends. For tests/faults/full.sh.
#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>

static size_t free_bytes(void)
{
    size_t available = 0, total = 0;
    return cudaMemGetInfo(&available, &total) == cudaSuccess ? available : 0;
}

int main(int argc, char **argv)
{
    const int device = argc > 1 ? atoi(argv[1]) : 0;
    const size_t leave = (size_t)(argc > 2 ? atol(argv[2]) : 200) << 20;
    if (cudaSetDevice(device) != cudaSuccess) {
        fprintf(stderr, "fill_gpu: no GPU %d\n", device);
        return 1;
    }
    // What is asked for is halved where that much is not to be had in one piece.
    for (size_t piece = (size_t)1 << 36; piece >= (size_t)1 << 21;) {
        void *taken;
        const size_t available = free_bytes(), room = available > leave ? available - leave : 0;
        if (room < piece || cudaMalloc(&taken, piece) != cudaSuccess)
            piece /= 2;
    }
    printf("full %zu MB left\n", free_bytes() >> 20);
    fflush(stdout);
    while (getchar() != EOF)
        ;
    return 0;
}
