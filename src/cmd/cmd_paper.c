/* The experiments of a paper: what it published beside what comes out here. */
#include "apps/paper/paper_plot.h"
#include "apps/paper/paper_run.h"
#include "apps/paper/paper_source.h"
#include "base/ct_text.h"
#include "base/ct_vec.h"
#include "cli/cli_results.h"
#include "cli/run_folder.h"
#include "cmd/commands.h"
#include "format/doc_writer.h"

#include <math.h>
#include <stdarg.h>
#include <string.h>

static const struct cli_option options[] = {
    {"item", 'i', "ID", "only this item (hsm-11a); may be repeated"},
    {"suite", 0, "NAME", "only the rows of this suite; may be repeated"},
    {"draws", 0, "N", "how often what the paper leaves open is drawn, where it is (the suite's)"},
    CLI_JOBS_OPTION,
    {"seed", 0, "N", "of all random draws (1)"},
    {"cluster-s", 0, "SECONDS",
     "simulated time of a data centre, instead of its file's 60 s, which take minutes"},
    {"format", 'f', "text|json|csv|markdown", "form of the table"},
    {"list", 0, NULL, "only list the items: nothing runs"},
    {"load", 0, "PCT",
     "of the GPU's time alone that queries take, where a suite has services (20)"},
    {"target", 0, "X", "of the services: so many times their p99 alone (2)"},
    {"plot", 0, "FOLDER",
     "also draw figures of the items: bars for each policy (made when missing)"},
    {"no-blame", 0, NULL, "do not say where time was lost: faster"},
    CLI_CACHE_OPTION,
    {0},
};

static const char *const papers[] = {"baymax", "hsm", "cqos", "laius"};

/* A row to be filled, and its result. */
struct line {
    const struct paper_item *item;
    const struct paper_row *row;
    struct paper_spread ours;
    size_t mixes;
    double blame[CT_BLAME_COUNT]; /* NAN: not known */
};

struct request {
    struct cli_progress progress; /* first */
    struct paper paper;
    CT_VEC(struct line) lines;
    double inputs[3]; /* sums over runs: measured, derived, assumed */
    size_t runs;
    const char *broken;     /* check of a run that does not hold; NULL: all hold */
    char idle[80];          /* options that play no part in what was asked for; empty: none */
    struct paper_plan plan; /* of any suite; draws 0: the suite's */
    double cluster_s;
    bool clusters; /* asked for by item: they take minutes */
    enum table_format format;
    bool failed;        /* memory ran out */
    const char *folder; /* of the figures; NULL: none */
    struct report_plots plots;
    struct ct_arena arena;
    uint64_t done;          /* cases of the suites before */
    struct run_folder kept; /* results of runs */
};

/* ---- Which rows ---- */

static bool asked_for(const struct cli_args *args, const char *option, const char *name) {
    size_t count;
    const char *const *wanted = cli_values(args, option, &count);
    return !count || (name && ct_text_index(name, wanted, count) < count);
}

/* Names of all items or suites that may be asked for. */
static void check_names(const struct cli_args *args, const char *option, const char *const *names,
                        size_t count, struct ct_diags *diags) {
    size_t wanted_count;
    const char *const *wanted = cli_values(args, option, &wanted_count);
    for (size_t i = 0; i < wanted_count; i++)
        cli_index(option, wanted[i], names, count, diags);
}

static int check_selection(struct request *r, const struct cli_args *args, struct ct_diags *diags) {
    size_t most = r->paper.item_count + r->paper.suite_count;
    const char **names = ct_arena_array(&r->arena, most + 1, sizeof *names);
    if (!names)
        return ct_out_of_memory(diags);
    for (size_t i = 0; i < r->paper.item_count; i++)
        names[i] = r->paper.items[i].id;
    check_names(args, "item", names, r->paper.item_count, diags);
    for (size_t i = 0; i < r->paper.suite_count; i++)
        names[i] = r->paper.suites[i].name;
    check_names(args, "suite", names, r->paper.suite_count, diags);
    return diags->errors ? CT_USAGE : CT_OK;
}

