/* The decision log in words. */
#include "explain/explain.h"

#include "format/table.h"

#include <math.h>

/* NAN: it is about none. */
static double known(int64_t number) {
    return number < 0 ? NAN : (double)number;
}

int explain_log(const struct result_run *run, int format, FILE *out) {
    struct ct_arena arena = {0};
    struct table table = table_start("n=number:0 | ms=time_ms:3 | =hook | =verb | app | "
                                     "=instance:0 | job:0 | task:0 | what it did, and why=words");
    for (size_t i = 0; i < run->decision_count; i++) {
        const struct result_decision *d = &run->decisions[i];
        const char *words = explain_decision(run, d, &arena);
        table.failed |= !words;
        table_row(&table, (double)d->number, ct_time_ms(d->time_ps), d->hook,
                  ct_verb_text(d->verb, d->outcome),
                  d->app < 0 ? NULL : run->report.apps[d->app].name, known(d->instance),
                  known(d->job), known(d->task), words);
        if (arena.bytes > 1 << 20)
            ct_arena_free(&arena);
    }
    ct_arena_free(&arena);
    return table_print(&table, out, (enum table_format)format);
}
