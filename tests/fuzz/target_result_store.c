#include "explain/explain.h"
#include "explain/timeline.h"
#include "figures/html_page.h"
#include "figures/report_plots.h"
#include "fuzz.h"
#include "results/result_given.h"
#include "results/result_sweep.h"
#include "unit/results/report_sample.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Every job with blame and culprits, so that it can be explained. */
static void blame_jobs(struct result_job jobs[CT_COUNT_OF(sample_jobs)],
                       ct_time_ps blame[][CT_BLAME_COUNT]) {
    static const ct_time_ps delays[] = {0, INT64_C(1000000000)};
    for (size_t i = 0; i < CT_COUNT_OF(sample_jobs); i++) {
        ct_time_ps left = sample_jobs[i].end_ps - sample_jobs[i].arrival_ps;
        jobs[i] = sample_jobs[i];
        jobs[i].arrival_ps += 6 * CT_PS_PER_S; /* behind the warm-up */
        jobs[i].end_ps += 6 * CT_PS_PER_S;
        for (int cause = 0; cause < CT_BLAME_COUNT; cause++) {
            blame[i][cause] = left / 2;
            left -= blame[i][cause];
        }
        blame[i][CT_BLAME_OWN_QUEUE] += left;
        jobs[i].blame_ps = blame[i];
        jobs[i].delayed_by_ps = delays;
    }
}

/* Where the sample's second task was. */
static const struct result_presence presences[] = {
    {.job = 0, .task = 1, .first_sm = 0, .last_sm = 9, .began_ps = 7000000, .ended_ps = 9000000},
    {.job = 0, .task = 1, .first_sm = 20, .last_sm = 20, .began_ps = 8000000, .ended_ps = 9500000}};

/* Two runs, their comparison, and a point of a sweep. */
static const char *make_store(void) {
    const char *path = fuzz_path("results.db");
    static const struct report_setting value = {"gpu.sms", "40"};
    struct ct_diags diags = {0};
    struct report_app apps[2];
    struct result_run run = sample_run(apps);
    struct result_job jobs[CT_COUNT_OF(sample_jobs)];
    ct_time_ps blame[CT_COUNT_OF(sample_jobs)][CT_BLAME_COUNT];
    int64_t numbers[2];
    struct report_difference difference = {.measure = "p99_ms",
                                           .app = "vit",
                                           .policy_a = "mps",
                                           .policy_b = "baymax",
                                           .mean_a = 3,
                                           .mean_b = 2,
                                           .difference = -1,
                                           .ci95_low = -2,
                                           .ci95_high = -0.5,
                                           .p = 0.01,
                                           .p_holm = 0.02};
    struct result_comparison comparison = {numbers, 2, &difference, 1};
    struct result_point point = {.key = {1, 2},
                                 .sweep = "s",
                                 .runs = numbers,
                                 .run_count = 2,
                                 .values = &value,
                                 .value_count = 1};
    run.report.config =
        "{\"given\": {\"workload\": \"w.json\", \"policy\": \"mps\", \"settings\": [\"a=1\"], "
        "\"inputs\": \"00\"}}";
    blame_jobs(jobs, blame);
    run.jobs = jobs;
    run.presences = presences;
    run.presence_count = CT_COUNT_OF(presences);
    struct result_store *store = result_store_open(path, RESULT_WRITE, &diags);
    FUZZ_OWES(store && result_sweep_prepare(store, &diags) == CT_OK);
    FUZZ_OWES(result_store_add_run(store, &run, &numbers[0], &diags) == CT_OK);
    FUZZ_OWES(result_store_add_run(store, &run, &numbers[1], &diags) == CT_OK);
    FUZZ_OWES(result_store_add_comparison(store, &comparison, &diags) == CT_OK);
    point.comparison = 1;
    FUZZ_OWES(result_point_add(store, &point, &diags) == CT_OK);
    FUZZ_OWES(result_kept_add(store, point.key, (const unsigned char *)"kept", 4, &diags) == CT_OK);
    result_store_close(store);
    ct_diags_free(&diags);
    return path;
}

