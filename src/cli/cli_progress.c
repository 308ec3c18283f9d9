#include "cli/cli.h"

#include <string.h>
#include <time.h>
#include <unistd.h>

double cli_seconds_now(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

void cli_progress_begin(struct cli_progress *progress, const char *what, uint64_t total,
                        bool quiet) {
    double now_s = cli_seconds_now();
    *progress = (struct cli_progress){.what = what,
                                      .total = total,
                                      .quiet = quiet,
                                      .terminal = isatty(fileno(stderr)),
                                      .shown_percent = -1,
                                      .started_s = now_s,
                                      .shown_s = now_s};
    cli_progress_set(progress, 0);
}

static void print_bar(struct cli_progress *progress, int percent) {
    enum { WIDTH = 30 };
    char bar[WIDTH + 1];
    if (percent <= progress->shown_percent)
        return;
    double now_s = cli_seconds_now(),
           used_s = now_s > progress->started_s ? now_s - progress->started_s : 0;
    progress->shown_percent = percent;
    memset(bar, '.', WIDTH);
    memset(bar, '#', (size_t)(WIDTH * percent / 100));
    bar[WIDTH] = '\0';
    fprintf(stderr, "\r%-24.24s [%s] %3d %%", progress->what, bar, percent);
    if (percent > 0 && percent < 100)
        fprintf(stderr, "  %.0f s left ", used_s * (100 - percent) / percent);
    else
        fprintf(stderr, "%14s", "");
    fflush(stderr);
}

static void print_line(struct cli_progress *progress, int percent) {
    static const double between_s = 60;
    double now_s = cli_seconds_now();
    if (now_s - progress->shown_s < between_s)
        return;
    progress->shown_s = now_s;
    fprintf(stderr, "%s: %d %%\n", progress->what, percent);
}

void cli_progress_set(struct cli_progress *progress, uint64_t done) {
    progress->done = done;
    if (progress->quiet || !progress->total)
        return;
    int percent =
        done >= progress->total ? 100 : (int)(100.0 * (double)done / (double)progress->total);
    if (progress->terminal)
        print_bar(progress, percent);
    else
        print_line(progress, percent);
    if (percent >= 10)
        cli_hold("COTENANT_HOLD_TENTH");
}

void cli_progress_end(struct cli_progress *progress) {
    if (!progress->quiet && progress->terminal && progress->shown_percent >= 0)
        fprintf(stderr, "\r%79s\r", "");
}
