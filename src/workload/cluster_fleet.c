/*
 * A recorded fleet: a CSV file with a row for each copy. Columns are found by name: `app` (needed
 * where the cluster has several applications), `arrive_s`, `depart_s` or `stay_s` (else it stays),
 * `share_pct` (else as the application asks); or those of Alibaba's
 * cluster-trace-gpu-v2023 (pod lists): creation_time, deletion_time, scheduled_time, num_gpu,
 * gpu_milli, where a pod stays from when it was scheduled until it was deleted.
 */
#include "workload/cluster_file.h"

#include "base/ct_text.h"
#include "format/csv_reader.h"

#include <math.h>
#include <string.h>

enum { MOST_PODS = 1000000, MOST_GPUS_OF_ONE = 64, WHOLE = 1000 };

enum column { APP, ARRIVE, CREATED, DEPART, STAY, DELETED, SCHEDULED, SHARE, GPUS, MILLI };
static const char *const columns[] = {"app",     "arrive_s",      "creation_time",  "depart_s",
                                      "stay_s",  "deletion_time", "scheduled_time", "share_pct",
                                      "num_gpu", "gpu_milli"};
#define COLUMNS (sizeof columns / sizeof *columns)

struct fleet {
    struct csv_reader *csv;
    struct ct_diags *diags;
    struct cluster *cluster;
    size_t places[COLUMNS];    /* CSV_NONE: not in the file */
    uint64_t without, several; /* rows that ask for no GPU, for more than one */
};

static bool has(const struct fleet *fleet, enum column column) {
    return fleet->places[column] != CSV_NONE;
}

static const char *cell(const struct fleet *fleet, enum column column) {
    return csv_get(fleet->csv, fleet->places[column]);
}

/* A cell that is a number in a range; false: a mistake. */
static bool number(const struct fleet *fleet, enum column column, double least, double most,
                   double *value) {
    const char *text = cell(fleet, column), *rest = csv_scan_number(text, value);
    if (rest && !*rest && *value >= least && *value <= most)
        return true;
    return csv_error(fleet->csv, "%s: '%s' is not a number from %g to %g", columns[column], text,
                     least, most);
}

/* The number of the demand for so many per mille of a GPU, added where it is new; SIZE_MAX when
 * memory ran out. */
static size_t find_demand(struct cluster *cluster, uint32_t share) {
    size_t d = 0;
    while (d < cluster->demands.count && cluster->demands.items[d].share != share)
        d++;
    struct cluster_demand demand = {.share = share};
    return d < cluster->demands.count || ct_vec_push(&cluster->demands, demand) ? d : SIZE_MAX;
}

/* ---- A row ---- */

static bool read_app(const struct fleet *fleet, uint32_t *app) {
    const struct workload *w = &fleet->cluster->workload;
    const char *name = cell(fleet, APP), *names[256];
    size_t count = 0;
    *app = 0;
    if (!has(fleet, APP))
        return true;
    for (; *app < w->apps.count; ++*app) {
        if (strcmp(w->apps.items[*app].name, name) == 0)
            return true;
        if (count < CT_COUNT_OF(names))
            names[count++] = w->apps.items[*app].name;
    }
    char hint[CT_HINT_BYTES];
    return csv_error(fleet->csv, "no application is called '%s'%s", name,
                     ct_text_hint_or_all(hint, name, names, count));
}

static bool read_times(const struct fleet *fleet, struct cluster_pod *pod) {
    static const double latest = 1e12;
    double end = INFINITY, start;
    if (!number(fleet, has(fleet, ARRIVE) ? ARRIVE : CREATED, 0, latest, &pod->arrive_s))
        return false;
    start = pod->arrive_s;
    pod->stay_s = INFINITY;
    if (has(fleet, STAY) && *cell(fleet, STAY))
        return number(fleet, STAY, 0, latest, &pod->stay_s);
    enum column leaves = has(fleet, DEPART) ? DEPART : DELETED;
    if (!has(fleet, leaves) || !*cell(fleet, leaves))
        return true;
    if (leaves == DELETED && has(fleet, SCHEDULED) && *cell(fleet, SCHEDULED) &&
        !number(fleet, SCHEDULED, 0, latest, &start))
        return false;
    if (!number(fleet, leaves, start, latest, &end))
        return false;
    pod->stay_s = end - start;
    return true;
}

