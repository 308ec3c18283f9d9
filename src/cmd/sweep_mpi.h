/*
 * A sweep over several processes by Open MPI: the first one has the store and a thread that works
 * on points, the others work on points that it lends them and ask it for kept results. Without Open
 * MPI at build time there is one process.
 */
#ifndef SWEEP_MPI_H
#define SWEEP_MPI_H

#include "study/sweep_cache.h"
#include "study/sweep_points.h"

struct sweep_mpi {
    int rank, processes; /* 0 and 1 where mpirun did not start the program */
    bool open;
};

/* Joins the others that mpirun started. CT_USAGE where it did and the program was built without
 * Open MPI; close in every case. */
int sweep_mpi_open(struct sweep_mpi *mpi, struct ct_diags *diags);
void sweep_mpi_close(struct sweep_mpi *mpi);

/* As sweep_points_run, by the first process. */
int sweep_mpi_lead(struct sweep_mpi *mpi, const struct sweep_task *task, struct sweep_cache *cache,
                   uint64_t *finished, struct ct_diags *diags);

/* Of the first process, instead of leading, when it cannot. */
void sweep_mpi_dismiss(struct sweep_mpi *mpi);

/* Kept results, for the others: the first process has them. */
struct run_cache sweep_mpi_runs(struct sweep_mpi *mpi);

/* Works on what the first process lends. enum ct_status. */
int sweep_mpi_follow(struct sweep_mpi *mpi, const struct sweep_task *task, struct ct_diags *diags);

/* Of the others, instead of following, when they cannot. */
void sweep_mpi_leave(struct sweep_mpi *mpi);

#endif
