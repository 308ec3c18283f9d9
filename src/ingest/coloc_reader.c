#include "ingest/coloc_reader.h"

#include "base/ct_text.h"
#include "format/csv_reader.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

enum { COLUMNS_MOST = 8, CELL_BYTES = 256 };

/* Counters are sampled and rounded: somewhat more than 100 per cent occurs and counts as 100. */
#define PERCENT_MOST 120.0

/* What a cell may hold. */
enum cell_kind {
    CELL_NAME,
    CELL_QUOTA,
    CELL_LATENCY,
    CELL_PERCENT,
    CELL_RATE,
    CELL_AMOUNT,
    CELL_ANY
};

struct column {
    const char *name;
    enum cell_kind kind;
    bool needed;    /* the column must be there */
    bool may_empty; /* its cells may be empty */
};

enum { SOLO_APP, SOLO_QUOTA, SOLO_LATENCY, SOLO_L2, SOLO_DRAM, SOLO_LAUNCHES, SOLO_RATE };
static const struct column solo_columns[] = {
    {"app", CELL_NAME, true, false},
    {"quota_pct", CELL_QUOTA, true, true},
    {"latency_ms", CELL_LATENCY, true, true},
    {"l2_util_pct", CELL_PERCENT, false, true},
    {"dram_util_pct", CELL_PERCENT, false, true},
    {"launches", CELL_AMOUNT, false, true},
    {"throughput_per_s", CELL_RATE, false, true},
    {"sm_util_pct", CELL_ANY, false, true}, /* in the form, but not in the model */
};

enum { PAIR_APP_A, PAIR_QUOTA_A, PAIR_APP_B, PAIR_QUOTA_B, PAIR_LATENCY_A, PAIR_LATENCY_B };
static const struct column pair_columns[] = {
    {"app_a", CELL_NAME, true, false},          {"quota_a_pct", CELL_QUOTA, true, true},
    {"app_b", CELL_NAME, true, false},          {"quota_b_pct", CELL_QUOTA, true, true},
    {"latency_a_ms", CELL_LATENCY, true, true}, {"latency_b_ms", CELL_LATENCY, false, true},
};

/* A file that is being read: where its columns are, and the cells of the record. */
struct table {
    struct csv_reader *csv;
    struct coloc_set *set;
    bool (*add)(struct table *t); /* what a row says to the set; false after an error at it */
    struct ct_diags *diags;
    const struct column *columns;
    size_t column_count;
    size_t places[COLUMNS_MOST]; /* CSV_NONE: not in the file */
    size_t field_count;
    char text[COLUMNS_MOST][CELL_BYTES];
    double number[COLUMNS_MOST]; /* NAN: empty, or a name */
};

/* The text without blanks around it, cut to the size. */
static void trim(const char *text, char *result, size_t size) {
    text += strspn(text, " \t");
    size_t length = strlen(text);
    while (length && (text[length - 1] == ' ' || text[length - 1] == '\t'))
        length--;
    snprintf(result, size, "%.*s", (int)(length < size ? length : size - 1), text);
}

/* ---- the header ---- */

static size_t find_place(const struct csv_reader *csv, const char *name) {
    char text[CELL_BYTES];
    for (size_t i = 0; i < csv_count(csv); i++) {
        trim(csv_get(csv, i), text, sizeof text);
        if (strcmp(text, name) == 0)
            return i;
    }
    return CSV_NONE;
}

/* One notice with every column that nobody reads. */
static void report_unknown(const struct table *t, const char *path) {
    char list[512] = "", name[CELL_BYTES];
    size_t unknown = 0;
    for (size_t i = 0; i < csv_count(t->csv); i++) {
        bool known = false;
        for (size_t c = 0; c < t->column_count; c++)
            known |= t->places[c] == i;
        if (known)
            continue;
        trim(csv_get(t->csv, i), name, sizeof name);
        ct_text_add(list, sizeof list, ", ", "'%s'", name);
        unknown++;
    }
    if (unknown)
        ct_notice(t->diags, path, "unknown column%s ignored: %s", unknown == 1 ? "" : "s", list);
}

static bool read_header(struct table *t, const char *path) {
    enum csv_step step = csv_next(t->csv);
    bool complete = true;
    if (step == CSV_END)
        ct_error(t->diags, path, "is empty: a header and measurements are expected");
    if (step != CSV_ROW)
        return false;
    t->field_count = csv_count(t->csv);
    for (size_t c = 0; c < t->column_count; c++) {
        t->places[c] = find_place(t->csv, t->columns[c].name);
        if (t->places[c] != CSV_NONE || !t->columns[c].needed)
            continue;
        complete = csv_lacks(t->csv, t->columns[c].name);
    }
    if (complete)
        report_unknown(t, path);
    return complete;
}

