#include "explain/block_moves.h"

#include "base/ct_sort.h"
#include "format/csv_text.h"

#include <stdlib.h>

/* Blocks that follow others on slots are told of late. */
static int compare_moves(const void *a, const void *b) {
    const struct result_block_move *x = *(const struct result_block_move *const *)a,
                                   *y = *(const struct result_block_move *const *)b;
    if (x->time_ps != y->time_ps)
        return x->time_ps < y->time_ps ? -1 : 1;
    return x->order < y->order ? -1 : 1;
}

static void write_move(const struct result_run *run, const struct result_block_move *m, FILE *out) {
    csv_write_cells(out, (double)m->time_ps / (double)CT_PS_PER_US, m->change,
                    run->report.apps[m->app].name, m->instance);
    if (m->blocks == 0)
        fputs(",,,,,", out);
    else {
        fputc(',', out);
        csv_write_cells(out, m->job, m->task, m->first_sm, m->last_sm, m->blocks);
    }
    fputc('\n', out);
}

int block_moves_write(const struct result_run *run, FILE *out, struct ct_diags *diags) {
    const struct result_block_move **order =
        calloc(run->block_move_count + 1, sizeof(const struct result_block_move *));
    if (!order)
        return ct_out_of_memory(diags);
    for (size_t i = 0; i < run->block_move_count; i++)
        order[i] = &run->block_moves[i];
    ct_sort(order, run->block_move_count, sizeof *order, compare_moves);
    fputs("time_us,change,app,instance,job,task,first_sm,last_sm,blocks\n", out);
    for (size_t i = 0; i < run->block_move_count; i++)
        write_move(run, order[i], out);
    free(order);
    return ferror(out) ? CT_DATA : CT_OK;
}
