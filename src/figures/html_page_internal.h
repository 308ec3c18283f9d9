/* What the parts of the page share; nobody else includes it. */
#ifndef HTML_PAGE_INTERNAL_H
#define HTML_PAGE_INTERNAL_H

#include "figures/html_page.h"
#include "figures/report_curves.h"
#include "format/json_writer.h"
#include "results/report_json.h"

#define HTML_NO_LIMIT UINT64_MAX /* of bytes */

/* A job to be told about, named so that it is found again in another run. */
struct html_job {
    const char *app;
    uint32_t instance;
    uint64_t number;
    ct_time_ps arrival_ps;
};

/* A run whose jobs, decisions and curves over time are shown. */
struct html_detail {
    size_t source;
    int64_t number;                 /* number in its store of the run that is read */
    const struct result_run *shown; /* that run, or the pooled one that it is a replication of */
    size_t label;                   /* index of the shown run; SIZE_MAX: a further run */
    const char *set;                /* of a further run, as in html_shown */
    CT_VEC(struct html_job) slowest;
};

struct html_shown {
    size_t source;
    const struct result_run *run;
    const struct report_point *point; /* of a sweep; NULL: of none */
    const char *set; /* what was set for it and not for all others of its name; "" */
    size_t setting;  /* number of the first run that is shown of the same but for the policy */
};

struct html_page {
    const struct html_source *sources;
    size_t source_count;
    const struct html_choice *choice;
    struct html_summary *summary;
    struct ct_diags *diags;
    struct ct_arena arena;
    struct result_set *sets;                      /* the reports of each source */
    const struct result_comparison **comparisons; /* the newest of each source; NULL: none, or one
                                                     of each point of a sweep */
    CT_VEC(struct html_shown) shown;
    CT_VEC(struct html_detail) details;
    const char *sweep; /* name of the sweep that it is about; NULL: of none */
    struct json_writer json;
};

/* html_curves.c: member "curves", distributions of latency; notes the slowest jobs of each detail
 * on the way. enum ct_status. */
int html_write_curves(struct html_page *page);

/* html_detail.c: member "details". enum ct_status. */
int html_write_details(struct html_page *page);

/* html_log.c: member "log" of a detail: decisions of at most `left` bytes (HTML_NO_LIMIT: all),
 * which are taken off; those first that were made while one of the slowest jobs was there. False
 * when memory ran out. */
bool html_write_log(struct html_page *page, const struct result_run *run,
                    const struct result_job *const *slowest, size_t count, uint64_t *left);

/* html_curves.c: member "usage" of a detail: its samples in bins. False when memory ran out. */
bool html_write_usage(struct json_writer *json, const struct result_run *run);

/* Texts by number: they are written once, behind what refers to them. */
struct html_texts {
    CT_VEC(const char *);
};
/* A new text is copied into the arena; SIZE_MAX when memory ran out. */
size_t html_text_number(struct html_texts *texts, const char *text, struct ct_arena *arena);

/* A stream that is used again and again to learn how many bytes something takes. Zero-initialise.
 */
struct html_scale {
    FILE *out;
    char *text;
    size_t size;
};
/* A writer of an array into it; out is NULL when memory ran out. */
struct json_writer html_scale_begin(struct html_scale *scale);
uint64_t html_scale_end(struct html_scale *scale); /* bytes since then */
void html_scale_free(struct html_scale *scale);

/* To six digits: more than a screen can show. */
double html_rounded(double number);

/* Microseconds rounded to nanoseconds: what a screen can show. Negative (it did not happen): null.
 */
void html_write_us(struct json_writer *json, const char *key, ct_time_ps time);

#endif
