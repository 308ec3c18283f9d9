/*
 * How an SM, and SMs with each other, are shared: experiments, each of which writes tables into a
 * folder (docs/measuring.md). Times are the GPU's own clock.
 *
 *   cotenant-measure-sm FOLDER issue|draw|ends|clusters|gpcs|clients|each ...
 *
 *   issue     how fast an older and a younger kernel compute on the same SMs, by warps of each
 *   draw      what kernels draw from memory on some of the SMs, by SMs and blocks on each
 *   ends      when the blocks of a kernel end
 *   clusters  how clusters of blocks find room beside a kernel on some of the SMs
 *   gpcs      which SMs are of one GPC, and what kernels draw on SMs of some of them
 *   clients   which SMs two clients of MPS share, each with a part of them: its daemon must run
 *   each      launches each kernel of `issue` for a profiler, and writes nothing
 */
#include "measure_sm.cuh"

#include <algorithm>
#include <string.h>

static void measure_clients(struct sm_bench *, const char *folder) {
    sm_clients(folder);
}

static void launch_each(struct sm_bench *bench, const char *) {
    sm_each(bench);
}

/* In the order in which they run; the device may be COLD, that is, not opened yet. */
static const struct experiment {
    const char *name;
    enum { COLD, OPEN, WARM } device;
    void (*measure)(struct sm_bench *bench, const char *folder);
} experiments[] = {{"clients", experiment::COLD, measure_clients},
                   {"each", experiment::OPEN, launch_each},
                   {"issue", experiment::WARM, sm_issue},
                   {"draw", experiment::WARM, sm_draw},
                   {"ends", experiment::WARM, sm_ends},
                   {"clusters", experiment::WARM, sm_clusters},
                   {"gpcs", experiment::WARM, sm_gpcs}};

static bool is_known(const char *name) {
    return std::any_of(std::begin(experiments), std::end(experiments),
                       [name](const struct experiment &e) { return !strcmp(e.name, name); });
}

int main(int argc, char **argv) {
    if (argc < 3 || !std::all_of(argv + 2, argv + argc, is_known)) {
        fprintf(stderr,
                "cotenant-measure-sm FOLDER issue|draw|ends|clusters|gpcs|clients|each ...\n");
        return 2;
    }
    struct sm_bench bench;
    int device = experiment::COLD;
    for (const struct experiment &e : experiments) {
        if (std::none_of(argv + 2, argv + argc,
                         [&e](const char *name) { return !strcmp(e.name, name); }))
            continue;
        for (; device < e.device; device++)
            (device == experiment::COLD ? sm_open : sm_warm_up)(&bench);
        double begin = sm_seconds();
        e.measure(&bench, argv[1]);
        printf("%s: %.1f s\n", e.name, sm_seconds() - begin);
        fflush(stdout);
    }
    return 0;
}
