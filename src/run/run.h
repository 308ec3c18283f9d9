/* Inside of a run: clients, jobs, tasks, the ready pool and the policy. */
#ifndef RUN_H
#define RUN_H

#include "des/des_engine.h"
#include "des/des_stream.h"
#include "run/arrivals.h"
#include "run/batcher.h"
#include "run/continuous.h"
#include "run/host_state.h"
#include "run/measure_state.h"
#include "run/policy_log_state.h"
#include "run/policy_watch.h"
#include "run/ready_state.h"
#include "run/sim.h"
#include "run/slab.h"
#include "run/slices_state.h"

#define RUN_NOBODY UINT32_MAX

struct run_job;
struct run_task;
struct run_line;
struct run_client;

/* ---- What sharing cost a job (sharing_cost.c) ---- */

/* A job on an empty device, from its start. */
struct sharing_solo {
    ct_time_ps run_ps;
    ct_time_ps parts[CT_BLAME_COUNT]; /* that add up to run_ps */
    double own_delay_ps;              /* tasks of the job delayed each other by so much */
};

/* What is kept of a client whose jobs are asked what sharing cost them. */
struct sharing {
    bool known;             /* false: a server forms its batches, alone others than here */
    ct_time_ps *free_ps;    /* by worker: when it would be free, alone */
    ct_time_ps *last_costs; /* of the job that was last on each worker, as sharing_cost has them */
    struct sharing_kind {   /* by choice of job, the first iterations behind the others */
        bool known;
        double size;
        struct sharing_solo solo;
    } * kinds; /* NULL: durations are drawn, no two jobs are the same */
};

/* ---- Jobs that repeat each other (repeats.c) ---- */

/* A job from its start, at time 0. */
struct repeat_life {
    bool known;
    ct_time_ps run_ps, first_ready_ps, first_issue_ps;
    struct run_sums sums;
    double *work_ps; /* of each task, in the order of their ends */
};

struct repeats {
    struct repeat_life *lives; /* by choice of job, those that find the device idle, then those that
                                  begin as another ends; NULL: nothing repeats here */
    struct run_job *looked_at; /* the job that runs, if its life is not known; NULL: none */
    ct_time_ps since_ps;
    struct run_sums before; /* its start */
    uint32_t ended;         /* of its tasks */
    bool any_ended;
    ct_time_ps ended_ps; /* when a job did last */
};

/* ---- Tasks and jobs ---- */

/* What let a task be launched; the walk back along the critical path follows it. */
enum run_release { RUN_BY_JOB_START, RUN_BY_LAUNCH, RUN_BY_TASK };

/* What must be known of each task of a running job, waiting or not: 24 bytes. */
struct run_launch {
    ct_time_ps issued_ps;
    double work_ps;
    bool done;
};

/* The life of one task, kept until its job ends where somebody will ask: for blame, or for an
 * observer of tasks. */
struct run_trail {
    ct_time_ps launched_ps, ready_ps, issued_ps, queued_ps, head_ps, started_ps, ended_ps;
    ct_time_ps predicting_ps; /* between what let it be ready and `ready` */
    ct_time_ps delayed_ps;    /* before `head`: its launch was held up by other applications' */
    ct_time_ps cores_ps;      /* its launch came so late for want of a core */
    double work_ps;
    double loss_ps[DEVICE_LOSS_COUNT];
    uint32_t released_by;   /* RUN_BY_TASK: position in the plan */
    uint32_t stream_before; /* position of the task before it in its stream; RUN_NOBODY */
    uint8_t release;        /* enum run_release */
};

/* A library call of a running job. */
struct run_call {
    struct ct_call view; /* first: the policy's pointer is ours */
    const struct setup_call *call;
    double measured_ps, bytes, instructions; /* sums over kernels that ended; NAN: one is unknown */
};

