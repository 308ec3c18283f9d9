/* The capacity frontier as a figure: p99 / target over the load, a curve and its error bars for
 * each policy. */
#include "cmd/plan_plot.h"

#include "cli/cli_draw.h"
#include "figures/figure.h"

#include <stdlib.h>
#include <string.h>

/* Where curves leave the figure: beyond three times the target nobody needs the number. */
#define HIGHEST 3.0

static void write_point(FILE *out, const struct plan *plan, const struct plan_answer *answer,
                        const struct plan_point *point) {
    char text[40];
    snprintf(text, sizeof text, "%.9g", plan_amount(plan, point->load));
    figure_write_label(out, text);
    figure_write_number(out, point->p99_over_qos);
    figure_write_number(out, point->p99_low);
    figure_write_number(out, point->p99_high);
    figure_write_number(out, point->batch_work);
    figure_write_number(out, point->load == answer->holds);
    fputc('\t', out);
    figure_write_label(out, plan->goal == PLAN_PRESET ? plan->presets[(size_t)point->load] : text);
    figure_write_number(out, point->reason == PLAN_BY_OVERLOAD);
    fputc('\n', out);
}

static void measure_point(const struct plan *plan, const struct plan_point *point,
                          struct figure_script *script) {
    double amount = plan_amount(plan, point->load);
    script->least = fmin(script->least, amount);
    script->most = fmax(script->most, amount);
    script->top = fmax(script->top, fmax(point->p99_over_qos, point->p99_high));
    script->intervals |= !isnan(point->p99_high);
    script->bounds |= !isnan(point->batch_work);
}

static int write_figure(struct figure *figure, const struct plan *plan,
                        const struct plan_result *result, const char **labels) {
    static const char *const axes[] = {NULL, "number of GPUs", NULL, "GPU"};
    char axis[200];
    struct figure_script script = {.template = "capacity.gp",
                                   .labels = labels,
                                   .label_count = result->finished,
                                   .service = axis,
                                   .top = 1,
                                   .target = plan->goal == PLAN_PRESET,
                                   .least = INFINITY,
                                   .most = -INFINITY,
                                   .keys = result->finished + 2};
    size_t longest = 0;
    snprintf(axis, sizeof axis,
             plan->goal == PLAN_RATE ? "arrival rate of %s, 1/s" : "instances of %s",
             plan->workload->apps.items[plan->app].name);
    if (axes[plan->goal])
        script.service = axes[plan->goal];
    if (!figure_begin(figure, "capacity", NULL))
        return CT_DATA;
    fputs("# amount, p99 / target, low, high, batch work, 1 for the answer, name, 1 if a lower "
          "bound; "
          "a block for each policy\n",
          figure->data);
    for (uint32_t p = 0; p < result->finished; p++) {
        const struct plan_answer *answer = &result->answers[p];
        labels[p] = answer->policy;
        longest = strlen(answer->policy) > longest ? strlen(answer->policy) : longest;
        for (size_t i = 0; i < answer->points.count; i++) {
            write_point(figure->data, plan, answer, &answer->points.items[i]);
            measure_point(plan, &answer->points.items[i], &script);
        }
        fputs("\n\n", figure->data);
    }
    script.top = fmin(script.top, HIGHEST);
    if (script.bounds) { /* each policy's batch work has an entry of its own */
        script.keys += result->finished;
        script.key_letters = longest + sizeof ": batch work" - 1;
    }
    return figure_end(figure, &script);
}

int plan_plot(const struct plan *plan, const struct plan_result *result, const char *folder,
              struct ct_diags *diags) {
    struct report_plots plots = {0};
    struct figure figure = {.title = plan->workload->name,
                            .gpu = plan->goal == PLAN_PRESET ? "several GPUs" : plan->workload->gpu,
                            .policies = 1,
                            .folder = folder,
                            .plots = &plots,
                            .diags = diags};
    bool any = false;
    for (uint32_t p = 0; p < result->finished; p++)
        any |= result->answers[p].points.count > 0;
    if (!any)
        return CT_OK;
    const char **labels = calloc(result->finished, sizeof *labels);
    int status = labels ? write_figure(&figure, plan, result, labels) : ct_out_of_memory(diags);
    free(labels);
    if (status == CT_OK)
        status = cli_draw_figures(&plots, folder, CLI_SVG, diags);
    report_plots_free(&plots);
    return status;
}