static int select_lines(struct request *r, const struct cli_args *args, struct ct_diags *diags) {
    int status = check_selection(r, args, diags);
    for (size_t i = 0; i < r->paper.item_count && status == CT_OK; i++) {
        const struct paper_item *item = &r->paper.items[i];
        for (size_t k = 0; k < item->row_count; k++) {
            struct line line = {.item = item, .row = &item->rows[k], .ours = {NAN, NAN, NAN}};
            for (int b = 0; b < CT_BLAME_COUNT; b++)
                line.blame[b] = NAN;
            if (asked_for(args, "item", item->id) && asked_for(args, "suite", line.row->suite) &&
                !ct_vec_push(&r->lines, line))
                return ct_out_of_memory(diags);
        }
    }
    if (status == CT_OK && r->lines.count == 0)
        return ct_usage_error(diags, "", "the item has no rows in that suite");
    return status;
}

/* ---- One suite ---- */

static bool is_cluster(const struct paper_row *row) {
    return row->measure >= PAPER_CLUSTER_SEVERE;
}

static bool is_run(const struct line *line, const struct paper_suite *suite) {
    return line->row->measure < PAPER_RUN_MEASURES && strcmp(line->row->suite, suite->name) == 0;
}

/* The lines of the plan's suite, for which there is room, and their policies, each once, with room
 * for two per line. */
static void collect(const struct request *r, struct paper_plan *plan, struct paper_line *rows,
                    const char **policies) {
    for (size_t i = 0; i < r->lines.count; i++) {
        const struct line *line = &r->lines.items[i];
        const char *both[] = {line->row->policy, line->row->against};
        if (!is_run(line, plan->suite))
            continue;
        rows[plan->row_count++] = (struct paper_line){line->item, line->row};
        for (size_t k = 0; k < 2; k++)
            if (both[k] &&
                ct_text_index(both[k], policies, plan->policy_count) == plan->policy_count)
                policies[plan->policy_count++] = both[k];
    }
    plan->rows = rows;
    plan->policies = policies;
}

static void show_progress(void *context, double done, double total) {
    struct request *r = context;
    cli_progress_set(&r->progress, (double)r->done + done, total);
}

static struct paper_plan plan_of(const struct request *r, const struct paper_suite *suite) {
    struct paper_plan plan = r->plan;
    plan.suite = suite;
    plan.draws = suite->draws == 0 ? 1 : plan.draws ? plan.draws : suite->draws;
    return plan;
}

/* One draw: the measure of the row's mixes and levels, and of the other policy. */
static double reduce_draw(const struct paper_outcome *o, const struct paper_suite *suite,
                          struct line *line, uint32_t draw, const size_t policies[2],
                          double *values) {
    const struct paper_row *row = line->row;
    double *against = values + o->mix_count * o->levels;
    size_t count = 0;
    for (uint32_t level = 0; level < o->levels; level++) {
        bool asked = paper_row_has_level(row, paper_level(suite, level));
        for (size_t m = 0; m < o->mix_count && asked; m++) {
            if (!paper_row_has_mix(row, suite, &o->mixes[m]))
                continue;
            values[count] = paper_values_of(o, draw, level, m, policies[0])->measures[row->measure];
            if (row->against)
                against[count] =
                    paper_values_of(o, draw, level, m, policies[1])->measures[row->measure];
            count++;
        }
    }
    return paper_reduce((enum paper_reduction)row->reduction, values, row->against ? against : NULL,
                        count, row->at_least, &line->mixes);
}

/* Where the slowest jobs of the row's mixes lost time, under its policy, at all levels: also at
 * those that the row's measure is not about. */
static void add_blame(const struct paper_outcome *o, const struct paper_suite *suite,
                      struct line *line, size_t policy) {
    double sums[CT_BLAME_COUNT] = {0};
    size_t known = 0;
    for (uint32_t d = 0; d < o->draws; d++)
        for (uint32_t level = 0; level < o->levels; level++)
            for (size_t m = 0; m < o->mix_count; m++) {
                const struct paper_values *v = paper_values_of(o, d, level, m, policy);
                if (!paper_row_has_mix(line->row, suite, &o->mixes[m]) || isnan(v->blame[0]))
                    continue;
                known++;
                for (int i = 0; i < CT_BLAME_COUNT; i++)
                    sums[i] += v->blame[i];
            }
    for (int i = 0; i < CT_BLAME_COUNT && known; i++)
        line->blame[i] = sums[i] / (double)known;
}