/* What a job needs while it runs and not while it waits: a backlog may hold millions. */
struct run_room {
    uint32_t *last_in_stream;    /* position last launched, by stream; RUN_NOBODY */
    struct run_launch *launches; /* of each task, by its position in the plan */
    struct run_trail *trail;     /* of each task, by its position in the plan; NULL: nobody asks */
    double *culprit_ps;          /* position x clients; NULL without blame */
    struct host_loss host;       /* NULLs without blame, or where nobody shares the host */
    struct run_call *calls;
    struct sharing_solo solo; /* where the job is asked what sharing cost it */
    ct_time_ps started_ps;    /* when a worker took the job up */
    struct run_room *next;    /* the next one that is free, of the same application */
};

struct run_job {
    struct ct_job view; /* first: the policy's pointer is ours */
    struct run_client *client;
    const struct setup_plan *plan;
    double size;
    struct des_stream durations; /* of synthetic kernels */
    struct des_stream undrawn;   /* the same, before its first kernel */
    uint32_t next;               /* position of the next launch */
    uint32_t ended;
    bool waits_for_task;      /* the host stands in a synchronising call */
    bool waits_for_depth;     /* the host stands in a launch call: the stream's queue is full */
    enum run_release release; /* of the next launch */
    uint32_t released_by;
    ct_time_ps cores_ps;    /* that launch waits so long for a core of the host */
    uint32_t waiting_heads; /* stream heads that wait for a dependency */
    uint32_t worker;        /* that runs it, of its client's */
    uint32_t first_stream;  /* of its worker, of its client's */
    bool counted, first_run;
    struct batcher_request *requests; /* of its batch; NULL: the job is the request */
    uint32_t batch;                   /* how many these are, or sequences of its step */
    bool generates;                   /* it is a part of a step of a generation */
    double stretch;                   /* on the time of its kernels */
    ct_time_ps received_ps;           /* when it arrived, or its batch was formed */
    ct_time_ps alone_ps;     /* latency of the job alone, with the same arrivals; -1: unknown */
    ct_time_ps predicted_ps; /* when the whole job is, for which its first kernel waits; 0: not */
    struct run_room *room;   /* NULL before it starts; the next six are the room's */
    uint32_t *last_in_stream;
    struct run_launch *launches;
    struct run_trail *trail;
    double *culprit_ps;
    struct host_loss host;
    struct run_call *calls;
    struct repeat_life *life;            /* that it is looked at for, or repeats; NULL: neither */
    struct run_job *previous, *next_job; /* of its client, in the order of arrival */
};

struct run_task {
    struct ct_task view; /* first */
    struct run_client *client;
    struct run_job *job;
    const struct setup_step *step;
    uint32_t position;
    int64_t rank;
    bool pooled, awaits_dependency;
    bool due;                /* issued, and its delay is over */
    bool holds;              /* a kernel has block slots */
    ct_time_ps predicted_ps; /* when the prediction of its duration is there */
    ct_share share;
    struct device_task device;
    struct device_presence *presence; /* by group of SMs; NULL: nobody asks */
    struct run_task *next_in_stream, *next_entering;
    uint64_t place; /* how many were launched into its stream before it */
    struct run_task *pool_previous, *pool_next;
};

/* The stream of a job's task, of its client's. */
static inline uint32_t run_stream_of(const struct run_job *job, const struct setup_step *step) {
    return job->first_stream + step->stream;
}

/* A launched task that is not yet made: it waits behind others of its stream. */
struct run_waiting {
    struct run_job *job;
    uint32_t position;
};

/* Tasks of one stream that one may have launched and not ended: the depth seen in real recordings.
 */
#define RUN_QUEUE_DEPTH 1024

/* Tasks of clients that pass straight through, first in first out. */
struct run_line {
    struct run_waiting *ring; /* `size`; NULL: never used */
    uint32_t size, first, count;
};

/* Launched and not yet handed to the device, first in first out. */
struct run_stream {
    struct run_task *first, *last;
    struct run_task *head; /* first that is not issued; NULL: none */
    uint32_t outstanding;  /* launched and not ended */
    uint64_t launched;
    struct run_line behind; /* a running one; of streams with a hardware queue of their own */
};

