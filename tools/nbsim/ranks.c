/* ranks.c - joins the processes of a run that mpirun or srun started. Rank 0 executes the run. Each other rank opens a
 * device and computes on it what rank 0 asks for. */
#include "device/ranks.h"
#include "device/choose.h"
#include "force/force_remote.h"
#include "nbsim.h"
#include "simd/simd.h"

#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct nb_ranks *ranks; /* ranks of this run; NULL: a single process */
static char version[160];
static unsigned grace_s; /* seconds for which ranks above 0 continue to serve after a signal */

/* ---- callbacks of the library ---- */

static bool is_signalled(void)
{
    return tool_signal != 0;
}

/* Sets the number of threads, and on ranks above 0 the instruction set of --kernel. The number of threads is the value
 * of --threads, otherwise OMP_NUM_THREADS, otherwise (number of processors) / (number of ranks that share them).
 * Returns -1 after nb_fail. */
static int set(const struct nb_ranks_setting *s, const struct nb_ranks_place *place)
{
    if (place->number > 0 && s->kernel[0] && nb_simd_choose(s->kernel))
        return -1;
    if (s->threads > 0)
        omp_set_num_threads(s->threads);
    else if (!getenv("OMP_NUM_THREADS"))
        omp_set_num_threads(place->processors > place->sharers ? place->processors / place->sharers : 1);
    return 0;
}

static struct nb_ranks_program program = {
    .version = version,
    .signalled = is_signalled,
    .set = set,
    .serve = nb_force_serve,
};

/* ---- ranks above 0 ---- */

/* Handles signals on ranks above 0. Does not end the process at the first signal. Rank 0 also receives the signal, and
 * needs the other ranks to finish its frames. If rank 0 does not end these ranks, they end after grace_s seconds. */
static void on_signal(int number)
{
    if (tool_signal)
        _exit(128 + tool_signal);
    tool_signal = number;
    alarm(grace_s);
}

static noreturn void serve(void)
{
    static const int numbers[] = {SIGINT, SIGTERM, SIGHUP, SIGALRM};
    for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++)
        sigaction(numbers[k], &(struct sigaction){.sa_handler = on_signal, .sa_flags = SA_RESTART}, NULL);
    signal(SIGUSR1, SIG_IGN); /* mpirun passes this signal to all ranks, but only rank 0 prints the progress */
    const int status = nb_ranks_serve(ranks);
    nb_ranks_end(ranks);
    exit(status ? TOOL_FAILED : TOOL_OK);
}

/* ---- joining ---- */

static void leave(void)
{
    nb_ranks_end(ranks);
}

/* Sets how long ranks continue after a signal. After SIGTERM, mpirun waits before it sends SIGKILL, by default for 1 s.
 * Rank 0 waits for the other ranks for half of this delay. The other ranks serve rank 0 for the entire delay, but at
 * least for SIM_RANKS_GRACE_S seconds. */
static void set_times(void)
{
    const char *text = getenv("OMPI_MCA_odls_base_sigkill_timeout");
    const double asked_s = text ? atof(text) : 1, allowed_s = asked_s > 0 && asked_s < 1e6 ? asked_s : 1;
    program.patience_s = allowed_s / 2;
    grace_s = allowed_s > SIM_RANKS_GRACE_S ? (unsigned)ceil(allowed_s) : SIM_RANKS_GRACE_S;
}

void sim_ranks_begin(void)
{
    if (tool_rank_count() < 2 || !nb_transport_compiled)
        return;
    snprintf(version, sizeof version, "%s, commit %s, CUDA %s", TOOL_VERSION, tool_commit(), tool_cuda());
    set_times();
    ranks = nb_ranks_begin(nb_transport_compiled, &program);
    if (!ranks && tool_rank_number() > 0) /* rank 0 prints the reason */
        exit(TOOL_FAILED);
    if (!ranks)
        die("%s", nb_error());
    tool_ranks_joined();
    if (nb_ranks_place(ranks)->number > 0)
        serve();
    atexit(leave);
}

struct nb_device *sim_device_open(const struct sim_options *o, const char *name)
{
    struct nb_ranks_setting setting = {.threads = tool_options.threads};
    if (!ranks)
        return nb_device_choose(name);
    if (o->run.device && strchr(o->run.device, ':') && !o->resume)
        die_usage("--device %s: with several ranks, each rank chooses its own device (use cuda or cpu)", o->run.device);
    if (o->kernel)
        snprintf(setting.kernel, sizeof setting.kernel, "%s", o->kernel);
    return nb_ranks_open(ranks, name, &setting);
}
