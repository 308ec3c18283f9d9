#include "run/chance.h"

static bool is_drawn(const struct workload_draw *draw) {
    return draw->kind != WORKLOAD_FIXED;
}

bool chance_in_durations(const struct setup_app *app) {
    return app->synthetic && is_drawn(&app->spec->synthetic.duration_ms);
}

bool chance_in_sizes(const struct setup_app *app) {
    return is_drawn(&app->spec->size) || chance_in_durations(app);
}

bool chance_in_phase(const struct workload_app *spec) {
    return spec->arrivals.process == WORKLOAD_CLOSED &&
           spec->arrivals.start == WORKLOAD_START_PHASE && spec->stop != WORKLOAD_STOP_FIRST_RUN;
}

static bool chance_in_arrivals(const struct workload_app *spec) {
    const struct workload_arrivals *arrivals = &spec->arrivals;
    switch (arrivals->process) {
    case WORKLOAD_DETERMINISTIC:
        return arrivals->split > 1;
    case WORKLOAD_STAGE: /* its feeders tell */
        return false;
    case WORKLOAD_TRACE:
        return !arrivals->replayed || arrivals->split > 1;
    case WORKLOAD_ONCE:
        return is_drawn(&arrivals->delay_ms);
    case WORKLOAD_CLOSED:
        return chance_in_phase(spec) || is_drawn(&arrivals->delay_ms) ||
               is_drawn(&arrivals->think_ms);
    default:
        return true;
    }
}

/* Whether levels are drawn, or tokens and the recorded step that has their time. */
static bool chance_in_server(const struct workload_server *server) {
    return server && (server->level_count > 1 || server->continuous);
}

static bool chance_in(const struct setup_app *app) {
    return app->plan_count > 1 || chance_in_sizes(app) || chance_in_arrivals(app->spec) ||
           chance_in_server(app->spec->server);
}

bool chance_in_instances(const struct setup *setup, uint32_t app) {
    const bool *before = setup->apps[app].spec->arrivals.before;
    bool any = chance_in(&setup->apps[app]);
    for (uint32_t a = 0; before && a < setup->app_count; a++)
        any |= before[a] && chance_in(&setup->apps[a]);
    return any && setup->apps[app].spec->instances > 1;
}
