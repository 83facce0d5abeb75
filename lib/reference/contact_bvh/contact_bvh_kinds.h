/* contact_bvh_kinds.h - the parameters of contact-bvh. */
#pragma once

#include "force/contact/contact.h"

#ifdef __cplusplus
extern "C" {
#endif

extern const struct nb_force_kind nb_contact_bvh_kinds[]; /* for every device */

#ifdef __cplusplus
}
#endif
