/* Fails the nth call that changes or reads a file, for tests/test_faults.py: loaded before the C library.

   FAIL_WHAT   "write" (write, fsync, rename, ftruncate and creating files) or "read"
   FAIL_NTH    which of them, from 1; 0 counts only
   FAIL_COUNT  a file that the number of calls is written to at the end

   Only files below FAIL_UNDER are counted, so that pipes and libraries are left alone. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <sys/uio.h>
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

int open64(const char *path, int flags, ...) {
    mode_t mode = 0;
    if (flags & O_CREAT) { va_list rest; va_start(rest, flags); mode = va_arg(rest, mode_t); va_end(rest); }
    if (creates(flags)) { errno = EACCES; return -1; }
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
