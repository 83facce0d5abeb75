/* Functions of glibc that its libgomp.a calls, for programs linked statically with musl. */
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <unistd.h>

long __sysconf(int name);
long __sysconf(int name)
{
    return sysconf(name);
}

/* Threads stay where the system puts them. */
int pthread_attr_setaffinity_np(pthread_attr_t *attributes, size_t size, const cpu_set_t *set);
int pthread_attr_setaffinity_np(pthread_attr_t *attributes, size_t size, const cpu_set_t *set)
{
    (void)attributes, (void)size, (void)set;
    return ENOSYS;
}
