#include "cli/cli.h"

#include <math.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* Whoever started the program knows within 20 s how long it will take: a line is due by then, and
 * where nothing is known yet, it waits a little. */
#define FIRST_LINE_S 15.0
#define UNKNOWN_S 4.0
#define NEXT_LINE_S 60.0

double cli_seconds_now(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

const char *cli_time_text(double seconds, char text[40]) {
    static const struct {
        double seconds;
        const char *name;
    } units[] = {{1, "s"}, {60, "min"}, {3600, "h"}, {86400, "days"}, {31557600, "years"}};
    size_t unit = 0;
    while (unit + 1 < sizeof units / sizeof *units && seconds >= 2 * units[unit + 1].seconds)
        unit++;
    double count = ceil(seconds / units[unit].seconds);
    snprintf(text, 40, count < 1e6 ? "%.0f %s" : "%.1e %s", count, units[unit].name);
    return text;
}

void cli_progress_begin(struct cli_progress *progress, const char *what, double total, bool quiet) {
    double now_s = cli_seconds_now(),
           due_s = progress->due_s > 0 ? progress->due_s : now_s + FIRST_LINE_S;
    *progress = (struct cli_progress){.what = what,
                                      .total = total,
                                      .quiet = quiet,
                                      .terminal = isatty(fileno(stderr)),
                                      .shown_percent = -1,
                                      .started_s = now_s,
                                      .due_s = due_s};
    cli_progress_look(progress);
}

/* What is left of the time, if the rest takes as long as what is done. */
static const char *left_text(double used_s, double part, char text[40]) {
    return cli_time_text(fmax(0, used_s) * (1 - part) / part, text);
}

static void print_bar(struct cli_progress *progress, double part, double now_s) {
    enum { WIDTH = 30 };
    char bar[WIDTH + 1], left[40], text[60] = "";
    int percent = (int)(100 * part);
    if (percent <= progress->shown_percent && now_s < progress->due_s)
        return;
    progress->shown_percent = percent;
    progress->due_s = now_s + 1;
    memset(bar, '.', WIDTH);
    memset(bar, '#', (size_t)(WIDTH * percent / 100));
    bar[WIDTH] = '\0';
    if (part > 0 && part < 1)
        snprintf(text, sizeof text, "%s left", left_text(now_s - progress->started_s, part, left));
    fprintf(stderr, "\r%-24.24s [%s] %3d %%  %-12s", progress->what, bar, percent, text);
    fflush(stderr);
}

static void print_line(struct cli_progress *progress, double part, double now_s) {
    char text[40];
    double used_s = now_s - progress->started_s;
    if (now_s < progress->due_s + (part > 0 ? 0 : UNKNOWN_S))
        return;
    progress->due_s = now_s + NEXT_LINE_S;
    if (part > 0)
        fprintf(stderr, "%s: %.*f %%, some %s left\n", progress->what, part < 0.01 ? 4 : 0,
                100 * part, left_text(used_s, part, text));
    else
        fprintf(stderr, "%s: 0 %% after %s: nothing is over yet\n", progress->what,
                cli_time_text(fmax(0, used_s), text));
}

void cli_progress_look(struct cli_progress *progress) {
    if (progress->quiet || !progress->what || atomic_flag_test_and_set(&progress->printing))
        return;
    double total = progress->total, part = total > 0 ? fmin(1, progress->done / total) : 0;
    double now_s = cli_seconds_now();
    if (progress->terminal)
        print_bar(progress, part, now_s);
    else
        print_line(progress, part, now_s);
    atomic_flag_clear(&progress->printing);
}

void cli_progress_set(void *context, double done, double total) {
    struct cli_progress *progress = context;
    if (total > 0)
        progress->total = total;
    progress->done = done;
    cli_progress_look(progress);
    if (!progress->quiet && done >= 0.1 * progress->total)
        cli_hold("COTENANT_HOLD_TENTH");
}

struct ct_listener cli_listener(struct cli_progress *progress) {
    return (struct ct_listener){cli_is_interrupted, cli_progress_set, progress};
}

void cli_progress_end(struct cli_progress *progress) {
    if (!progress->quiet && progress->terminal && progress->shown_percent >= 0)
        fprintf(stderr, "\r%79s\r", "");
    progress->what = NULL;
}