/* ---- the cells ---- */

/* What programs write where nothing was measured. */
static bool is_empty(const char *text) {
    static const char *const marks[] = {"", "-", "nan", "na", "n/a", "none", "null"};
    for (size_t i = 0; i < CT_COUNT_OF(marks); i++)
        if (strcasecmp(text, marks[i]) == 0)
            return true;
    return false;
}

/* What is wrong with the number of a cell; NULL: nothing. */
static const char *judge(enum cell_kind kind, double number) {
    switch (kind) {
    case CELL_QUOTA:
        return number >= 1 && number <= 100 ? NULL : "is no quota: 1 to 100 per cent";
    case CELL_LATENCY:
        return number > 0 ? NULL : "is no latency: above 0 is expected";
    case CELL_PERCENT:
        return number >= 0 && number <= PERCENT_MOST ? NULL
                                                     : "is no utilisation: 0 to 100 per cent";
    case CELL_RATE:
        return number > 0 && isfinite(1e3 / number) ? NULL
                                                    : "is no throughput: above 0 is expected";
    default:
        return number >= 0 ? NULL : "is negative";
    }
}

static bool read_cell(struct table *t, size_t c) {
    const struct column *column = &t->columns[c];
    const char *wrong = NULL;
    trim(csv_get(t->csv, t->places[c]), t->text[c], sizeof t->text[c]);
    t->number[c] = NAN;
    if (column->kind == CELL_ANY)
        return true;
    if (column->kind == CELL_NAME ? !*t->text[c] : is_empty(t->text[c])) {
        if (!column->may_empty)
            csv_error(t->csv, "'%s' is empty", column->name);
        return column->may_empty;
    }
    if (column->kind == CELL_NAME)
        return true;
    const char *end = csv_scan_number(t->text[c], &t->number[c]);
    if (!end || *end)
        wrong = "is not a number";
    else
        wrong = judge(column->kind, t->number[c]);
    if (wrong)
        csv_error(t->csv, "'%s': '%s' %s", column->name, t->text[c], wrong);
    return !wrong;
}

static bool read_cells(struct table *t) {
    bool good = csv_check_count(t->csv, t->field_count);
    for (size_t c = 0; c < t->column_count && csv_count(t->csv) == t->field_count; c++)
        if (!read_cell(t, c))
            good = false;
    return good;
}

/* ---- rows ---- */

static uint32_t find_app(const struct coloc_set *set, const char *name) {
    return (uint32_t)ct_text_index(name, set->apps.items, set->apps.count);
}

static uint32_t find_solo(const struct coloc_set *set, uint32_t app, double quota_pct) {
    uint32_t i = 0;
    while (i < set->solos.count && !(set->solos.items[i].app == app &&
                                     fabs(set->solos.items[i].quota_pct - quota_pct) < 1e-9))
        i++;
    return i;
}

/* Brings one more measurement into the mean of `known` ones; NAN is none. */
static void add_to_mean(double *mean, uint32_t *known, double added) {
    if (isnan(added))
        return;
    *mean = *known ? *mean + (added - *mean) / (*known + 1.0) : added;
    ++*known;
}

static void merge(struct coloc_solo *into, const struct coloc_solo *added) {
    add_to_mean(&into->latency_ms, &into->measurements, added->latency_ms);
    add_to_mean(&into->l2, &into->l2_known, added->l2);
    add_to_mean(&into->dram, &into->dram_known, added->dram);
    add_to_mean(&into->launches, &into->launches_known, added->launches);
}

/* A quota that is not said: nobody was partitioned. */
static double quota_or_all(struct coloc_set *set, double quota_pct) {
    set->quotas_assumed += isnan(quota_pct);
    return isnan(quota_pct) ? 100 : quota_pct;
}

/* A percentage as a fraction, at most 1 (what was above is counted); NAN stays NAN. */
static double fraction(struct coloc_set *set, double percent) {
    set->percents_clamped += percent > 100;
    return percent > 100 ? 1 : percent / 100;
}

/* The latency of an application alone, in ms: as measured, else that of jobs one after the other at
 * the measured throughput; NAN after an error. */
