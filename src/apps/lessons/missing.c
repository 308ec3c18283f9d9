/* What POSIX has and a browser has not. The program says so in its own words and goes on or ends as
 * on a machine where a call fails. The linker puts __wrap_NAME in the place of NAME. */
#include <dlfcn.h>
#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/prctl.h>

void *__wrap_dlopen(const char *path, int mode);
char *__wrap_dlerror(void);

int prctl(int option, ...) {
    (void)option;
    errno = ENOSYS;
    return -1;
}

int at_quick_exit(void (*function)(void)) {
    (void)function;
    return -1;
}

void *__wrap_dlopen(const char *path, int mode) {
    (void)path;
    (void)mode;
    return NULL;
}

char *__wrap_dlerror(void) {
    static char text[] = "WebAssembly loads no shared objects";
    return text;
}