/* What chance says of a job. */
struct run_job_draws {
    uint32_t choice;
    double size;
    struct des_stream durations; /* of its synthetic kernels */
};

/* What chance says of a request at a stage. */
struct run_draws {
    uint32_t level;
    uint64_t prompt, output;  /* tokens; of a server that generates */
    struct run_job_draws job; /* of a server whose batches are one request */
};

/* A request on its way through the stages of a pipeline. */
struct run_flow {
    uint32_t holders;        /* requests of this flow that are in a server */
    uint32_t *missing;       /* by stage: feeders that have not done with it */
    struct run_draws *draws; /* by stage, made as it came into the pipeline */
    struct run_flow *next;
};

/* A request that generates tokens. */
struct run_sequence {
    struct sequence sequence; /* first */
    struct batcher_request *request;
    ct_time_ps *parts;     /* of its time in steps, CT_BLAME_COUNT; NULL: nobody asks */
    double *delayed_by_ps; /* by application, likewise */
};

/* What a step consists of: a job each, one after the other. */
enum run_part { RUN_SWAP_OUT, RUN_SWAP_IN, RUN_PREFILL, RUN_DECODE, RUN_PARTS };

/* A job that is a part of a step. */
struct run_part_job {
    uint32_t first, jobs; /* of the application: one of these */
    double stretch, size;
    uint32_t batch;
    bool counted;
    ct_time_ps target_ps; /* as the job's */
};

/* A server whose requests generate tokens (generation.c). */
struct run_generation {
    struct continuous continuous;
    struct des_stream prompts, outputs; /* tokens, drawn for each request */
    struct continuous_step step;        /* that runs */
    int part;                           /* that runs or is next, enum run_part; RUN_PARTS: none */
    bool counted;                       /* a request of the step is */
    ct_time_ps due_ps; /* when the step should end, by the targets of its tokens; CT_TIME_NEVER */
    struct continuous_counts at_begin; /* of the window */
};

/* What stands in front of a client (server.c). */
struct run_server {
    struct run_generation *generation; /* NULL: `batcher` forms batches of whole requests */
    struct batcher batcher;
    struct des_stream levels; /* of priority, drawn for each request */
    uint64_t numbered, came;
    uint64_t inside;  /* requests, waiting and running */
    uint64_t refused; /* in this instant, `refused_ps`, when they came */
    ct_time_ps refused_ps;
    des_event look; /* 0: none is planned */
    ct_time_ps look_ps;
    struct batcher_request *free;
    struct run_flow *free_flows;
    struct run_client *root;    /* where its requests came from: itself without earlier stages */
    uint32_t stage;             /* its number among the stages behind the root; of others nothing */
    struct run_client **stages; /* of a root: all that its requests come to later */
    uint32_t stage_count;
    struct run_client **feeds; /* the stages right behind it */
    uint32_t feeds_count, feeder_count;
};

/* A counted job that had not ended when the window did: where in `latency` it is, and its age. */
struct run_cut {
    uint64_t place;
    ct_time_ps age_ps;
};

struct run_client {
    struct ct_client view; /* first */
    struct run *run;
    const struct setup_app *app;
    ct_time_ps qos_ps; /* target of its requests, which may be more than jobs; 0: none */
    uint32_t app_index, first_stream, stream_count; /* of all its workers */
    uint32_t host_pool;
    struct run_stream *streams;
    bool *works; /* by worker */
    struct arrivals arrivals;
    size_t stamp; /* of a recording: of the arrival that comes now */
    struct des_stream choice, sizes, durations;
    struct run_server *server;            /* NULL: every arrival is a job */
    struct run_job *first_job, *last_job; /* unfinished */
    uint32_t workers_busy;
    bool sliced; /* it has a slice of the GPU */
    struct {     /* of its own, which it may share */
        uint32_t profile;
        double gib;  /* needed by all in it, as far as known */
        bool shared; /* the slice is another's: nobody joins by way of this client */
    } slice;
    bool blamed; /* its jobs are asked where they lost time */
    struct sharing sharing;
    struct oracle_plan *oracle; /* by choice of job, see run_plan_number; NULL: nobody has asked */
    bool keeps_trails;          /* somebody asks for the lives of its tasks */
    uint64_t arrived, completed;
    bool passes; /* nothing looks at its tasks before they reach the device: they are made when they
                    run */
    bool shares_queues; /* streams share hardware queues, each other's or those of other clients */
    /* Measured. */
    uint32_t kernels;      /* that have block slots */
    bool stands_still;     /* time slices: another process has the GPU */
    uint64_t in_system;    /* jobs, or requests */
    ct_time_ps changed_ps; /* when their number did last */
    uint64_t first_counted;
    bool any_counted;
    uint64_t counted, counted_open;
    CT_VEC(double) latency;     /* picoseconds, of counted jobs by number; NAN: not ended */
    CT_VEC(struct run_cut) cut; /* counted jobs that had not ended with the window */
};

