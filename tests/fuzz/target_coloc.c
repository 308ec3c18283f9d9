#include "fuzz.h"
#include "ingest/coloc_reader.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool known_above_zero(double number) {
    return isfinite(number) && number > 0;
}

static void judge_set(const struct coloc_set *set) {
    uint32_t *families = calloc(set->apps.count + 1, sizeof *families);
    FUZZ_OWES(families && set->solos.count > 0 && set->pairs.count > 0);
    for (size_t i = 0; i < set->solos.count; i++) {
        const struct coloc_solo *s = &set->solos.items[i];
        FUZZ_OWES(s->app < set->apps.count && s->measurements > 0);
        FUZZ_OWES(s->quota_pct >= 1 && s->quota_pct <= 100 && known_above_zero(s->latency_ms));
        FUZZ_OWES(isnan(s->l2) || (s->l2 >= 0 && s->l2 <= 1));
        FUZZ_OWES(isnan(s->dram) || (s->dram >= 0 && s->dram <= 1));
        FUZZ_OWES(isnan(s->launches) || (isfinite(s->launches) && s->launches >= 0));
    }
    for (size_t i = 0; i < set->pairs.count; i++) {
        const struct coloc_pair *p = &set->pairs.items[i];
        for (int side = 0; side < 2; side++) {
            FUZZ_OWES(p->solos[side] < set->solos.count);
            FUZZ_OWES(isnan(p->latency_ms[side]) || known_above_zero(p->latency_ms[side]));
        }
        FUZZ_OWES(!isnan(p->latency_ms[0]) || !isnan(p->latency_ms[1]));
    }
    coloc_families(set, families);
    free(families);
}

/* SOLO.csv, a line "PAIRS", PAIRS.csv. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static const char divider[] = "PAIRS\n";
    size_t at = 0, length = sizeof divider - 1;
    while (at + length <= size && memcmp(data + at, divider, length) != 0)
        at++;
    size_t pairs = at + length <= size ? at + length : size;
    const char *solo_path = fuzz_file("solo.csv", data, at + length <= size ? at : size);
    const char *pairs_path = fuzz_file("pairs.csv", data + pairs, size - pairs);
    struct ct_diags diags = {0};
    struct coloc_set set = {0};
    int status = coloc_read(solo_path, pairs_path, &set, &diags);
    fuzz_judge(status, &diags);
    if (status == CT_OK)
        judge_set(&set);
    coloc_free(&set);
    ct_diags_free(&diags);
    return 0;
}