static void explain_run(const struct result_run *run, FILE *out) {
    static const struct explain_choice choices[] = {
        {.worst = 3},
        {.app = "train", .worst = 3},
        {.app = "vit", .one = true, .number = 1},
    };
    for (size_t i = 0; i < CT_COUNT_OF(choices); i++) {
        struct ct_diags diags = {0};
        struct explanation explanation = {0};
        int status = explain_make(run, &choices[i], &explanation, &diags);
        fuzz_judge(status, &diags);
        for (int form = 0; status == CT_OK && form < REPORT_FORMAT_COUNT; form++)
            FUZZ_OWES(explain_write(form, &explanation, out) == CT_OK);
        explanation_free(&explanation);
        ct_diags_free(&diags);
    }
}

static void draw_timeline(const struct result_run *run, FILE *out) {
    static const uint64_t budgets[] = {0, 1000};
    for (size_t i = 0; i < CT_COUNT_OF(budgets); i++) {
        struct ct_diags diags = {0};
        struct timeline_summary summary = {0};
        fuzz_judge(timeline_write(run, budgets[i], out, &summary, &diags), &diags);
        ct_diags_free(&diags);
    }
}

static void judge_presences(const struct result_run *run) {
    for (size_t i = 0; i < run->presence_count; i++) {
        const struct result_presence *p = &run->presences[i];
        FUZZ_OWES(p->app < run->report.app_count && p->first_sm <= p->last_sm);
        FUZZ_OWES(p->began_ps >= 0 && p->began_ps <= p->ended_ps);
    }
}

static void write_page(struct result_store *store, FILE *out) {
    static const struct html_choice choices[] = {{.worst = 3}, {.worst = 1, .budget_bytes = 1000}};
    const struct html_source source = {"edited.db", store};
    for (size_t i = 0; i < CT_COUNT_OF(choices); i++) {
        struct ct_diags diags = {0};
        struct html_summary summary;
        fuzz_judge(html_page_write(&source, 1, &choices[i], out, &summary, &diags), &diags);
        ct_diags_free(&diags);
    }
}

static void plot(struct result_store *store, const struct result_set *set, const size_t *shown,
                 size_t count) {
    struct ct_diags diags = {0};
    struct report_plots plots = {0};
    const struct report_plots_input input = {set, shown, count, store};
    char old[600];
    const char *folder = fuzz_path("plots");
    mkdir(folder, 0700);
    fuzz_judge(report_plots_write(&input, folder, &plots, &diags), &diags);
    for (size_t i = 0; i < plots.names.count; i++)
        for (int script = 0; script < 2; script++) {
            snprintf(old, sizeof old, "%s/%s.%s", folder, plots.names.items[i],
                     script ? "gp" : "dat");
            unlink(old);
        }
    report_plots_free(&plots);
    ct_diags_free(&diags);
}

/* Everything that is printed of a store. */
static void use(struct result_store *store, const struct result_set *set, FILE *out) {
    const struct result_comparison *comparison;
    size_t *shown = calloc(set->runs.count + 1, sizeof *shown);
    struct report *reports = calloc(set->runs.count + 1, sizeof *reports);
    FUZZ_OWES(shown && reports);
    size_t count = result_set_shown(set, shown, &comparison);
    FUZZ_OWES(count <= set->runs.count);
    for (size_t i = 0; i < count; i++)
        reports[i] = set->runs.items[shown[i]].report;
    for (int form = 0; form < REPORT_FORMAT_COUNT; form++) {
        FUZZ_OWES(report_write((enum report_format)form, reports, count, out) == CT_OK);
        struct report_comparison compared = {reports, count,
                                             comparison ? comparison->differences : NULL,
                                             comparison ? comparison->difference_count : 0};
        FUZZ_OWES(report_write_comparison((enum report_format)form, &compared, out) == CT_OK);
    }
    for (size_t i = 0; i < set->runs.count; i++) {
        struct ct_arena arena = {0};
        struct result_given given;
        const struct result_run *run = &set->runs.items[i];
        for (size_t d = 0; d < run->decision_count; d++)
            FUZZ_OWES(explain_decision(run, &run->decisions[d], &arena));
        judge_presences(run);
        explain_run(run, out);
        draw_timeline(&set->runs.items[i], out);
        result_given_read(&set->runs.items[i], &arena, &given);
        ct_arena_free(&arena);
    }
    if (count)
        plot(store, set, shown, count);
    write_page(store, out);
    free(shown);
    free(reports);
}

