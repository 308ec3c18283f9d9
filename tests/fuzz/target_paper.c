#include "apps/paper/paper_case.h"
#include "fuzz.h"

#include <stdlib.h>
#include <sys/stat.h>

static void judge_suite(const struct paper_suite *suite) {
    struct ct_diags diags = {0};
    struct ct_arena arena = {0};
    struct paper_mix *mixes;
    size_t count;
    int status = paper_mixes(suite, 1, &arena, &mixes, &count, &diags);
    fuzz_judge(status, &diags);
    for (size_t i = 0; status == CT_OK && i < count; i++) {
        FUZZ_OWES(mixes[i].count > 0 && mixes[i].count <= PAPER_MIX_MOST);
        for (uint32_t a = 0; a < mixes[i].count; a++)
            FUZZ_OWES(mixes[i].apps[a] < suite->app_count);
    }
    if (status == CT_OK && count)
        FUZZ_OWES(paper_mix_document(suite, mixes[0].apps, mixes[0].count, &arena));
    ct_arena_free(&arena);
    ct_diags_free(&diags);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static bool ready;
    if (!ready) {
        mkdir(fuzz_path("workloads"), 0700);
        mkdir(fuzz_path("workloads/papers"), 0700);
        setenv("COTENANT_SHARE", fuzz_path("."), 1);
        ready = true;
    }
    fuzz_file("workloads/papers/fuzzed.json", data, size);
    struct ct_diags diags = {0};
    struct paper paper;
    int status = paper_read("fuzzed", &paper, &diags);
    fuzz_judge(status, &diags);
    for (size_t i = 0; status == CT_OK && i < paper.suite_count; i++)
        judge_suite(&paper.suites[i]);
    paper_free(&paper);
    ct_diags_free(&diags);
    return 0;
}
