#include "results/target_words.h"

const char *target_words_name(struct table *table, const struct report_app *app,
                              const struct report_target *target) {
    return target->what ? table_words(table, "%s %s", app->name, target->what) : app->name;
}

/* Of the times between tokens nothing is known before a request has ended. */
const char *target_words_p99(struct table *table, const struct report_app *app,
                             const struct report_target *target, const char *number) {
    return table_words(table, "%s%s%s", app->overloaded == REPORT_YES && !target->what ? ">" : "",
                       number, target->met == REPORT_NO ? "!" : "");
}
