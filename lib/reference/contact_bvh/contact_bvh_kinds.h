/* contact_bvh_kinds.h - parameters of contact-bvh, the same for every device. */
#pragma once

#include "base/extern_c.h"
#include "force/contact/contact.h"

NB_C_BEGIN

extern const struct nb_force_kind nb_contact_bvh_kinds[];

NB_C_END
