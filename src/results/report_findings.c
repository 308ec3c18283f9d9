#include "results/report_findings.h"

#include "results/report_bounds.h"

#include <inttypes.h>
#include <math.h>

enum keeps { NO_TARGETS, KEEPS_ALL, KEEPS_OPEN, KEEPS_NOT };

struct findings {
    struct doc *doc;
    const struct report *const *reports;
    const char *const *names;
    size_t count;
};

static enum keeps keeps_of(const struct report *r) {
    enum keeps keeps = NO_TARGETS;
    for (size_t i = 0; i < r->app_count; i++) {
        struct report_target targets[REPORT_TARGETS];
        size_t count = report_targets(&r->apps[i], targets);
        for (size_t t = 0; t < count; t++) {
            enum keeps one = targets[t].met == REPORT_YES  ? KEEPS_ALL
                             : targets[t].met == REPORT_NO ? KEEPS_NOT
                                                           : KEEPS_OPEN;
            keeps = one > keeps ? one : keeps;
        }
    }
    return keeps;
}

static const char *add_name(const struct findings *f, const char *list, size_t i) {
    return doc_words(f->doc, "%s%s%s", list, *list ? ", " : "", f->names[i]);
}

/* "mps, fifo"; "": none. */
static const char *names_of(const struct findings *f, enum keeps keeps) {
    const char *list = "";
    for (size_t i = 0; i < f->count; i++)
        if (keeps_of(f->reports[i]) == keeps)
            list = add_name(f, list, i);
    return list;
}

static double stp_of(const struct findings *f, size_t i) {
    return f->reports[i]->system.stp;
}

int64_t report_most_stp(const struct report *report) {
    int64_t instances = 0;
    for (size_t i = 0; i < report->app_count; i++)
        instances += report->apps[i].instances;
    return instances;
}

/* Whether its STP is more than an upper bound. */
static bool is_known(const struct findings *f, size_t i) {
    return !isnan(stp_of(f, i)) && *report_bounds_of(f->reports[i]).stp != '<';
}

static bool is_among(const struct findings *f, size_t i, bool kept) {
    return is_known(f, i) && (!kept || keeps_of(f->reports[i]) == KEEPS_ALL);
}

/* The largest known STP of all, or of those that keep every target; `count`: none is known. */
static size_t top_of(const struct findings *f, bool kept) {
    size_t top = f->count;
    for (size_t i = 0; i < f->count; i++)
        if (is_among(f, i, kept) && (top == f->count || stp_of(f, i) > stp_of(f, top)))
            top = i;
    return top;
}

/* "STP <1.85 of 3 (within 1 %: fifo)" */
static const char *throughput_of(const struct findings *f, size_t top, bool kept) {
    const char *close = "";
    for (size_t i = 0; i < f->count; i++)
        if (i != top && is_among(f, i, kept) && stp_of(f, i) >= 0.99 * stp_of(f, top))
            close = add_name(f, close, i);
    return doc_words(f->doc, "STP %s%s of %" PRId64 "%s%s%s", report_bounds_of(f->reports[top]).stp,
                     doc_number(f->doc, stp_of(f, top)), report_most_stp(f->reports[top]),
                     *close ? " (within 1 %: " : "", close, *close ? ")" : "");
}

static void write_targets(const struct findings *f) {
    const char *good = names_of(f, KEEPS_ALL), *open = names_of(f, KEEPS_OPEN);
    const char *bad = names_of(f, KEEPS_NOT);
    if (*good)
        doc_item(f->doc, "Every target is met under %s.", good);
    else if (*open || *bad)
        doc_item(f->doc, "No policy %s every target.", *open ? "is known to meet" : "meets");
    if (*open && (*good || *bad))
        doc_item(f->doc, "Not known under %s: too few jobs, or overload.", open);
    const size_t top = top_of(f, true);
    if (top < f->count && top != top_of(f, false))
        doc_item(f->doc, "Of those that meet every target, %s has the highest throughput: %s.",
                 f->names[top], throughput_of(f, top, true));
}

void report_findings_write(struct doc *doc, const struct report *const *reports,
                           const char *const *names, size_t count) {
    const struct findings f = {doc, reports, names, count};
    write_targets(&f);
    const size_t top = top_of(&f, false);
    if (top == count || count < 2)
        return;
    bool all_known = true;
    for (size_t i = 0; i < count; i++)
        all_known = all_known && is_known(&f, i);
    const double late = report_worst_late_pct(reports[top]);
    const char *of_late =
        isnan(late)
            ? ""
            : doc_words(doc, ", with %s %% late jobs of its worst service", doc_number(doc, late));
    doc_item(doc, "The highest throughput of all%s: %s, %s%s.",
             all_known ? "" : " whose STP is known", names[top], throughput_of(&f, top, false),
             of_late);
}
