#include "cmd/sweep_mpi.h"

#include <stdlib.h>

#ifdef COTENANT_MPI

#include <mpi.h>
#include <time.h>

/*
 * The others only ask, one question at a time: a header, bytes behind it where there are any, and
 * the first process answers in the same form.
 */
enum tag { TAG_QUESTION, TAG_QUESTION_BYTES, TAG_ANSWER, TAG_ANSWER_BYTES };
enum question { ASK_POINT, ASK_RETURN, ASK_TAKE, ASK_GIVE, ASK_LEAVE };
enum answer { ANSWER_POINT, ANSWER_WAIT, ANSWER_OVER, ANSWER_KEPT, ANSWER_YOURS, ANSWER_FAILED };

struct message {
    uint64_t kind, number, high, low, size;
};
enum { WORDS = 5 };

/* How long somebody who has nothing to do sleeps: half a millisecond. */
enum { NAP_NS = 500000 };

static void nap(void) {
    nanosleep(&(const struct timespec){.tv_nsec = NAP_NS}, NULL);
}

int sweep_mpi_open(struct sweep_mpi *mpi, struct ct_diags *diags) {
    int given = 0;
    *mpi = (struct sweep_mpi){.processes = 1};
    if (!getenv("OMPI_COMM_WORLD_SIZE"))
        return CT_OK;
    mpi->open = MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &given) == MPI_SUCCESS;
    if (!mpi->open || given < MPI_THREAD_FUNNELED)
        return ct_data_error(diags, "",
                             "Open MPI does not start, or not for programs with threads");
    MPI_Comm_rank(MPI_COMM_WORLD, &mpi->rank);
    MPI_Comm_size(MPI_COMM_WORLD, &mpi->processes);
    return CT_OK;
}

void sweep_mpi_close(struct sweep_mpi *mpi) {
    if (mpi->open)
        MPI_Finalize();
    mpi->open = false;
}

static void send(const struct message *message, const unsigned char *bytes, int to, int tag) {
    MPI_Send(message, WORDS, MPI_UINT64_T, to, tag, MPI_COMM_WORLD);
    if (message->size)
        MPI_Send(bytes, (int)message->size, MPI_BYTE, to, tag + 1, MPI_COMM_WORLD);
}