static double solo_latency(struct table *t) {
    double latency_ms = t->number[SOLO_LATENCY], rate = t->number[SOLO_RATE];
    if (!isnan(latency_ms))
        return latency_ms;
    if (isnan(rate))
        csv_error(t->csv, "'latency_ms' is empty, and so is 'throughput_per_s'");
    t->set->latencies_derived += !isnan(rate);
    return 1e3 / rate;
}

/* Rows look for theirs from the first on (chosen). */
enum { MOST_SOLOS = 10000 };

static bool add_solo(struct table *t) {
    struct coloc_set *set = t->set;
    uint32_t app = find_app(set, t->text[SOLO_APP]);
    struct coloc_solo solo = {.app = app,
                              .measurements = 1,
                              .quota_pct = quota_or_all(set, t->number[SOLO_QUOTA]),
                              .latency_ms = solo_latency(t),
                              .l2 = fraction(set, t->number[SOLO_L2]),
                              .dram = fraction(set, t->number[SOLO_DRAM]),
                              .launches = t->number[SOLO_LAUNCHES]};
    if (isnan(solo.latency_ms))
        return false;
    solo.l2_known = !isnan(solo.l2);
    solo.dram_known = !isnan(solo.dram);
    solo.launches_known = !isnan(solo.launches);
    uint32_t same = find_solo(set, app, solo.quota_pct);
    if (same < set->solos.count) {
        merge(&set->solos.items[same], &solo);
        return true;
    }
    if (set->solos.count == MOST_SOLOS)
        return csv_error(t->csv, "more than %d applications and quotas", MOST_SOLOS);
    bool room = true;
    if (app == set->apps.count) {
        const char *name = ct_arena_strdup(&set->arena, t->text[SOLO_APP]);
        room = name && ct_vec_push(&set->apps, name);
    }
    return (room && ct_vec_push(&set->solos, solo)) || ct_out_of_memory(t->diags) == CT_OK;
}

/* The quotas at which the application was measured alone, as "10, 50, 100". */
static void list_quotas(const struct coloc_set *set, uint32_t app, char *text, size_t size) {
    *text = '\0';
    for (size_t i = 0; i < set->solos.count; i++)
        if (set->solos.items[i].app == app)
            ct_text_add(text, size, ", ", "%g", set->solos.items[i].quota_pct);
}

static bool find_partner(struct table *t, size_t name, size_t quota, uint32_t *solo) {
    struct coloc_set *set = t->set;
    char quotas[200];
    uint32_t app = find_app(set, t->text[name]);
    *solo = (uint32_t)set->solos.count;
    if (app == set->apps.count) {
        char hint[CT_HINT_BYTES];
        return csv_error(t->csv, "'%s' has no row in '%s'%s", t->text[name], set->solo_path,
                         ct_text_hint(hint, t->text[name], set->apps.items, set->apps.count));
    }
    double quota_pct = quota_or_all(set, t->number[quota]);
    *solo = find_solo(set, app, quota_pct);
    if (*solo < set->solos.count)
        return true;
    list_quotas(set, app, quotas, sizeof quotas);
    return csv_error(t->csv,
                     "'%s' has no row in '%s' at a quota of %g: it was measured alone at %s",
                     t->text[name], set->solo_path, quota_pct, quotas);
}

static bool add_pair(struct table *t) {
    struct coloc_pair pair = {.latency_ms = {t->number[PAIR_LATENCY_A], t->number[PAIR_LATENCY_B]}};
    if (isnan(pair.latency_ms[0]) && isnan(pair.latency_ms[1]))
        return csv_error(t->csv, "neither 'latency_a_ms' nor 'latency_b_ms' is known");
    bool first = find_partner(t, PAIR_APP_A, PAIR_QUOTA_A, &pair.solos[0]);
    bool second = find_partner(t, PAIR_APP_B, PAIR_QUOTA_B, &pair.solos[1]);
    return first && second &&
           (ct_vec_push(&t->set->pairs, pair) || ct_out_of_memory(t->diags) == CT_OK);
}

static bool read_row(void *context) {
    struct table *t = context;
    return read_cells(t) && t->add(t);
}