/* Which of its application's choices a job is: first iterations are behind the others. */
static inline size_t run_plan_number(const struct run_job *job) {
    const struct setup_app *app = job->client->app;
    return job->first_run ? app->plan_count + (size_t)(job->plan - app->first_plans)
                          : (size_t)(job->plan - app->plans);
}

/* Equal parts of the window by which a growing backlog is told from chance. */
#define RUN_SEGMENTS 20

struct run_app {
    struct sim_app_result *result;
    double growth[RUN_SEGMENTS]; /* change of the number of jobs in the system in each segment of
                                    the window */
    uint64_t arrived;            /* in the window */
    uint64_t in_system;
    uint64_t served; /* jobs that ended; the time from their first issue on */
    double served_ps;
    double longest_ps; /* latency of the slowest counted job that ended; 0: none has */
    uint64_t finished_counted;
};

enum run_verb_kind {
    RUN_ISSUE,
    RUN_SET_SHARE,
    RUN_REPARTITION,
    RUN_SET_WEIGHT,
    RUN_SET_SLICE,
    RUN_SHARE_SLICE
};

struct run_verb {
    enum run_verb_kind kind;
    struct run_task *task;
    uint32_t client;
    int64_t share, delay_ps;
    struct run_partition *partition;
    int32_t move;   /* enum ct_move */
    double weight;  /* of the client's requests in the memory controller */
    uint32_t slice; /* index of the slice's profile among those of the GPU; RUN_SHARE_SLICE: the
                       client whose slice it is */
};

struct run_context {
    struct ct_context view; /* first: what hooks get */
    struct run *run;
};

/* What the models said of a task of a job of this size. */
struct run_answer {
    uint64_t version; /* of the models that answered; 0: none has */
    double size;
    ct_share share;
    bool known;
    struct ct_prediction prediction;
};

/* How long a wave of a kernel's blocks takes, which is asked for each number of SMs in turn. What
 * it follows from: step, size of the job, blocks and work of the launch, its time alone, the
 * models. */
struct run_wave {
    const struct setup_step *step; /* NULL: nobody has asked */
    double size, blocks, work_ps, solo_ps;
    uint64_t version;
    double wave_ps;
};

/* Answers to one question: at shares of 0 to 100 % in tenths. */
enum { RUN_ANSWERS = 11 };

/* ---- A run ---- */

struct run {
    const struct sim_params *params;
    const struct setup *setup;
    const struct ct_policy *policy;
    struct sim_result *result;
    struct ct_diags *diags;
    struct ct_arena arena;
    struct des_engine *engine;
    struct device *device;
    struct host host;
    struct run_context context;

    struct run_client *clients;
    uint32_t client_count, stream_count;
    bool each_once; /* each application has one client: their indices are the same */
    struct run_app *apps;

    struct ready_pool pool;
    struct measurement measured;
    struct decision_log log;
    struct what_if what_if;
    struct slices_given sliced;
    struct repeats repeats;
    uint64_t task_number;
    struct slab tasks, jobs; /* all that were made */
    CT_VEC(struct run_task *) free_tasks;
    CT_VEC(struct run_job *) * free_jobs; /* by application */
    struct run_room **free_rooms;         /* by application: rooms that ended jobs left */

