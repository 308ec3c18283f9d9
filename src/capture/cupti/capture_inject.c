/*
 * The entry points. CUDA calls InitializeInjection of the library that CUDA_INJECTION64_PATH names,
 * NVTX calls InitializeInjectionNvtx2 of the one that NVTX_INJECTION64_PATH names; whichever comes
 * first starts the recording. docs/capture.md lists the variables.
 */
#include "capture/cupti/capture_cupti.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define ENTRY __attribute__((visibility("default")))
ENTRY int InitializeInjection(void);
ENTRY int InitializeInjectionNvtx2(void *export_table);

enum { BUFFER_MB = 64, MOST_RECORDS = 10000000 };

/* "%p" becomes the number of the process, "%%" a percent sign. False when the result is too long.
 */
static bool expand(const char *text, char *result, size_t size) {
    size_t used = 0;
    for (const char *c = text; *c && used < size; c++) {
        int wrote = 1;
        if (c[0] == '%' && c[1] == 'p') {
            wrote = snprintf(result + used, size - used, "%ld", (long)getpid());
            c++;
        } else {
            c += c[0] == '%' && c[1] == '%';
            result[used] = *c;
        }
        used += (size_t)wrote;
    }
    if (used < size)
        result[used] = '\0';
    return used < size;
}

/* An unset variable is its standard. False, with a message, when the number is none or outside. */
static bool number_of(const char *name, double standard, double least, double most,
                      double *number) {
    const char *text = getenv(name);
    char *end = NULL;
    *number = text && *text ? strtod(text, &end) : standard;
    if (!end || (end != text && !*end && *number >= least && *number <= most))
        return true;
    capture_say("off: %s is '%s': a number from %g to %g is expected", name, text, least, most);
    return false;
}

/* The program may change its folder before it ends. */
static bool make_absolute(char *path, size_t size) {
    char folder[2000], relative[sizeof((struct capture_settings *)NULL)->out];
    if (path[0] == '/')
        return true;
    memcpy(relative, path, size);
    return getcwd(folder, sizeof folder) &&
           snprintf(path, size, "%s/%s", folder, relative) < (int)size;
}

static bool text_of(const char *name, const char *standard, char *result, size_t size) {
    const char *text = getenv(name);
    if (expand(text && *text ? text : standard, result, size))
        return true;
    capture_say("off: %s is too long", name);
    return false;
}

static bool jobs_make_sense(const char *jobs) {
    struct import_options options = {0};
    struct ct_diags diags = {0};
    bool right = import_parse_jobs(jobs, "COTENANT_CAPTURE_JOBS", &options, &diags) == CT_OK;
    if (!right)
        capture_say("off: %s", diags.count ? diags.items[0].text : "out of memory");
    ct_diags_free(&diags);
    return right;
}

static bool read_settings(struct capture_settings *s) {
    double records = 0, buffer_mb = 0, quiet = 0;
    bool right = text_of("COTENANT_CAPTURE_OUT", "capture-%p.db", s->out, sizeof s->out) &&
                 text_of("COTENANT_CAPTURE_APP", "capture", s->app, sizeof s->app) &&
                 text_of("COTENANT_CAPTURE_GPU", "", s->gpu, sizeof s->gpu) &&
                 text_of("COTENANT_CAPTURE_JOBS", "whole", s->jobs, sizeof s->jobs) &&
                 number_of("COTENANT_CAPTURE_RECORDS", MOST_RECORDS, 1, 4e9, &records) &&
                 number_of("COTENANT_CAPTURE_BUFFER_MB", BUFFER_MB, 2, 65536, &buffer_mb) &&
                 number_of("COTENANT_CAPTURE_SAVE_S", 0, 0, 1e6, &s->save_s) &&
                 number_of("COTENANT_CAPTURE_QUIET", 0, 0, 1, &quiet) && jobs_make_sense(s->jobs);
    if (right && !make_absolute(s->out, sizeof s->out)) {
        capture_say("off: the folder is not known, or its name is too long");
        right = false;
    }
    s->most_records = (uint64_t)records;
    s->buffer_bytes = (uint64_t)(buffer_mb * 1024 * 1024);
    s->quiet = quiet > 0;
    return right;
}

static pid_t starter;

static void start(void) {
    struct capture_settings settings = {.quiet = false};
    starter = getpid();
    if (!read_settings(&settings))
        return;
    bool ranges =
        strncmp(settings.jobs, "nvtx:", 5) == 0 || strncmp(settings.jobs, "from:", 5) == 0;
    if (ranges && !getenv("NVTX_INJECTION64_PATH"))
        capture_say("ranges are seen only with NVTX_INJECTION64_PATH set to this library, too");
    capture_cupti_start(getenv("COTENANT_CAPTURE_CUPTI"), ranges, &settings);
}

static void start_once(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, start);
}

/* 1: CUDA goes on. A program must never fail because it is not recorded. */
int InitializeInjection(void) {
    start_once();
    if (starter != getpid()) /* NVTX, used before CUDA, had us start in the parent */
        capture_say("off: this process was forked after the recording of its parent began");
    return 1;
}

int InitializeInjectionNvtx2(void *export_table) {
    int (*next)(void *);
    start_once();
    void *symbol = capture_cupti_nvtx();
    memcpy(&next, &symbol, sizeof next);
    return next ? next(export_table) : 0;
}
