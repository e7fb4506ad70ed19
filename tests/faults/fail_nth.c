/* Fails the nth call that changes or reads a file, or asks for memory or a thread, for tests/test_faults.py: loaded before the C library.

   FAIL_WHAT   "write" (write, fsync, rename and creating files), "read", "memory", "thread" (starting one), or "nothing"
   FAIL_NTH    which of them, from 1; 0 counts only
   FAIL_COUNT  a file that the number of calls is written to at the end
   FAIL_CLOCK  a number of seconds: every other time that a clock is read, it is that far ahead
   FAIL_OPENED a file that the path of every file that is opened is appended to

   Only files below FAIL_UNDER are counted, so that pipes and libraries are left alone. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

static atomic_long calls;

static int ours(int fd) {
    const char *under = getenv("FAIL_UNDER");
    char link[64], path[4096];
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t length = readlink(link, path, sizeof path - 1);
    if (length < 0 || !under) return 0;
    path[length] = 0;
    return strncmp(path, under, strlen(under)) == 0;
}

static int fails(const char *what) {
    const char *wanted = getenv("FAIL_WHAT"), *nth = getenv("FAIL_NTH");
    if (!wanted || !nth || strcmp(wanted, what) != 0) return 0;
    return atomic_fetch_add(&calls, 1) + 1 == atol(nth);
}

__attribute__((destructor)) static void tell(void) {
    const char *file = getenv("FAIL_COUNT");
    if (!file) return;
    FILE *out = fopen(file, "w");
    if (out) {
        fprintf(out, "%ld", (long)calls);
        fclose(out);
    }
}

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

ssize_t write(int fd, const void *bytes, size_t size) {
    if (ours(fd) && fails("write")) { errno = ENOSPC; return -1; }
    return REAL(write)(fd, bytes, size);
}

ssize_t writev(int fd, const struct iovec *parts, int count) {
    if (ours(fd) && fails("write")) { errno = ENOSPC; return -1; }
    return REAL(writev)(fd, parts, count);
}

int fsync(int fd) {
    if (ours(fd) && fails("write")) { errno = EIO; return -1; }
    return REAL(fsync)(fd);
}

int rename(const char *from, const char *to) {
    if (fails("write")) { errno = EIO; return -1; }
    return REAL(rename)(from, to);
}

static int creates(int flags) { return (flags & O_CREAT) && fails("write"); }

static void opened(const char *path) {
    const char *file = getenv("FAIL_OPENED");
    if (!file) return;
    int out = REAL(open64)(file, O_WRONLY | O_CREAT | O_APPEND, 0600);
    if (out < 0) return;
    char line[4096];
    int length = snprintf(line, sizeof line, "%s\n", path);
    if (length > 0 && length < (int)sizeof line) { ssize_t ignored = REAL(write)(out, line, length); (void)ignored; }
    close(out);
}

int open64(const char *path, int flags, ...) {
    mode_t mode = 0;
    if (flags & O_CREAT) { va_list rest; va_start(rest, flags); mode = va_arg(rest, mode_t); va_end(rest); }
    if (creates(flags)) { errno = EACCES; return -1; }
    opened(path);
    return REAL(open64)(path, flags, mode);
}

ssize_t read(int fd, void *bytes, size_t size) {
    if (ours(fd) && fails("read")) { errno = EIO; return -1; }
    return REAL(read)(fd, bytes, size);
}

ssize_t pread64(int fd, void *bytes, size_t size, off64_t at) {
    if (ours(fd) && fails("read")) { errno = EIO; return -1; }
    return REAL(pread64)(fd, bytes, size, at);
}

/* Memory: what the program asks for itself, not the C library for its own tables, which ends the process where it cannot have them.
   The names that begin with two underscores are that library's own, which need no dlsym (it allocates itself). */
extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);
/* Where the program is in memory. */
static char *first, *last;

static int program(struct dl_phdr_info *about, size_t size, void *unused) {
    (void)size, (void)unused;
    first = (char *)-1;
    for (int i = 0; i < about->dlpi_phnum; i++) {
        if (about->dlpi_phdr[i].p_type != PT_LOAD) continue;
        char *from = (char *)(about->dlpi_addr + about->dlpi_phdr[i].p_vaddr), *to = from + about->dlpi_phdr[i].p_memsz;
        if (from < first) first = from;
        if (to > last) last = to;
    }
    return 1; /* The program is the first that is told of. */
}

static int starved(void *caller) {
    /* Whoever asks first, the loader, has no environment yet. */
    if (!environ) return 0;
    if (!last) dl_iterate_phdr(program, NULL);
    if ((char *)caller < first || (char *)caller >= last || !fails("memory")) return 0;
    errno = ENOMEM;
    return 1;
}

#define STARVED starved(__builtin_return_address(0))

void *malloc(size_t size) { return STARVED ? NULL : __libc_malloc(size); }
void *calloc(size_t count, size_t size) { return STARVED ? NULL : __libc_calloc(count, size); }
void *realloc(void *old, size_t size) { return STARVED ? NULL : __libc_realloc(old, size); }

int posix_memalign(void **out, size_t align, size_t size) {
    if (STARVED) return ENOMEM;
    *out = __libc_memalign(align, size);
    return *out ? 0 : ENOMEM;
}

/* From the nth on: a process that may have no more threads has none a moment later. */
int pthread_create(pthread_t *thread, const pthread_attr_t *how, void *(*start)(void *), void *with) {
    static atomic_int none;
    if (fails("thread")) none = 1;
    return none ? EAGAIN : REAL(pthread_create)(thread, how, start, with);
}

int clock_gettime(clockid_t clock, struct timespec *now) {
    static atomic_long reads;
    int answer = REAL(clock_gettime)(clock, now);
    const char *ahead = getenv("FAIL_CLOCK");
    if (ahead && answer == 0 && atomic_fetch_add(&reads, 1) % 2) now->tv_sec += atol(ahead);
    return answer;
}
