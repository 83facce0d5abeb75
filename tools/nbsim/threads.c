/* threads.c - measures how long steps take with all threads and with one thread, and uses the faster of the two. */

#include "threads.h"

#include <math.h>
#include <omp.h>

#define TRIAL_S 0.04 /* duration of a trial with each number of threads, seconds */
/* a trial begins only if a step with one thread takes less than this fraction of the time since the last trial */
#define TRIAL_SHARE 0.05
#define HOLD_S      0.5 /* time until the next trial, seconds; doubled each time the result stays the same */
/* maximum time until the next trial, seconds */
#define HOLD_MOST_S 60

static void use(struct sim_threads *t, int way)
{
    t->way = way;
    omp_set_num_threads(way == SIM_ALL_THREADS ? t->all : 1);
}

static void begin_trial(struct sim_threads *t)
{
    t->trying = true;
    for (int way = 0; way < 2; way++)
        t->took_s[way] = t->work[way] = 0;
}

void sim_threads_begin(struct sim_threads *t, int all, bool few)
{
    *t = (struct sim_threads){.all = all, .hold_s = HOLD_S};
    if (all == 1)
        return;
    use(t, few ? SIM_ONE_THREAD : SIM_ALL_THREADS);
    begin_trial(t);
}

static double rate(const struct sim_threads *t, int way)
{
    return t->work[way] / fmax(t->took_s[way], 1e-9);
}

/* Uses the faster number of threads from now on, and sets the time to the next trial. */
static void decide(struct sim_threads *t)
{
    const int best = rate(t, SIM_ONE_THREAD) > rate(t, SIM_ALL_THREADS) ? SIM_ONE_THREAD : SIM_ALL_THREADS;
    t->hold_s = best == t->chosen ? fmin(2 * t->hold_s, HOLD_MOST_S) : HOLD_S;
    t->chosen = best;
    t->trying = false;
    t->held_s = 0;
    use(t, best);
}

/* Returns whether the trial can end. A trial first uses one number of threads (all or 1) for TRIAL_S seconds, and then
 * the other number. It ends after TRIAL_S seconds with the second number, or earlier if the second number is less than
 * half as fast as the first. */
static bool is_clear(const struct sim_threads *t)
{
    const int other = !t->way;
    return t->took_s[other] >= TRIAL_S && (t->took_s[t->way] >= TRIAL_S || rate(t, t->way) < 0.5 * rate(t, other));
}

/* Returns whether a trial costs little compared with the time since the last trial. step_s: duration of a step with all
 * threads. Assumes the worst case: a step with one thread takes t->all times as long. */
static bool is_cheap(const struct sim_threads *t, double step_s)
{
    return step_s * t->all < TRIAL_SHARE * t->held_s;
}

bool sim_threads_note(struct sim_threads *t, uint64_t steps, uint64_t evaluations, double took_s)
{
    if (t->all == 1 || steps == 0)
        return false;
    t->held_s += took_s;
    if (!t->trying) {
        if (t->held_s >= t->hold_s && is_cheap(t, took_s / (double)steps))
            begin_trial(t);
        return false;
    }
    t->took_s[t->way] += took_s;
    t->work[t->way] += (double)(evaluations > 0 ? evaluations : steps);
    if (is_clear(t)) {
        decide(t);
        return true;
    }
    if (t->took_s[t->way] < TRIAL_S || t->took_s[!t->way] >= TRIAL_S)
        return false;
    if (t->way == SIM_ALL_THREADS && !is_cheap(t, took_s / (double)steps)) {
        t->trying = false;
        return false;
    }
    use(t, !t->way);
    return true;
}