static void fill_line(struct request *r, const struct paper_outcome *o,
                      const struct paper_suite *suite, struct line *line,
                      const size_t policies[2]) {
    double *values =
        ct_arena_array(&r->arena, 2 * o->mix_count * o->levels + o->draws, sizeof *values);
    r->failed |= !values;
    if (!values)
        return;
    double *draws = values + 2 * o->mix_count * o->levels;
    for (uint32_t d = 0; d < o->draws; d++)
        draws[d] = reduce_draw(o, suite, line, d, policies, values);
    line->ours = paper_spread_of(draws, o->draws);
    if (r->plan.blame)
        add_blame(o, suite, line, policies[0]);
}

/* Adds the inputs of the runs that a row needs: the others are not made. */
static void add_inputs(struct request *r, const struct paper_outcome *o) {
    uint64_t cases = (uint64_t)o->draws * o->levels * o->mix_count;
    for (uint64_t i = 0; i < cases * o->policy_count; i++) {
        const struct paper_values *v = &o->values[i];
        if (!paper_case_needs(o, i / o->policy_count)[i % o->policy_count])
            continue;
        for (int k = 0; k < 3; k++)
            r->inputs[k] += v->inputs[k];
        if (!r->broken)
            r->broken = v->broken;
        r->runs++;
    }
}

/* What comes of a suite's runs: the lines, their inputs and figures. */
static int take_outcome(struct request *r, const struct paper_plan *plan,
                        const struct paper_outcome *outcome, struct ct_diags *diags) {
    const struct paper_plot plot = {.paper = &r->paper,
                                    .suite = plan->suite,
                                    .outcome = outcome,
                                    .policies = plan->policies,
                                    .rows = plan->rows,
                                    .row_count = plan->row_count};
    for (size_t i = 0; i < r->lines.count; i++) {
        struct line *line = &r->lines.items[i];
        if (!is_run(line, plan->suite))
            continue;
        size_t both[2] = {ct_text_index(line->row->policy, plan->policies, plan->policy_count), 0};
        if (line->row->against)
            both[1] = ct_text_index(line->row->against, plan->policies, plan->policy_count);
        fill_line(r, outcome, plan->suite, line, both);
    }
    add_inputs(r, outcome);
    return r->folder ? paper_plot(&plot, r->folder, &r->plots, diags) : CT_OK;
}

static int run_suite(struct request *r, const struct paper_suite *suite, struct ct_diags *diags) {
    const char **policies = ct_arena_array(&r->arena, 2 * r->lines.count + 1, sizeof *policies);
    struct paper_line *rows = ct_arena_array(&r->arena, r->lines.count + 1, sizeof *rows);
    if (!policies || !rows)
        return ct_out_of_memory(diags);
    struct paper_plan plan = plan_of(r, suite);
    collect(r, &plan, rows, policies);
    if (!plan.policy_count)
        return CT_OK;
    struct paper_outcome outcome;
    int status = paper_run(&plan, &outcome, diags);
    if (status == CT_OK)
        status = take_outcome(r, &plan, &outcome, diags);
    paper_outcome_free(&outcome);
    r->done += paper_case_count(&plan);
    return status;
}

static uint64_t all_cases(struct request *r) {
    uint64_t total = 0;
    for (size_t s = 0; s < r->paper.suite_count; s++) {
        struct paper_plan plan = plan_of(r, &r->paper.suites[s]);
        bool any = false;
        for (size_t i = 0; i < r->lines.count; i++)
            any |= is_run(&r->lines.items[i], plan.suite);
        total += any ? paper_case_count(&plan) : 0;
    }
    return total ? total : 1;
}

/* Draws the figures of the measures that belong to no mix, as far as they were taken. */
static int plot_sources(struct request *r, const struct paper_sources *sources,
                        struct ct_diags *diags) {
    struct paper_plot_value *values = ct_arena_array(&r->arena, r->lines.count + 1, sizeof *values);
    size_t count = 0;
    if (!values)
        return ct_out_of_memory(diags);
    for (size_t i = 0; i < r->lines.count; i++) {
        const struct line *line = &r->lines.items[i];
        if (line->row->measure >= PAPER_RUN_MEASURES && (!is_cluster(line->row) || r->clusters))
            values[count++] = (struct paper_plot_value){line->item, line->row, line->ours.median};
    }
    return paper_plot_sources(values, count, sources, r->folder, &r->plots, diags);
}