/* Bytes are malloc'ed; NULL when there are none. False when memory ran out. */
static bool receive(struct message *message, unsigned char **bytes, int from, int tag) {
    *bytes = NULL;
    MPI_Recv(message, WORDS, MPI_UINT64_T, from, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (!message->size)
        return true;
    *bytes = malloc(message->size);
    if (*bytes)
        MPI_Recv(*bytes, (int)message->size, MPI_BYTE, from, tag + 1, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    return *bytes;
}

/* ---- The first process ---- */

struct leader {
    struct sweep_board board;
    struct sweep_cache *cache;
    int following, left; /* processes that may still ask; those that could not begin */
};

static void answer_point(struct leader *leader, struct message *answer) {
    bool over = false, lent = sweep_board_lend(&leader->board, &answer->number, &over);
    answer->kind = lent ? ANSWER_POINT : over ? ANSWER_OVER : ANSWER_WAIT;
}

static void answer_take(struct leader *leader, struct ct_hash key, struct message *answer,
                        unsigned char **bytes, struct ct_diags *diags) {
    enum sweep_answer found;
    size_t size = 0;
    int status = sweep_cache_ask(leader->cache, key, &found, bytes, &size, diags);
    answer->size = *bytes ? size : 0;
    answer->kind = status != CT_OK            ? ANSWER_FAILED
                   : found == SWEEP_KEPT      ? ANSWER_KEPT
                   : found == SWEEP_UNDER_WAY ? ANSWER_WAIT
                                              : ANSWER_YOURS;
}

static int serve(struct leader *leader, int from, struct ct_diags *diags) {
    struct message question, answer = {.kind = ANSWER_YOURS};
    unsigned char *bytes, *found = NULL;
    if (!receive(&question, &bytes, from, TAG_QUESTION))
        return ct_out_of_memory(diags);
    struct ct_hash key = {question.high, question.low};
    int status = CT_OK;
    if (question.kind == ASK_POINT)
        answer_point(leader, &answer);
    else if (question.kind == ASK_TAKE)
        answer_take(leader, key, &answer, &found, diags);
    else if (question.kind == ASK_GIVE)
        status = sweep_cache_give(leader->cache, key, bytes, question.size, diags);
    else if (question.kind == ASK_LEAVE)
        leader->left++, answer.kind = ANSWER_OVER;
    else /* failed or not: a thread here goes over it, and meets the same failure */
        sweep_board_return(&leader->board, question.number);
    if (answer.kind == ANSWER_OVER)
        leader->following--;
    send(&answer, found, from, TAG_ANSWER);
    free(bytes);
    free(found);
    return status;
}

/* Answers the other processes until each knows that nothing is left. */
static void serve_all(struct leader *leader, struct ct_diags *diags) {
    while (leader->following > 0) {
        int waits = 0;
        MPI_Status from;
        MPI_Iprobe(MPI_ANY_SOURCE, TAG_QUESTION, MPI_COMM_WORLD, &waits, &from);
        if (ct_is_interrupted(&leader->board.job->listener))
            sweep_board_stop(&leader->board, CT_INTERRUPTED);
        if (!waits) {
            nap();
            continue;
        }
        int status = serve(leader, from.MPI_SOURCE, diags);
        if (status != CT_OK)
            sweep_board_stop(&leader->board, status);
    }
}

int sweep_mpi_lead(struct sweep_mpi *mpi, struct sweep_job *job, struct ct_diags *diags) {
    struct leader leader = {.cache = &job->cache, .following = mpi->processes - 1};
    struct ct_diags served = {0};
    pthread_t thread;
    int status = sweep_board_open(&leader.board, job, (uint64_t)mpi->processes, diags);
    bool started =
        status == CT_OK && pthread_create(&thread, NULL, sweep_board_work, &leader.board) == 0;
    if (!started)
        sweep_board_stop(&leader.board, CT_DATA);
    serve_all(&leader, &served);
    if (started)
        pthread_join(thread, NULL);
    else if (status == CT_OK)
        ct_error(diags, "", "cannot start a thread");
    ct_diags_add(diags, &served);
    ct_diags_free(&served);
    if (leader.left)
        ct_warning(diags, "", "%d of %d processes could not read the sweep and took no part",
                   leader.left, mpi->processes);
    int ended = sweep_board_close(&leader.board);
    return status == CT_OK ? ended : status;
}

void sweep_mpi_dismiss(struct sweep_mpi *mpi) {
    for (int left = mpi->processes - 1; left > 0; left--) {
        struct message question, answer = {.kind = ANSWER_OVER};
        unsigned char *bytes;
        MPI_Status from;
        MPI_Probe(MPI_ANY_SOURCE, TAG_QUESTION, MPI_COMM_WORLD, &from);
        receive(&question, &bytes, from.MPI_SOURCE, TAG_QUESTION);
        free(bytes);
        send(&answer, NULL, from.MPI_SOURCE, TAG_ANSWER);
    }
}

/* ---- The others ---- */

static bool ask(struct message question, const unsigned char *bytes, struct message *answer,
                unsigned char **found) {
    send(&question, bytes, 0, TAG_QUESTION);
    return receive(answer, found, 0, TAG_ANSWER);
}

static int take(void *context, struct ct_hash key, unsigned char **bytes, size_t *size,
                struct ct_diags *diags) {
    struct message answer;
    (void)context;
    for (;;) {
        if (!ask((struct message){.kind = ASK_TAKE, .high = key.high, .low = key.low}, NULL,
                 &answer, bytes))
            return ct_out_of_memory(diags);
        if (answer.kind != ANSWER_WAIT)
            break;
        nap();
    }
    *size = answer.size;
    if (answer.kind != ANSWER_FAILED)
        return CT_OK;
    return ct_data_error(diags, "", "the first process cannot read the store");
}

static int give(void *context, struct ct_hash key, const unsigned char *bytes, size_t size,
                struct ct_diags *diags) {
    struct message answer;
    unsigned char *none;
    (void)context;
    bool told = ask(
        (struct message){
            .kind = ASK_GIVE, .high = key.high, .low = key.low, .size = bytes ? size : 0},
        bytes, &answer, &none);
    free(none);
    return told ? CT_OK : ct_out_of_memory(diags);
}

void sweep_mpi_follow(struct sweep_job *job, struct ct_diags *diags) {
    struct message answer;
    unsigned char *none;
    if (job)
        job->runs = (struct run_cache){NULL, take, give, false};
    for (;;) {
        ask((struct message){.kind = job ? ASK_POINT : ASK_LEAVE}, NULL, &answer, &none);
        free(none);
        if (answer.kind == ANSWER_OVER)
            return;
        if (answer.kind == ANSWER_WAIT) {
            nap();
            continue;
        }
        struct sweep_part *done = NULL;
        sweep_job_work(job, answer.number, &done, diags);
        sweep_part_drop(done);
        ask((struct message){.kind = ASK_RETURN, .number = answer.number}, NULL, &answer, &none);
        free(none);
    }
}

#else

void sweep_mpi_dismiss(struct sweep_mpi *mpi) {
    (void)mpi;
}

int sweep_mpi_open(struct sweep_mpi *mpi, struct ct_diags *diags) {
    *mpi = (struct sweep_mpi){.processes = 1};
    const char *size = getenv("OMPI_COMM_WORLD_SIZE");
    if (!size || strtol(size, NULL, 10) < 2)
        return CT_OK;
    return ct_usage_error(
        diags, "",
        "this program was built without Open MPI (libopenmpi-dev): each of the %s processes "
        "would run the whole sweep",
        size);
}

void sweep_mpi_close(struct sweep_mpi *mpi) {
    (void)mpi;
}

int sweep_mpi_lead(struct sweep_mpi *mpi, struct sweep_job *job, struct ct_diags *diags) {
    (void)mpi;
    return sweep_points_run(job, 1, diags);
}

void sweep_mpi_follow(struct sweep_job *job, struct ct_diags *diags) {
    (void)job;
    (void)diags;
}

#endif
