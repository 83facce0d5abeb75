/* ranks_wait.c - waits for messages. Long waits include sleeps, which leave the core to other threads. A wait stops if
 * a rank has ended. Declared in ranks_state.h. */
#include "base/error.h"
#include "device/ranks/ranks_state.h"

#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#define SPIN_S    50e-6 /* duration in seconds of active waiting for an answer that may come immediately */
#define YIELD_S   1e-3
#define LONGEST_S 1e-3 /* maximum time of one sleep, seconds */
#define CHECK_S   5e-3
/* Values of nb_ranks.lost that are not the number of a rank: */
#define SILENT NB_GROUP_MAX       /* the other ranks do not answer, and it is unknown which of them failed */
#define ALARM  (NB_GROUP_MAX + 1) /* ALARM + k: rank k sent an alarm */

double nb_ranks_clock(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

int nb_ranks_check(struct nb_ranks *r)
{
    const int lost = atomic_load(&r->lost);
    if (lost < 0)
        return 0;
    if (lost > SILENT)
        nb_fail("rank %d: %s", lost - ALARM, r->alarm[lost - ALARM].why);
    else if (lost == SILENT)
        nb_fail("the other ranks have not answered since this run received a signal to end (the messages of mpirun "
                "may tell why)");
    else
        nb_fail("rank %d has ended", lost);
    errno = NB_RANK_LOST;
    return -1;
}

/* Checks whether ranks of this host have ended. Ranks on other hosts are not checked: if one ends, the launcher (such
 * as mpirun) sends this process a signal. */
static void look_for_ended(struct nb_ranks *r)
{
    for (int k = 0; k < r->place.count; k++)
        if (r->seen[k] && kill((pid_t)r->hello[k].pid, 0) && errno == ESRCH)
            atomic_store(&r->lost, k);
}

/* On rank 0: sets `lost` to SILENT if rank 0 still waits for other ranks `patience_s` seconds after a signal. It waits
 * so long because the other ranks may still answer: after a signal, the launcher (such as mpirun) does not kill them at
 * once, and rank 0 may need their answers to finish its frames. */
static void look_at_signal(struct nb_ranks *r, double now)
{
    const double came_s = atomic_load(&r->signal_s);
    if (r->place.number > 0 || !r->program->signalled())
        return;
    if (came_s == 0)
        atomic_store(&r->signal_s, now);
    else if (now - came_s > r->program->patience_s && atomic_load(&r->lost) < 0)
        atomic_store(&r->lost, SILENT);
}

/* On rank 0: raises an alarm, so that the other threads of rank 0 stop waiting. */
static void alarm_own(struct nb_ranks *r, const struct nb_rank_alarm *alarm)
{
    pthread_mutex_lock(&r->alarms);
    if (atomic_load(&r->lost) < 0) {
        r->alarm[0] = *alarm;
        atomic_store(&r->lost, ALARM);
    }
    pthread_mutex_unlock(&r->alarms);
}

void nb_ranks_alarm(struct nb_ranks *r)
{
    const int error_number = errno;
    struct nb_rank_alarm alarm;
    if (atomic_load(&r->lost) >= 0)
        return;
    snprintf(alarm.why, sizeof alarm.why, "%s", nb_error());
    if (r->place.number > 0)
        nb_ranks_send(r, 0, NB_TAG_ALARM, &alarm, sizeof alarm);
    else
        alarm_own(r, &alarm);
    nb_fail("%s", alarm.why);
    errno = error_number;
}

int nb_ranks_expect_alarms(struct nb_ranks *r)
{
    for (int k = 1; k < r->place.count && r->place.number == 0; k++)
        if (r->transport->receive(r->self, k, NB_TAG_ALARM, &r->alarm[k], sizeof r->alarm[k], &r->alarmed[k]))
            return -1;
    return 0;
}

static void look_for_alarms(struct nb_ranks *r)
{
    pthread_mutex_lock(&r->alarms);
    for (int k = 1; k < r->place.count; k++) /* only rank 0 receives alarms: on other ranks `active` is false */
        if (!atomic_load(&r->ending) && r->alarmed[k].active && atomic_load(&r->lost) < 0 &&
            r->transport->test(r->self, &r->alarmed[k]) > 0)
            atomic_store(&r->lost, ALARM + k);
    pthread_mutex_unlock(&r->alarms);
}

int nb_ranks_pause(struct nb_ranks *r, struct nb_rank_patience *p)
{
    const double now = nb_ranks_clock();
    if (p->since == 0)
        p->since = p->checked = now;
    const double waited = now - p->since;
    if (now - p->checked > CHECK_S) {
        look_for_ended(r);
        look_at_signal(r, now);
        look_for_alarms(r);
        p->checked = now;
    }
    if (nb_ranks_check(r))
        return -1;
    if (waited < SPIN_S && r->place.processors >= 2 * r->place.sharers)
        return 0;
    if (waited < YIELD_S) {
        sched_yield();
        return 0;
    }
    const double sleep_s = waited / 16 < LONGEST_S ? waited / 16 : LONGEST_S;
    nanosleep(&(struct timespec){0, (long)(1e9 * sleep_s)}, NULL);
    return 0;
}

int nb_ranks_wait(struct nb_ranks *r, struct nb_request *q)
{
    struct nb_rank_patience patience = {0};
    while (q->active) {
        if (nb_ranks_check(r))
            return -1;
        const int done = r->transport->test(r->self, q);
        if (done < 0)
            return -1;
        if (done == 0 && nb_ranks_pause(r, &patience))
            return -1;
    }
    return 0;
}

int nb_ranks_send(struct nb_ranks *r, int to, int tag, const void *p, size_t size_bytes)
{
    struct nb_request q = {0};
    return nb_ranks_check(r) || r->transport->send(r->self, to, tag, p, size_bytes, &q) || nb_ranks_wait(r, &q) ? -1
                                                                                                                : 0;
}

int nb_ranks_receive(struct nb_ranks *r, int from, int tag, void *p, size_t size_bytes, size_t *got)
{
    struct nb_request q = {0};
    if (nb_ranks_check(r) || r->transport->receive(r->self, from, tag, p, size_bytes, &q) || nb_ranks_wait(r, &q))
        return -1;
    if (got)
        *got = q.size_bytes;
    return 0;
}