/* How many GPUs the row asks for, and what of each. */
static bool read_demand(struct fleet *fleet, struct cluster_pod *pod, double *gpus) {
    double share = 0;
    size_t demand = pod->app;
    *gpus = 1;
    if (has(fleet, GPUS) && !number(fleet, GPUS, 0, MOST_GPUS_OF_ONE, gpus))
        return false;
    if (*gpus != floor(*gpus))
        return csv_error(fleet->csv, "num_gpu: '%s' is no whole number", cell(fleet, GPUS));
    if (has(fleet, SHARE) && *cell(fleet, SHARE)) {
        if (!number(fleet, SHARE, 0.1, 100, &share))
            return false;
        share *= (double)WHOLE / 100;
    } else if (*gpus > 0 && has(fleet, MILLI)) {
        if (!number(fleet, MILLI, 1, WHOLE, &share))
            return false;
        share = *gpus > 1 ? WHOLE : share;
    }
    if (share > 0 && fleet->cluster->demands.items[pod->app].slice)
        return csv_error(fleet->csv, "a share of a GPU for '%s', which asks for a slice",
                         fleet->cluster->workload.apps.items[pod->app].name);
    if (share > 0)
        demand = find_demand(fleet->cluster, (uint32_t)lround(share));
    pod->demand = (uint32_t)demand;
    return demand != SIZE_MAX || ct_out_of_memory(fleet->diags) == CT_OK;
}

/* Who came before the replay begins is there at its begin, for what is left of the stay. */
static bool is_left(const struct fleet *fleet, struct cluster_pod *pod) {
    double from = fleet->cluster->fleet.from_s, left = pod->arrive_s + pod->stay_s - from;
    pod->arrive_s = fmax(0, pod->arrive_s - from);
    pod->stay_s = left < pod->stay_s ? left : pod->stay_s;
    return pod->stay_s > 0;
}

static bool read_row(void *context) {
    struct fleet *fleet = context;
    struct cluster_pod pod = {0};
    double gpus;
    if (!read_app(fleet, &pod.app) || !read_times(fleet, &pod) || !read_demand(fleet, &pod, &gpus))
        return false;
    fleet->without += gpus == 0;
    fleet->several += gpus > 1;
    bool left = is_left(fleet, &pod);
    while (left && gpus-- > 0) {
        if (fleet->cluster->pods.count == MOST_PODS)
            return csv_error(fleet->csv, "more than %d copies", MOST_PODS);
        if (!ct_vec_push(&fleet->cluster->pods, pod))
            return ct_out_of_memory(fleet->diags) == CT_OK;
    }
    return true;
}

/* ---- The file ---- */

static bool read_header(struct fleet *fleet) {
    if (csv_next(fleet->csv) != CSV_ROW)
        return csv_error(fleet->csv, "has no header");
    for (size_t c = 0; c < COLUMNS; c++)
        fleet->places[c] = csv_find(fleet->csv, columns[c]);
    if (!has(fleet, ARRIVE) && !has(fleet, CREATED))
        return csv_error(fleet->csv, "has no column 'arrive_s' or 'creation_time'");
    if (!has(fleet, APP) && fleet->cluster->workload.apps.count > 1)
        return csv_error(fleet->csv, "has no column 'app', and there are several applications");
    return true;
}

static void say_what_is_left_out(const struct fleet *fleet, const char *path,
                                 struct ct_diags *diags) {
    if (fleet->without)
        ct_notice(diags, path, "%llu rows ask for no GPU and are left out",
                  (unsigned long long)fleet->without);
    if (fleet->several)
        ct_notice(diags, path, "%llu rows ask for several GPUs: each of these is placed by itself",
                  (unsigned long long)fleet->several);
}

int cluster_fleet_read(struct cluster *cluster, struct ct_diags *diags) {
    struct workload *w = &cluster->workload;
    struct fleet fleet = {.cluster = cluster, .diags = diags};
    const char *path = share_find(&w->arena, diags->files, "traces", cluster->fleet.file, w->path);
    if (!path)
        return ct_usage_error(diags, w->path,
                              "fleet: no file '%s' beside the cluster or in COTENANT_TRACE_PATH",
                              cluster->fleet.file);
    fleet.csv = csv_open(path, diags);
    bool ok = fleet.csv && read_header(&fleet) && csv_read_rest(fleet.csv, read_row, &fleet);
    cluster->comes_and_goes = true;
    if (ok)
        say_what_is_left_out(&fleet, path, diags);
    csv_close(fleet.csv);
    return ok ? CT_OK : CT_DATA;
}
