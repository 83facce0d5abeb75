#include "contact_cuda_boxes.h"

#include "base/error.h"
#include "reference/contact_bvh/cuda/contact_bvh.cuh"

#include <cstdlib>

static_assert(NB_CONTACT_LEAF == BVH_LEAF, "one bit of a child");

template <typename T> static int fetch_boxes(const bvh_work *w, double *boxes)
{
    const size_t count = w->n - 1;
    bvh_box<T> *box = (bvh_box<T> *)malloc(count * sizeof *box);
    const int status =
        box ? nb_device_from(w->base.device, box, w->box.d, count * sizeof *box) : nb_fail("no memory for boxes");
    for (size_t i = 0; status == 0 && i < 4 * count; i++)
        boxes[i] = i % 4 < 2 ? box[i / 4].low[i % 4] : box[i / 4].high[i % 4 - 2];
    free(box);
    return status;
}

int nb_contact_cuda_boxes(const void *work, uint32_t *order, uint32_t (*children)[2], double *boxes)
{
    const bvh_work *w = (const bvh_work *)work;
    if (nb_cuda_enter(w->base.device) || nb_device_from(w->base.device, order, w->sort.order.d, w->n * sizeof *order) ||
        nb_device_from(w->base.device, children, w->children.d, (w->n - 1) * sizeof *children))
        return -1;
    return w->precision == NB_SINGLE ? fetch_boxes<float>(w, boxes) : fetch_boxes<double>(w, boxes);
}