static int read_table(const char *path, const struct column *columns, size_t column_count,
                      bool (*add)(struct table *), struct coloc_set *set, struct ct_diags *diags) {
    struct table *t = calloc(1, sizeof *t);
    if (!t)
        return ct_out_of_memory(diags);
    *t = (struct table){.columns = columns,
                        .column_count = column_count,
                        .set = set,
                        .add = add,
                        .diags = diags,
                        .csv = csv_open(path, diags)};
    bool right = t->csv && read_header(t, path) && csv_read_rest(t->csv, read_row, t);
    csv_close(t->csv);
    free(t);
    return right ? CT_OK : CT_DATA;
}

/* ---- the whole ---- */

static int hash_file(const char *path, struct ct_hash *hash, struct ct_diags *diags) {
    *hash = ct_hash_start();
    return ct_hash_file(hash, path) ? CT_OK : ct_file_error(diags, path, "open it", errno);
}

/* What is legal but looks like a mistake. */
static void check_solos(const struct coloc_set *set, struct ct_diags *diags) {
    size_t repeated = 0;
    double most = 0;
    for (size_t i = 0; i < set->solos.count; i++) {
        const struct coloc_solo *s = &set->solos.items[i];
        repeated += s->measurements > 1;
        most = fmax(most, fmax(isnan(s->l2) ? 0 : s->l2, isnan(s->dram) ? 0 : s->dram));
    }
    if (repeated)
        ct_notice(diags, set->solo_path,
                  "%zu application%s measured several times at the same quota: the mean holds",
                  repeated, repeated == 1 ? " was" : "s were");
    if (set->percents_clamped)
        ct_notice(diags, set->solo_path, "%zu utilisation%s above 100 per cent: 100 is taken",
                  set->percents_clamped, set->percents_clamped == 1 ? " is" : "s are");
    if (set->latencies_derived)
        ct_notice(
            diags, set->solo_path,
            "%zu latenc%s unknown: 1000 / 'throughput_per_s' is taken, jobs one after the other",
            set->latencies_derived, set->latencies_derived == 1 ? "y is" : "ies are");
    if (most > 0 && most <= 0.01)
        ct_warning(diags, set->solo_path,
                   "no utilisation is above 1: per cent are expected, not fractions");
}

int coloc_read(const char *solo_path, const char *pairs_path, struct coloc_set *set,
               struct ct_diags *diags) {
    set->solo_path = solo_path;
    set->pairs_path = pairs_path;
    int status =
        read_table(solo_path, solo_columns, CT_COUNT_OF(solo_columns), add_solo, set, diags);
    if (status == CT_OK)
        check_solos(set, diags);
    if (status == CT_OK)
        status =
            read_table(pairs_path, pair_columns, CT_COUNT_OF(pair_columns), add_pair, set, diags);
    if (status == CT_OK && set->quotas_assumed)
        ct_notice(diags, pairs_path, "%zu quota%s not said, here or in '%s': 100 per cent is taken",
                  set->quotas_assumed, set->quotas_assumed == 1 ? " is" : "s are", solo_path);
    if (status == CT_OK && set->pairs.count == 0) {
        ct_error(diags, pairs_path, "holds no co-locations");
        status = CT_DATA;
    }
    if (status == CT_OK)
        status = hash_file(solo_path, &set->solo_hash, diags);
    if (status == CT_OK)
        status = hash_file(pairs_path, &set->pairs_hash, diags);
    return status;
}

void coloc_free(struct coloc_set *set) {
    ct_vec_free(&set->apps);
    ct_vec_free(&set->solos);
    ct_vec_free(&set->pairs);
    ct_arena_free(&set->arena);
}

/* The length of the name without a batch size at its end. */
static size_t stem_length(const char *name) {
    static const char *const marks[] = {"batch", "bs", "b"};
    size_t end = strlen(name), digits = end;
    while (digits > 0 && name[digits - 1] >= '0' && name[digits - 1] <= '9')
        digits--;
    for (size_t i = 0; i < CT_COUNT_OF(marks) && digits < end; i++) {
        size_t length = strlen(marks[i]);
        if (digits > length + 1 && strncmp(name + digits - length, marks[i], length) == 0 &&
            strchr("_-:.@ ", name[digits - length - 1]))
            return digits - length - 1;
    }
    return end;
}

void coloc_families(const struct coloc_set *set, uint32_t *families) {
    for (uint32_t app = 0; app < set->apps.count; app++) {
        const char *name = set->apps.items[app];
        size_t length = stem_length(name);
        families[app] = app;
        for (uint32_t other = 0; other < app && families[app] == app; other++)
            if (stem_length(set->apps.items[other]) == length &&
                strncmp(set->apps.items[other], name, length) == 0)
                families[app] = families[other];
    }
}
