/* contact_bvh_kinds.c - the parameters of the force contact-bvh. Declared in contact_bvh_kinds.h. */
#include "reference/contact_bvh/contact_bvh_kinds.h"

static const char *const off_on[] = {"off", "on", NULL}, *const memories[] = {"local", "shared", NULL};

static const struct nb_parameter bvh[] = {
    NB_CONTACT_SEED,
    NB_CONTACT_RADIUS,
    {"reflexive", "each pair once, added to both as it comes, whose last digits differ from run to run", 0,
     .words = off_on},
    {"stack", "where a GPU keeps the way through the boxes", 0, .words = memories},
    {"reorder", "copies of the places in the order of the boxes", 1, .words = off_on},
    {"aggregate", "reflexive: sums of a GPU's warp before they are added", 0, .words = off_on},
    {0}};

const struct nb_force_kind nb_contact_bvh_kinds[] = {{"", "", bvh, 0}, {0}};
