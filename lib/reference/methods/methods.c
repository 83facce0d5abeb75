#include "reference/methods/methods.h"

const char *nb_methods_refuse(enum nb_precision precision, unsigned want)
{
    (void)precision;
    return want & (NB_WANT_JERK | NB_WANT_SNAP) ? "it gives acceleration and potential alone (--force direct has more)"
                                                : NULL;
}
