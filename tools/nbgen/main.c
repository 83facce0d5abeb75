/* main.c - nbgen writes a snapshot of a model. */
#include "nbgen.h"

int main(int argc, char **argv)
{
    const struct gen_model *model = gen_model_choose(argc, argv);
    if (model->run)
        model->run(model, argc - 1, argv + 1);
    else
        gen_write(gen_plan_make(model, argc - 1, argv + 1));
    return TOOL_OK;
}