/* Runs what gives the rows that no mix gives. */
static int run_sources(struct request *r, struct ct_diags *diags) {
    struct paper_sources sources = {.seed = r->plan.seed,
                                    .threads = r->plan.threads,
                                    .cluster_s = r->cluster_s,
                                    .listener = {.interrupted = cli_is_interrupted}};
    int status = CT_OK;
    for (size_t i = 0; i < r->lines.count && status == CT_OK; i++) {
        struct line *line = &r->lines.items[i];
        if (line->row->measure < PAPER_RUN_MEASURES || (is_cluster(line->row) && !r->clusters))
            continue;
        double value;
        status = paper_source(&sources, line->row, &value, diags);
        line->ours = (struct paper_spread){value, value, value};
    }
    if (status == CT_OK && r->folder)
        status = plot_sources(r, &sources, diags);
    paper_sources_free(&sources);
    return status;
}

static int run_all(struct request *r, const struct cli_args *args, struct ct_diags *diags) {
    r->plan.cache = run_folder_find(&r->kept, args);
    cli_progress_begin(&r->progress, r->paper.name, (double)all_cases(r), args->quiet);
    int status = run_sources(r, diags);
    for (size_t s = 0; s < r->paper.suite_count && status == CT_OK; s++)
        status = run_suite(r, &r->paper.suites[s], diags);
    cli_progress_end(&r->progress);
    if (status == CT_INTERRUPTED)
        ct_warning(diags, "", "interrupted: an item needs all of its mixes, so nothing is printed");
    return status == CT_OK && r->failed ? ct_out_of_memory(diags) : status;
}

/* ---- The table ---- */

/* The largest part of the slowest jobs' time that sharing cost them; -1: not known. */
static int largest_cause(const struct line *line) {
    int best = -1;
    for (int i = 0; i < CT_BLAME_COUNT; i++)
        if (i != CT_BLAME_SOLO_WORK && i != CT_BLAME_HOST && i != CT_BLAME_OWN_QUEUE &&
            line->blame[i] > 0 && (best < 0 || line->blame[i] > line->blame[best]))
            best = i;
    return best;
}

static const char *ours_of(struct table *table, const struct line *line) {
    const struct paper_row *row = line->row;
    double median = paper_row_shown(row, line->ours.median);
    int digits = fabs(median) >= 100 ? 0 : fabs(median) >= 1 ? 1 : 3;
    if (isnan(median))
        return "";
    if (line->ours.low == line->ours.high)
        return table_words(table, "%.*f", digits, median);
    return table_words(table, "%.*f [%.*f, %.*f]", digits, median, digits,
                       paper_row_shown(row, line->ours.low), digits,
                       paper_row_shown(row, line->ours.high));
}

static const char *or_nothing(const char *text) {
    return text ? text : "";
}

/* People get the range in one cell, programs in three. */
static void add_line(struct table *table, const struct line *line) {
    const struct paper_item *item = line->item;
    const struct paper_row *row = line->row;
    const char *published = or_nothing(row->published);
    int cause = largest_cause(line);
    const char *name = cause < 0 ? "" : ct_blame_key(cause);
    double part = cause < 0 ? NAN : line->blame[cause];
    table_row(table, item->id, item->where, item->verdict, or_nothing(row->suite), row->what,
              or_nothing(row->policy), published, ours_of(table, line),
              paper_row_shown(row, line->ours.median), paper_row_shown(row, line->ours.low),
              paper_row_shown(row, line->ours.high), row->unit,
              line->mixes ? (double)line->mixes : NAN, name, part,
              cause < 0 ? "" : table_words(table, "%s %.0f %%", name, 100 * part));
}

static const char columns[] =
    "item | =where | =verdict | =suite | measure | =policy | published | ours= | =median:4 | "
    "=least:4 | =most:4 | unit | n=mixes:0 | =cause | =cause_share:4 | lost to=";

