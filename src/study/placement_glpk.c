/* The only file that knows GLPK. */
#include "study/placement.h"

#ifdef COTENANT_GLPK

#include <glpk.h>
#include <math.h>

struct vertex {
    double supply; /* negative: demand */
};
struct arc {
    double low, capacity, cost, flow;
};

bool placement_can_assign(struct ct_diags *diags) {
    (void)diags;
    return true;
}

static double supply_of(uint32_t vertex, uint32_t rows, const uint32_t *room, uint32_t columns,
                        const uint32_t *wanted) {
    double left = 0;
    if (vertex < rows)
        return -(double)room[vertex];
    if (vertex < rows + columns)
        return wanted[vertex - rows];
    for (uint32_t r = 0; r < rows; r++)
        left += room[r];
    for (uint32_t c = 0; c < columns; c++)
        left -= wanted[c];
    return left;
}

/* Columns send to rows; a last column without a score fills the room that is left. */
static void build(glp_graph *graph, const double *scores, uint32_t rows, const uint32_t *room,
                  uint32_t columns, const uint32_t *wanted) {
    glp_add_vertices(graph, (int)(rows + columns + 1));
    for (uint32_t v = 0; v < rows + columns + 1; v++) {
        struct vertex *vertex = graph->v[v + 1]->data;
        vertex->supply = supply_of(v, rows, room, columns, wanted);
    }
    for (uint32_t c = 0; c <= columns; c++)
        for (uint32_t r = 0; r < rows; r++) {
            double score = c < columns ? scores[(size_t)r * columns + c] : 0;
            if (isinf(score))
                continue;
            glp_arc *to = glp_add_arc(graph, (int)(rows + c + 1), (int)(r + 1));
            *(struct arc *)to->data = (struct arc){0, room[r], -nearbyint(1e4 * score), 0};
        }
}

static void read_flow(const glp_graph *graph, uint32_t rows, uint32_t columns, uint32_t *flow) {
    for (uint32_t c = 0; c < columns; c++)
        for (const glp_arc *a = graph->v[rows + c + 1]->out; a; a = a->t_next)
            flow[(size_t)(a->head->i - 1) * columns + c] =
                (uint32_t)nearbyint(((const struct arc *)a->data)->flow);
}

int placement_assign(const double *scores, uint32_t rows, const uint32_t *room, uint32_t columns,
                     const uint32_t *wanted, uint32_t *flow, struct ct_diags *diags) {
    double cost;
    glp_term_out(GLP_OFF);
    glp_graph *graph = glp_create_graph(sizeof(struct vertex), sizeof(struct arc));
    build(graph, scores, rows, room, columns, wanted);
    int result =
        glp_mincost_okalg(graph, offsetof(struct vertex, supply), offsetof(struct arc, low),
                          offsetof(struct arc, capacity), offsetof(struct arc, cost), &cost,
                          offsetof(struct arc, flow), -1);
    bool known = result == 0 || result == GLP_ENOPFS; /* or there is no assignment */
    if (result == 0)
        read_flow(graph, rows, columns, flow);
    if (!known)
        ct_error(diags, "placement", "GLPK found no assignment (its code is %d)", result);
    glp_delete_graph(graph);
    glp_free_env();
    return known ? CT_OK : CT_DATA;
}

#else

bool placement_can_assign(struct ct_diags *diags) {
    ct_error(diags, "placement",
             "'hungarian' needs GLPK, which this program was built without (libglpk-dev)");
    return false;
}

int placement_assign(const double *scores, uint32_t rows, const uint32_t *room, uint32_t columns,
                     const uint32_t *wanted, uint32_t *flow, struct ct_diags *diags) {
    (void)scores, (void)rows, (void)room, (void)columns, (void)wanted, (void)flow;
    return placement_can_assign(diags) ? CT_OK : CT_USAGE;
}

#endif
