/* tool_ranks.c - detects whether mpirun started several processes. Only nbsim with MPI shares the work among these
 * processes. All other tools refuse to run: each process would do the entire work, and all would write to the same
 * output. */
#include "common/tool.h"

#include <stdlib.h>
#include <unistd.h>

static bool joined;

static int number_in(const char *variable, int otherwise)
{
    const char *text = getenv(variable);
    const int number = text ? atoi(text) : otherwise;
    return number >= 0 ? number : otherwise;
}

/* Returns whether the process was started by PMIx (`srun --mpi=pmix` of Slurm), not by mpirun. */
static bool is_by_pmix(void)
{
    return getenv("PMIX_RANK") && !getenv("OMPI_COMM_WORLD_SIZE");
}

int tool_rank_count(void)
{
    return is_by_pmix() ? number_in("SLURM_STEP_NUM_TASKS", 1) : number_in("OMPI_COMM_WORLD_SIZE", 1);
}

int tool_rank_number(void)
{
    return number_in(is_by_pmix() ? "PMIX_RANK" : "OMPI_COMM_WORLD_RANK", 0);
}

bool tool_is_terminal(int fd)
{
    return isatty(fd) && !(fd == STDOUT_FILENO && getenv("OMPI_COMM_WORLD_SIZE"));
}

void tool_ranks_joined(void)
{
    joined = true;
}

void tool_ranks_refuse(void)
{
    /* srun also uses PMIx to start independent processes, so processes started by PMIx are not refused */
    if (joined || tool_rank_count() < 2 || is_by_pmix())
        return;
    if (tool_rank_number() > 0) /* only rank 0 prints the message */
        exit(TOOL_OK);
    die_usage(
        "mpirun started %d processes of a program without MPI (only nbsim can use MPI, and nbsim --version says whether "
        "it can; to run independent processes, unset OMPI_COMM_WORLD_SIZE)",
        tool_rank_count());
}
