/* morton_buckets.cuh - sorts points by their Morton keys if nearly the same points were sorted before. Used by
 * morton.cu.
 *
 * The keys of the last sort at every BUCKET_MEAN-th position are the splitters. They divide the keys into buckets with
 * BUCKET_MEAN keys each. As points hardly move from step to step, the new keys fill the buckets nearly equally. A
 * kernel goes through the points in the last order, computes their keys, and puts each into its bucket. Another kernel
 * sums the numbers of keys. In a third, each block sorts a bucket. The result is the same as that of a complete sort,
 * which needs a kernel for each eight bits of the keys.
 *
 * If a bucket gets more than BUCKET_ROOM keys, some keys of the result are not in order (morton_sort). */
#pragma once

#include "force/cuda/morton.cuh"

/* Returns whether n points are sorted in buckets, if they were sorted before. */
bool morton_buckets_fit(uint64_t n);
/* Decides whether the next sort of n points uses buckets, and returns the decision. n 0: it does not. */
bool morton_buckets_take(morton_sorted *s, uint64_t n);
int morton_buckets_reserve(morton_sorted *s, uint64_t n);
/* Sorts the n points of two sets. s->bounds contains their bounds, followed by zeros. pairs.numbers[0] contains the
 * last order. Writes keys and indices to pairs.keys[0] and pairs.numbers[0]. T: type of the coordinates. */
template <typename T>
int morton_buckets_sort(cudaStream_t stream, const morton_points *sets, uint64_t n, const morton_pairs &pairs,
                        morton_sorted *s);
/* Called after a complete sort: stores the splitters for the next sort. */
int morton_buckets_divide(cudaStream_t stream, uint64_t n, const morton_pairs &pairs, morton_sorted *s);
