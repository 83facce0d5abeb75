/* contact_bvh_kinds.h - the parameters of contact-bvh. */
#pragma once

#include "base/extern_c.h"
#include "force/contact/contact.h"

NB_C_BEGIN

extern const struct nb_force_kind nb_contact_bvh_kinds[]; /* for every device */

NB_C_END
