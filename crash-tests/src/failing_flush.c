// Preloaded into a process whose disk is to fail: flushes of SQLite's log are counted, those from
// FLUSH_FAILS_FROM to before FLUSH_FAILS_TO report an error, and with the one numbered FLUSH_KILLS the
// process dies. What was to be flushed has been written, so whoever reads the file finds it.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static atomic_long flushes;

static long number(const char *name) {
    const char *text = getenv(name);
    return text ? atol(text) : 0;
}

static int is_log(int file) {
    char link[64], path[4096];
    snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    ssize_t length = readlink(link, path, sizeof path);
    return length > 4 && memcmp(path + length - 4, "-wal", 4) == 0;
}

static int flush(int file, const char *name) {
    if (is_log(file)) {
        long flush = atomic_fetch_add(&flushes, 1) + 1;
        if (flush == number("FLUSH_KILLS")) {
            raise(SIGKILL);
        }
        if (flush >= number("FLUSH_FAILS_FROM") && flush < number("FLUSH_FAILS_TO")) {
            fprintf(stderr, "flush %ld fails\n", flush);
            errno = EIO;
            return -1;
        }
    }
    int (*real)(int) = (int (*)(int))dlsym(RTLD_NEXT, name);
    return real(file);
}

int fsync(int file) { return flush(file, "fsync"); }

int fdatasync(int file) { return flush(file, "fdatasync"); }