    const char *hook;               /* running; NULL: none */
    struct policy_watch_run *watch; /* NULL: nobody watches */
    uint32_t hook_depth;
    CT_VEC(struct run_verb) verbs;
    CT_VEC(struct sim_note) notes;
    struct run_charged *free_charged;
    struct run_partition *free_partitions;
    struct run_trail unasked; /* scratch: the lives of tasks that nobody asks for */
    ct_time_ps charged_ps, predictor_free_ps;
    struct run_asked *asked;    /* by question */
    struct run_answer *answers; /* by question and tenth of the SMs; NULL: no models */
    uint32_t
        first_runs_left; /* of applications that run until all have had one; then the run ends */
    uint32_t why, marks; /* marks: pending events that only look at the clock */
    uint64_t watched;    /* events of the sampler: they belong to no run */
    struct des_stream draws;
    uint64_t rejected;
    uint32_t refused;          /* reasons that were told, a bit each */
    uint32_t timers;           /* timers of the policy that have not rung */
    uint64_t turns;            /* how often the policy woke itself, by timers and repartitions */
    ct_time_ps turns_since_ps; /* when the last million of these began */
    uint32_t reason_count;     /* entries of the policy's table of reasons */
    struct run_task *upcoming; /* last task that a policy was shown ahead; NULL: none */
    struct run_wave wave;      /* of the kernel that was asked about last */
    int failed;                /* enum ct_status; CT_OK: not */
    bool draining, stopped;
    bool cut_off; /* what it waits for takes too long */
    bool fed;     /* jobs are sent from outside: it goes on when its own are counted */
    bool at_gate; /* the loop returns */

    const struct run_job *like; /* every job is a copy of this one; NULL: they are drawn */
    double *culprit_scratch;
    ct_time_ps *costs, *shares; /* scratch: of one job, of one split */
    double *weights;
};

/* jobs.c: arrivals, workers, the end of a job. */
void jobs_start(struct run *run);
/* One arrives at this instant, which a recording has as this stamp. */
void jobs_send(struct run_client *client, size_t stamp);
void jobs_task_ended(struct run_task *task);
void jobs_end(struct run_job *job);
/* Runs a copy of a job on an empty device under mps, on at most this share of the SMs, and tells
 * the observer of it. When that fails, so does the run. */
void jobs_run_copy(struct run *run, const struct run_job *job, ct_share share, bool blame,
                   const struct sim_observer *observer);
/* A job comes, of its own, of a batch of requests (else NULL), or as a part of a step (else NULL);
 * a free worker starts it at once. */
void jobs_arrive(struct run_client *client, struct batcher_request *requests,
                 const struct run_part_job *part);
/* Draws what the client's next job does: of its own, or a batch of so many requests (else 0). */
struct run_job_draws jobs_draw(struct run_client *client, uint32_t batch);
/* A closed client's next arrival, after the end of one. */
void jobs_successor(struct run_client *client);

/* server.c: requests in front of a client. */
bool server_make(struct run *run); /* false: out of memory */
void server_arrival(struct run_client *client);
void server_batch_ended(struct run_client *client, struct run_job *job);
void server_request_ended(struct run_client *client, struct batcher_request *request);
void server_look_now(struct run_client *client); /* once all of this instant is there */
/* What was drawn for a request at a later stage; NULL: it is drawn as it is needed. */
const struct run_draws *server_draws(const struct run_client *client,
                                     const struct batcher_request *request);

/* generation.c: requests that generate tokens. */
bool generation_make(struct run_client *client); /* false: out of memory */
/* Tokens of the prompt and of the output of the next request. */
void generation_draw(struct run_client *client, uint64_t *prompt, uint64_t *output);
/* A request comes with so many tokens; false: it could never be served. */
bool generation_offer(struct run_client *client, struct batcher_request *request, uint64_t prompt,
                      uint64_t output);
