/* What a job is, from the text that people write. */
#include "base/ct_text.h"
#include "format/csv_reader.h"
#include "ingest/import_builder.h"

#include <stdlib.h>
#include <string.h>

static int parse_gap(const char *text, const char *setting, struct import_options *options,
                     struct ct_diags *diags) {
    double ms;
    const char *end = csv_scan_number(text, &ms);
    options->cut = IMPORT_CUT_GAP;
    if (!end || *end || !(ms > 0 && ms <= 1e9)) {
        ct_error(diags, "", "'%s' of '%s gap:MS' is not a number of milliseconds above 0", text,
                 setting);
        return CT_USAGE;
    }
    options->gap_ps = ct_time_round(ms * (double)CT_PS_PER_MS);
    return CT_OK;
}

int import_parse_jobs(const char *text, const char *setting, struct import_options *options,
                      struct ct_diags *diags) {
    static const struct {
        const char *name;
        enum import_cut cut;
    } cuts[] = {{"auto", IMPORT_CUT_AUTO}, {"whole", IMPORT_CUT_WHOLE}, {"step", IMPORT_CUT_STEP}};
    static const char *const names[] = {"auto",      "whole",     "step",
                                        "nvtx:NAME", "from:NAME", "gap:MS"};
    char hint[CT_HINT_BYTES];
    for (size_t i = 0; i < CT_COUNT_OF(cuts); i++)
        if (strcmp(text, cuts[i].name) == 0) {
            options->cut = cuts[i].cut;
            return CT_OK;
        }
    if (strncmp(text, "gap:", 4) == 0)
        return parse_gap(text + 4, setting, options, diags);
    bool inside = strncmp(text, "nvtx:", 5) == 0, from = strncmp(text, "from:", 5) == 0;
    if ((inside || from) && text[5]) {
        options->cut = inside ? IMPORT_CUT_MARK : IMPORT_CUT_FROM;
        options->mark_name = text + 5;
        return CT_OK;
    }
    ct_error(diags, "", "unknown value of '%s': '%s'%s", setting, text,
             ct_text_hint_or_all(hint, text, names, CT_COUNT_OF(names)));
    return CT_USAGE;
}
