#include "results/target_words.h"

const char *target_words_name(struct table *table, const struct report_app *app,
                              const struct report_target *target) {
    return target->what ? table_words(table, "%s %s", app->name, target->what) : app->name;
}

const char *target_words_p99(struct table *table, const struct report_target *target,
                             const char *number) {
    return table_words(table, "%s%s%s", target->is_bound ? ">" : "", number,
                       target->met == REPORT_NO ? "!" : "");
}

const char *target_words_dropped(struct doc *doc, const struct report_app *app) {
    const struct report_server *server = &app->server;
    if (!report_drops_too_many(server->lost_fraction, 1))
        return NULL;
    return doc_words(doc, "%s %% of %s requests were dropped",
                     doc_number(doc, 100 * server->lost_fraction),
                     server->requests == app->jobs ? "its" : "the pipeline's");
}
