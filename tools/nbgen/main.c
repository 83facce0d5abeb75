/* nbgen - writes a snapshot of a model. */
#include "nbgen.h"

int main(int argc, char **argv)
{
    const struct gen_model *model = gen_model_choose(argc, argv);
    struct gen_plan *plan = gen_plan_make(model, argc - 1, argv + 1);
    gen_centre(plan);
    gen_write(plan);
    return TOOL_OK;
}