static int print_data(const struct request *r) {
    struct table table = table_start(columns);
    for (size_t i = 0; i < r->lines.count; i++)
        add_line(&table, &r->lines.items[i]);
    return cli_table_print(&table, r->format);
}

/* Prints a paragraph: in Markdown one line, else wrapped. */
static void print_wrapped(const struct request *r, int indent, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static void print_wrapped(const struct request *r, int indent, const char *format, ...) {
    char text[1300];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    doc_print_wrapped(stdout, text, indent, r->format == TABLE_MARKDOWN ? sizeof text : 80);
    putchar('\n');
}

#define print_paragraph(r, ...) (print_wrapped(r, 0, __VA_ARGS__), putchar('\n'))

static const char *mark(const struct request *r, const char *markdown) {
    return r->format == TABLE_MARKDOWN ? markdown : "";
}

static const char *sources_title(const struct request *r) {
    for (size_t i = 0; i < r->lines.count; i++)
        if (r->lines.items[i].row->measure >= PAPER_COPY_MB_S)
            return "The host link, predictors and a data centre";
    return "The memory";
}

/* The lines of one suite; NULL: those of no run. */
static int print_suite(const struct request *r, const struct paper_suite *suite) {
    struct table table = table_start(columns);
    for (size_t i = 0; i < r->lines.count; i++) {
        const struct line *line = &r->lines.items[i];
        if (suite ? is_run(line, suite) : line->row->measure >= PAPER_RUN_MEASURES)
            add_line(&table, line);
    }
    if (!table.cells.count)
        return CT_OK;
    if (suite)
        print_paragraph(r, "%s%s (%s)", mark(r, "## "), suite->title, suite->name);
    else
        print_paragraph(r, "%s%s", mark(r, "## "), sources_title(r));
    if (suite && suite->note)
        print_paragraph(r, "%s", suite->note);
    int status = cli_table_print(&table, r->format);
    fputc('\n', stdout);
    return status;
}

static void print_notes(const struct request *r) {
    const struct paper_item *last = NULL;
    print_paragraph(r, "%sItems", mark(r, "## "));
    for (size_t i = 0; i < r->lines.count; i++) {
        const struct paper_item *item = r->lines.items[i].item;
        if (item == last)
            continue;
        last = item;
        print_wrapped(r, 2, "%s%s (%s), verdict %s.%s%s", mark(r, "- "), item->id, item->where,
                      item->verdict, item->note ? " " : "", or_nothing(item->note));
    }
    fputc('\n', stdout);
}

static void print_left_out(const struct request *r) {
    for (size_t i = 0; i < r->lines.count && !r->clusters; i++)
        if (is_cluster(r->lines.items[i].row)) {
            print_paragraph(r, "A data centre takes minutes, so that its items run when they are "
                               "asked for with --item.");
            return;
        }
}

static void print_checks(const struct request *r) {
    const char *idle = *r->idle ? " Changes nothing here: " : "";
    if (r->broken)
        print_paragraph(r, "Checks: BROKEN in one of the runs: %s.%s%s", r->broken, idle, r->idle);
    else
        print_paragraph(
            r, "Checks: conservation ok, Little's law ok, utilisation law ok in all runs.%s%s",
            idle, r->idle);
}

static int print_text(const struct request *r) {
    static const char verdicts[] =
        "Verdict A: the same quantity from published or real inputs; B: order and shape under "
        "stated assumptions; C: not the same quantity. Ours: the median over the draws and their "
        "range. Lost to: what sharing cost the slowest jobs most, as part of their time, under the "
        "row's policy, the mean over its mixes at all levels of the goal; n: mixes.";
    printf("%s%s\n\n", mark(r, "# "), r->paper.title);
    print_paragraph(r, "%s", verdicts);
    int status = print_suite(r, NULL);
    for (size_t s = 0; s < r->paper.suite_count && status == CT_OK; s++)
        status = print_suite(r, &r->paper.suites[s]);
    print_left_out(r);
    print_notes(r);
    if (r->runs) {
        double n = (double)r->runs / 100;
        print_paragraph(r,
                        "Inputs of %zu runs: %.0f %% measured, %.0f %% derived, %.0f %% assumed.",
                        r->runs, r->inputs[0] / n, r->inputs[1] / n, r->inputs[2] / n);
        print_checks(r);
    }
    if (r->paper.missing)
        print_paragraph(r, "Not rebuilt, or otherwise than there: %s", r->paper.missing);
    return status;
}

static int print_list(const struct request *r) {
    struct table table = table_start("item | where | verdict | suite | measure | published");
    for (size_t i = 0; i < r->lines.count; i++) {
        const struct line *line = &r->lines.items[i];
        table_row(&table, line->item->id, line->item->where, line->item->verdict,
                  or_nothing(line->row->suite), line->row->what, or_nothing(line->row->published));
    }
    return cli_table_print(&table, r->format);
}

/* ---- The command ---- */

/* Options that nothing of what was asked for looks at. */
static void find_idle(struct request *r, const struct cli_args *args) {
    bool draws = false, services = false, clusters = false;
    for (size_t i = 0; i < r->lines.count; i++) {
        const struct line *line = &r->lines.items[i];
        clusters |= is_cluster(line->row) && r->clusters;
        for (size_t s = 0; s < r->paper.suite_count; s++) {
            const struct paper_suite *suite = &r->paper.suites[s];
            draws |= is_run(line, suite) && suite->draws > 0;
            services |= is_run(line, suite) && (suite->load > 0 || suite->target > 0);
        }
    }
    const struct {
        const char *option;
        bool acts;
    } choices[] = {
        {"draws", draws}, {"load", services}, {"target", services}, {"cluster-s", clusters}};
    for (size_t i = 0; i < CT_COUNT_OF(choices); i++) {
        size_t used = strlen(r->idle);
        if (cli_has(args, choices[i].option) && !choices[i].acts)
            snprintf(r->idle + used, sizeof r->idle - used, "%s--%s", used ? ", " : "",
                     choices[i].option);
    }
}

static int read_request(struct request *r, const struct cli_args *args, struct ct_diags *diags) {
    cli_index("paper", args->operands[0], papers, CT_COUNT_OF(papers), diags);
    r->folder = cli_value(args, "plot");
    r->plan = (struct paper_plan){.blame = !cli_has(args, "no-blame"),
                                  .drawn = r->folder,
                                  .version = COTENANT_VERSION,
                                  .listener = {cli_is_interrupted, show_progress, r}};
    r->plan.seed = (uint64_t)cli_int(args, "seed", 0, INT64_MAX, 1, diags);
    r->plan.draws = (uint32_t)cli_int(args, "draws", 1, 10000, 0, diags);
    r->plan.threads = cli_threads(args, diags);
    r->plan.load = cli_double(args, "load", 0.1, 99, 0, diags) / 100;
    r->plan.target = cli_double(args, "target", 1, 1000, 0, diags);
    r->format = cli_format(args, diags);
    r->clusters = cli_has(args, "item");
    r->cluster_s = cli_double(args, "cluster-s", 6, 1e5, 0, diags);
    if (diags->errors)
        return CT_USAGE;
    int status = paper_read(args->operands[0], &r->paper, diags);
    status = status == CT_OK ? select_lines(r, args, diags) : status;
    find_idle(r, args);
    return status;
}

static int cmd_paper(struct cli_args *args, struct ct_diags *diags) {
    struct request r = {0};
    int status = read_request(&r, args, diags);
    if (status == CT_OK && cli_has(args, "list"))
        status = print_list(&r);
    else if (status == CT_OK && (status = cli_make_folder(r.folder, diags)) == CT_OK &&
             (status = run_all(&r, args, diags)) == CT_OK) {
        status = r.format == TABLE_JSON || r.format == TABLE_CSV ? print_data(&r) : print_text(&r);
        int drawn = r.folder ? cli_draw_figures(&r.plots, r.folder, CLI_SVG_AND_PNG, diags) : CT_OK;
        status = status == CT_OK ? drawn : status;
    }
    run_folder_close(&r.kept);
    report_plots_free(&r.plots);
    ct_vec_free(&r.lines);
    ct_arena_free(&r.arena);
    paper_free(&r.paper);
    return status;
}

CLI_COMMAND(paper, "baymax|hsm|cqos|laius", 1, 1,
            "rebuild a paper's experiments, and print published beside simulated");
