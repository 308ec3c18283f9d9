/*
 * A sweep over several processes by Open MPI: the first one has the store and a thread that works
 * on points, the others work on points that it lends them and ask it for kept results. Without Open
 * MPI at build time there is one process.
 */
#ifndef SWEEP_MPI_H
#define SWEEP_MPI_H

#include "study/sweep_points.h"

struct sweep_mpi {
    int rank, processes; /* 0 and 1 where mpirun did not start the program */
    bool open;
};

/* Joins the others that mpirun started. CT_USAGE where it did and the program was built without
 * Open MPI; close in every case. */
int sweep_mpi_open(struct sweep_mpi *mpi, struct ct_diags *diags);
void sweep_mpi_close(struct sweep_mpi *mpi);

/* What the first process does: sweep_points_run, lending points to the others. */
int sweep_mpi_lead(struct sweep_mpi *mpi, struct sweep_job *job, struct ct_diags *diags);

/* What the first process does instead of leading when it cannot: tells the others that there is
 * nothing to do. */
void sweep_mpi_dismiss(struct sweep_mpi *mpi);

/* What the others do: work on points that the first process lends, which has the kept results, too.
 * `job` NULL: they cannot, and tell the first process so. */
void sweep_mpi_follow(struct sweep_job *job, struct ct_diags *diags);

#endif
