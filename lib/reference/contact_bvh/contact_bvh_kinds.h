/* contact_bvh_kinds.h - the parameters of contact-bvh. */
#ifndef NB_CONTACT_BVH_KINDS_H
#define NB_CONTACT_BVH_KINDS_H

#include "force/contact/contact.h"

#ifdef __cplusplus
extern "C" {
#endif

extern const struct nb_force_kind nb_contact_bvh_kinds[]; /* for every device */

#ifdef __cplusplus
}
#endif
#endif