void generation_look(struct run_client *client); /* the next part of a step, if none runs */
void generation_part_ended(struct run_client *client);
/* What a request that ended took to its first token, and for each after it (0: there is none). */
double generation_first_token_ps(const struct run_sequence *g);
double generation_each_token_ps(const struct sequence *s);
/* Whether it missed a target of its tokens. */
bool generation_missed_tokens(const struct run_client *client, const struct run_sequence *g);
/* The least of the targets of a client's tokens, 0: none. */
ct_time_ps generation_target(const struct workload_continuous *spec);
/* The sequence of a request in a line; NULL: none. */
static inline struct run_sequence *generation_of(struct sequence *sequence) {
    return (struct run_sequence *)sequence;
}

/* oracle.c: what a job takes alone, from its first task on, on at most this share of the SMs. NAN:
 * the run has failed. */
double oracle_job_ps(struct run *run, const struct run_job *job, ct_share share);

/* completion.c: from the start of the task to its end (predict_completion.h, Eq. 3, 4 and 7).
 * False: its duration is unknown, or it is a kernel whose client holds no SM in the allocation (by
 * client). */
bool completion_predict(struct run *run, const struct run_task *task, const int64_t *allocation,
                        double *time_ps);
/* The task behind this one in its stream and job, valid until the next call; NULL: none. */
const struct ct_task *completion_upcoming(struct run *run, const struct run_task *task);

/* repeats.c: jobs that do what another did. False: memory ran out. */
bool repeats_open(struct run *run);
/* A job starts; true: its end is planned, and nothing of it is launched. */
bool repeats_take(struct run_job *job);
/* A task of the job that is looked at has ended. */
void repeats_task_ended(struct run *run, const struct run_task *task);
void repeats_job_ended(struct run *run, struct run_job *job);
/* `sign` -1: takes them off. */
void repeats_add(struct run_sums *all, const struct run_sums *more, int sign);

/* launch.c: the host model. */
void launch_begin(struct run_job *job);
/* The host has done its part of the next launch, so much later for want of a core. */
void launch_gap_ended(struct run_job *job, ct_time_ps cores_ps);
void launch_task_ended(struct run_job *job, uint32_t position, uint32_t stream);
/* All tasks have ended: the job does when its host is done, too. */
void launch_finish(struct run_job *job);
void launch_room(struct run_client *client,
                 uint32_t stream); /* jobs that wait for room behind another job's tasks */
struct run_task *launch_task(struct run_job *job,
                             uint32_t position); /* made from its plan; NULL: no memory */
/* Thread blocks and, of a kernel, launch shape of a task of this job, launched or not. */
double launch_blocks(const struct run_job *job, const struct setup_step *step);
void launch_grid(const struct run_job *job, const struct setup_step *step, uint32_t grid[3]);
/* Its solo work; durations of synthetic kernels are drawn. */
double launch_work(struct run_job *job, const struct setup_step *step);

/* host.c: cores that launch threads share. */
bool host_init(struct run *run); /* false: memory ran out */
void host_free(struct run *run);
/* The host of a job works for so long (above 0) on its next launch; then launch_gap_ended. False:
 * memory ran out. */
bool host_begin(struct run_job *job, ct_time_ps gap_ps);
void host_begin_window(struct run *run);
/* The part of all cores and of the window in which they had work; NAN: nobody shares them. */
double host_utilisation(struct run *run);

/* ready.c: streams, the ready pool, issue. */
void ready_received(struct run_job *job);
void ready_launched(struct run_job *job, uint32_t position);
void ready_task_ended(struct run_task *task);
/* Tasks that have to end before it: before it in its stream, or of others that it depends on. */
uint32_t ready_ahead(const struct run_task *task);
void ready_rank(struct run *run); /* orders the pool anew */
/* Takes it out of the pool. NULL: all SMs. */
void ready_issue(struct run_task *task, const struct ct_grant *grant);
void ready_apply(struct run_task *task); /* hands it to the device */
void ready_enter(struct run *run);       /* the next of the streams whose first were issued */
/* The pool as a policy walks over it; NULL gives the first. */
struct run_task *ready_look_after(struct run *run, const struct run_task *after);
static inline struct run_task *ready_after(struct run *run, const struct run_task *after) {
    return after && after->pooled && !run->pool.entering_first ? after->pool_next
                                                               : ready_look_after(run, after);
}
bool ready_prepare(struct run *run); /* who passes straight through; false: out of memory */
struct device_task *ready_next(void *context, uint32_t queue); /* of struct device_listener */

