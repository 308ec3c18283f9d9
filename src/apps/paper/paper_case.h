/* The mixes of a paper's suite, and what a mix changes in its workload. */
#ifndef PAPER_CASE_H
#define PAPER_CASE_H

#include "apps/paper/paper_file.h"
#include "models/device/dram.h"

/* Applications of a suite by number, the high-priority one first where the suite has one. */
struct paper_mix {
    uint32_t apps[PAPER_MIX_MOST], count;
    char kinds[PAPER_MIX_MOST + 1]; /* their kinds, sorted: "CM" */
};

/* All combinations in the order of the file, where one arrives after the other in each order; or as
 * many drawn, without repetition within a mix. `mixes` in the arena. enum ct_status. */
int paper_mixes(const struct paper_suite *suite, uint64_t seed, struct ct_arena *arena,
                struct paper_mix **mixes, size_t *count, struct ct_diags *diags);

/* "imc+BFS": applications in the order of the mix. */
enum { PAPER_MIX_NAME = 200 };
void paper_mix_name(const struct paper_suite *suite, const struct paper_mix *mix,
                    char name[PAPER_MIX_NAME]);

/* Whether a row is about this mix. */
bool paper_row_has_mix(const struct paper_row *row, const struct paper_suite *suite,
                       const struct paper_mix *mix);

/* Whether a row's value is of this policy, alone or against another. */
bool paper_row_names(const struct paper_row *row, const char *policy);

/* A value in the row's unit. */
double paper_row_shown(const struct paper_row *row, double value);

/* A level by its number; 0: the suite has none. */
double paper_level(const struct paper_suite *suite, uint32_t number);

/* Whether a row is about this level, or there is none. */
bool paper_row_has_level(const struct paper_row *row, double level);

/* An application as one kernel on a GPU: the slower of its two times, as one. */
struct paper_roof {
    double duration_ms;      /* of each of its kernels */
    double compute_fraction; /* of that; at least 0.001 */
    double dram_fraction, unit_fraction;
};
struct paper_roof paper_roof_of(const struct paper_roofline *roofline, const struct gpu *gpu,
                                double issue_width, double row_hits);

/* A service's arrivals and target after its runs alone; 0: as in its object. */
struct paper_service {
    double rate_per_s, qos_ms; /* without a rate there is a target */
};

/* What one run of a mix is given beside its document. */
struct paper_case {
    const struct paper_suite *suite;
    const struct paper_mix *mix;
    const struct gpu *gpu;               /* of the suite */
    const struct paper_service *service; /* of its first application; NULL: as in its object */
    double level;                        /* 0: none */
    uint64_t seed, draw;
};

/* How often its service is asked, on average. */
uint32_t paper_queries(const struct paper_suite *suite, uint64_t draw);

/* How long it takes to ask its service so often; one client, if each query takes all its target. */
double paper_duration_s(const struct paper_case *one);

/* `--set` assignments; at most `most`, in the arena. Their number, or `most` + 1 where memory ran
 * out. */
enum { PAPER_ASSIGNMENTS_MOST = 12 * PAPER_MIX_MOST + PAPER_VARIANT_MOST + 2 };
size_t paper_assignments(const struct paper_case *one, const char *assignments[],
                         struct ct_arena *arena);

#endif