/* Rows that were read: an UPDATE leaves none out. */
static size_t count_rows(const struct result_set *set) {
    size_t rows = set->runs.count;
    for (size_t i = 0; i < set->comparisons.count; i++)
        rows += set->comparisons.items[i].run_count + set->comparisons.items[i].difference_count;
    for (size_t i = 0; i < set->runs.count; i++) {
        const struct result_run *run = &set->runs.items[i];
        const struct report *r = &run->report;
        rows += run->member_count + run->job_count + run->task_count + run->presence_count +
                run->decision_count + run->reason_count + run->sample_count + r->app_count +
                r->device_count + r->policy_counter_count + r->notice_count;
        for (size_t a = 0; a < r->app_count; a++)
            rows +=
                r->apps[a].delayed_by_count + r->apps[a].kernels_count + r->apps[a].batches_count;
    }
    return rows;
}

static void judge_rows(const struct result_set *set, const uint8_t *data, size_t size) {
    static size_t all; /* of the store as it was */
    if (!size)
        all = count_rows(set);
    else if (all && size > 7 && memcmp(data, "UPDATE ", 7) == 0 && !memchr(data, '\n', size))
        FUZZ_OWES(count_rows(set) == all);
}

static bool read_sweep(struct result_store *store) {
    struct ct_diags diags = {0};
    struct result_set set = {0};
    unsigned char *bytes = NULL;
    size_t size;
    int64_t number = result_point_find(store, (struct ct_hash){1, 2}, &diags);
    int status = CT_OK;
    const char *label;
    const struct result_run first = {.number = 1};
    if (number > 0) {
        status = result_point_read(store, number, &set, &diags);
        fuzz_judge(status, &diags);
    }
    bool read = number >= 0 && status == CT_OK &&
                result_point_label(store, &first, &set.arena, &label, &diags) == CT_OK;
    ct_diags_free(&diags);
    diags = (struct ct_diags){0};
    fuzz_judge(result_kept_find(store, (struct ct_hash){1, 2}, &bytes, &size, &diags), &diags);
    free(bytes);
    result_set_free(&set);
    ct_diags_free(&diags);
    return read;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static struct fuzz_store original;
    static FILE *out;
    if (!out) {
        original = fuzz_store_take(make_store());
        out = fopen("/dev/null", "w");
    }
    FUZZ_OWES(out);
    const char *path = fuzz_store_edit(&original, "edited.db", data, size);
    struct ct_diags diags = {0};
    struct result_set set = {0};
    struct result_store *store = result_store_open(path, RESULT_READ, &diags);
    int status = store ? result_store_read(store, 0, 15, &set, &diags) : CT_DATA;
    fuzz_judge(status, &diags);
    if (status == CT_OK) {
        judge_rows(&set, data, size);
        use(store, &set, out);
    }
    bool sweep_read = store && read_sweep(store);
    FUZZ_OWES(status != CT_OK || !sweep_read || !fuzz_store_spoiled(path, data, size));
    result_set_free(&set);
    result_store_close(store);
    ct_diags_free(&diags);
    return 0;
}