/* device_news.c: what the device tells the run; of blocks that move only where somebody watches. */
struct device_listener device_news(struct run *run, bool block_moves);

/* policy_host.c: hooks and verbs. */
extern const struct ct_host policy_host;
void policy_open(struct run *run); /* before policy_wake is called */
void policy_wake(struct run *run, uint32_t why);
void policy_enter(struct run *run, const char *hook);
void policy_leave(struct run *run);
/* Calls a hook of the policy about a task, or about a job, where it has it. */
static inline void policy_tell_task(struct run *run, const char *name,
                                    void (*hook)(struct ct_context *, const struct ct_task *),
                                    const struct ct_task *task) {
    if (!hook)
        return;
    policy_enter(run, name);
    hook(&run->context.view, task);
    policy_leave(run);
}
static inline void policy_tell_job(struct run *run, const char *name,
                                   void (*hook)(struct ct_context *, const struct ct_job *),
                                   const struct ct_job *job) {
    if (!hook)
        return;
    policy_enter(run, name);
    hook(&run->context.view, job);
    policy_leave(run);
}
void policy_fault(struct run *run, const char *text);
/* Before a timer or the end of a repartition calls the policy in `hook`; false: a fault, since
 * these hold time still. */
bool policy_turn(struct run *run, const char *hook);

/* policy_log.c: what if, in a stall; false: the stall is the policy's own. */
bool policy_reconsider(struct run *run);

/* measure.c: what the run leaves behind. */
bool measure_start(struct run *run);
void measure_job_arrived(struct run *run, struct run_job *job);
void measure_job_ended(struct run *run, struct run_job *job);
void measure_request_arrived(struct run_client *client, struct batcher_request *request);
/* It had come into the server, or not. */
void measure_request_dropped(struct run_client *client, const struct batcher_request *request,
                             enum sim_drop why, bool had_come);
/* A batch, or a step of a generation, of which a request is counted. */
void measure_batch(struct run_client *client, uint64_t size);
/* A request that has all its tokens. */
void measure_generated(struct run_client *client, const struct run_sequence *generation);
void measure_task_started(struct run *run, struct run_task *task);
/* A kernel has block slots from now on, or no longer. */
void measure_kernel_holds(struct run_task *task, bool holds);
/* Time slices: it has the GPU from now on, or no longer. */
void measure_slice_changed(struct run_client *client, bool has_it);
void measure_task_ended(struct run *run, struct run_task *task);
/* A job that repeats another ends: what its tasks did. */
void measure_repeat(struct run *run, const struct run_job *job);
void measure_begin_window(struct run *run);
void measure_end_window(struct run *run);
bool measure_finish(struct run *run);
/* What the device has used, what repeated jobs did included. */
struct device_usage measure_usage(const struct run *run);

/* slowest.c: the slowest jobs of an application and where their time went. */

/* A job or request that has ended, or has not when the run has. */
struct slowest_job {
    uint64_t number;
    ct_time_ps latency_ps;   /* or its age */
    const ct_time_ps *parts; /* of its latency */
    ct_time_ps alone_ps;     /* latency alone, with the same arrivals; -1: unknown, or it
                                has not ended */
    bool missed;             /* other targets than its latency's */
};

/* Keeps a job, with who delayed it in the run's scratch, if it is one of the slowest so far. Memory
 * that ran out fails the run.
 */
void slowest_keep(struct run *run, struct run_app *app, const struct slowest_job *job);

/* After the run: as many as it takes, and of how many jobs they are. */
void slowest_finish(const struct run_app *app);

/* overload.c: at the end of the window. */
bool overload_is_seen(const struct run_app *app);

/* laws.c: after the run. The first law of conservation that does not hold, with so many tasks that
 * still run; NULL: all do. */
const char *laws_broken(const struct run *run, uint64_t running);
bool laws_littles_holds(const struct run *run);
bool laws_utilisation_holds(const struct run *run);

/* sampler.c: curves over time, where somebody watches. */
void sampler_start(struct run *run);

/* looks.c: before the clock, so that a look at the end of the window comes before that end. */
void looks_start(struct run *run);

/* blame.c */
void blame_job(struct run *run, const struct run_job *job, ct_time_ps *parts,
               double *delayed_by_ps);
/* Blames the time, up to the end of the run, of a job that has not ended then. What runs must have
 * been noted. */
void blame_unfinished(struct run *run, struct run_job *job, ct_time_ps *parts,
                      double *delayed_by_ps);
void blame_on_device(struct run_task *task); /* notes what the device has counted of it */

/* sharing_cost.c: what sharing cost a job. How many numbers sharing_cost writes: by cause, by
 * application, and of nobody's doing. */
size_t sharing_count(const struct run *run);

/* Before the first job. False: memory ran out. */
bool sharing_open(struct run *run);

/* A job starts: finds what it takes alone. */
void sharing_begin(struct run *run, struct run_job *job);

/*
 * A job ends, with the parts of its time and what each application delayed it. `costs` add up, by
 * cause and by whom, to its latency minus job->alone_ps. False: that is unknown.
 */
bool sharing_cost(struct run *run, struct run_job *job, const ct_time_ps *parts,
                  const double *delayed_by_ps, ct_time_ps *costs);

/* run.c: a run is begun, loops until it ends or stands at a gate, and is ended in every case. */
void run_begin(struct run *run, const struct sim_params *params, struct sim_result *result,
               struct ct_diags *diags);
void run_loop(struct run *run);
int run_end(struct run *run); /* enum ct_status */
void run_out_of_memory(struct run *run);

/* What takes memory has been done, or the run fails. */
static inline void run_must(struct run *run, bool done) {
    if (!done)
        run_out_of_memory(run);
}

/* An event of the run's. */
static inline void run_plan(struct run *run, ct_time_ps at, enum des_rank rank, des_action *action,
                            void *context, uint64_t argument) {
    run_must(run, des_event_schedule(run->engine, at, rank, action, context, argument));
}

/* One that only looks at the clock: it cannot bring a stalled run back to life. */
static inline void run_mark(struct run *run, ct_time_ps at, des_action *action, void *context,
                            uint64_t argument) {
    run->marks++;
    run_plan(run, at, DES_RANK_STATISTICS, action, context, argument);
}

/* A random stream of a server's. Its name has the number of the instance among all of its
 * application: a private run has one alone. */
void run_stream(const struct run_client *client, const char *purpose, struct des_stream *stream);

/* Whether each client has a context on the device to itself, and hardware queues with it: without
 * MPS, and in MIG instances. */
static inline bool run_has_contexts(const struct run *run) {
    const struct ct_policy *policy = run->policy;
    return policy->sharing == CT_SHARING_EXCLUSIVE || policy->sharing == CT_SHARING_TIMESLICE ||
           (policy->needs & CT_NEED_SLICES);
}

/* Nothing that counts is left. */
static inline bool run_is_drained(const struct run *run) {
    return run->draining && run->measured.counted_open == 0;
}

/* Whose it is. */
static inline struct run_task *run_task_of(const struct device_task *task) {
    return (struct run_task *)((char *)(uintptr_t)task - offsetof(struct run_task, device));
}

/* Where to write the life of a task. */
static inline struct run_trail *run_trail_of(struct run_job *job, uint32_t position) {
    return job->trail ? &job->trail[position] : &job->client->run->unasked;
}

/* By whom a task was delayed, by client; with blame. */
static inline double *run_culprits_of(const struct run_job *job, uint32_t position) {
    return job->culprit_ps + (size_t)position * job->client->run->client_count;
}

#endif
