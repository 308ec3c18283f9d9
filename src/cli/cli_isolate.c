#include "cli/cli_isolate.h"

#include "experiment/thread_team.h"
#include "run/policy_watch.h"

#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* What the parent knows of one run: since when it has been where it is. */
struct mark {
    uint64_t calls;
    int64_t time_ps;
    double cpu_s, waited_s; /* of the child and of the parent, then */
};

/* The memory of both processes. */
struct shared {
    struct policy_watch watch;
    _Atomic bool heard;
};

struct watcher {
    struct policy_watch *watch;
    _Atomic bool *heard; /* the child: of a signal that interrupts */
    pid_t child;
    double limit_s;
    double seen_s, waited_s; /* when it last looked; how long it has waited, pauses left out */
    bool interrupted;
    double interrupted_s; /* what it had waited then */
    struct mark marks[POLICY_WATCH_RUNS];
    struct ct_diags *diags;
};

static double seconds_of(clockid_t clock) {
    struct timespec time = {0};
    clock_gettime(clock, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static double cpu_of(pid_t process) {
    clockid_t clock;
    return clock_getcpuclockid(process, &clock) == 0 ? seconds_of(clock) : 0;
}

/* ---- What is wrong, in words ---- */

/* Inside a hook; NULL: after the last one. */
static void fault(struct watcher *w, const struct policy_watch_run *run, const char *hook,
                  const char *text) {
    const char *last = atomic_load(&run->last);
    const char *at = hook ? hook : last ? last : "its beginning";
    if (strcmp(at, POLICY_WATCH_LOADING) == 0)
        ct_error(w->diags, run->policy, "policy fault while it was loaded: %s", text);
    else
        ct_error(w->diags, run->policy,
                 "policy fault %s %s at %.9f s (seed %llu, replication %llu): %s",
                 hook ? "in" : "after", at, ct_time_s(atomic_load(&run->time_ps)),
                 (unsigned long long)run->seed, (unsigned long long)run->replication, text);
}

/* Every run that was inside its policy may be the one; if there is none, what came last. */
static void blame_runs(struct watcher *w, const char *text) {
    bool inside = false, any = false;
    for (size_t i = 0; i < POLICY_WATCH_RUNS; i++)
        inside |= atomic_load(&w->watch->runs[i].used) && atomic_load(&w->watch->runs[i].hook);
    for (size_t i = 0; i < POLICY_WATCH_RUNS; i++) {
        const struct policy_watch_run *run = &w->watch->runs[i];
        const char *hook = atomic_load(&run->hook);
        if (!atomic_load(&run->used) || (inside && !hook))
            continue;
        any = true;
        fault(w, run, hook, text);
    }
    if (!any)
        ct_error(w->diags, "",
                 "policy fault outside of a run, such as when a policy was unloaded: %s", text);
}

/* ---- Waiting ---- */

/* Whether a run stays where it is: inside one call of a hook, or calls that all come at one
 * instant. */
static bool stays(const struct policy_watch_run *run, const struct mark *mark) {
    if (!atomic_load(&run->used) || atomic_load(&run->time_ps) != mark->time_ps)
        return false;
    return atomic_load(&run->hook) || atomic_load(&run->calls) != mark->calls;
}

/* Runs under way, at least one: a run may begin after it was looked for. */
static size_t count_runs(const struct policy_watch *watch) {
    size_t count = 0;
    for (size_t i = 0; i < POLICY_WATCH_RUNS; i++)
        count += atomic_load(&watch->runs[i].used);
    return count > 0 ? count : 1;
}

enum { TICK_MS = 50, LONGEST_TICK_MS = 200 };

/* A command that was stopped and goes on finds hours gone, in which nobody worked. */
static void pass_time(struct watcher *w) {
    double now_s = seconds_of(CLOCK_MONOTONIC), passed_s = now_s - w->seen_s;
    w->seen_s = now_s;
    w->waited_s += passed_s < LONGEST_TICK_MS / 1e3 ? passed_s : LONGEST_TICK_MS / 1e3;
}

static void blame_hung(struct watcher *w, const struct policy_watch_run *run, bool sleeps) {
    char text[160];
    const char *hook = atomic_load(&run->hook);
    snprintf(text, sizeof text, "%s %g s%s (--policy-timeout)",
             !hook    ? "simulated time has stood still for"
             : sleeps ? "it has slept for"
                      : "it has not come back after",
             w->limit_s, sleeps ? "" : " of CPU time");
    fault(w, run, hook, text);
}

/*
 * The CPU time is that of the whole child: a share of it is the run's. A policy that sleeps uses
 * none, so without any the clock on the wall counts. True after a diagnostic.
 */
static bool is_hung(struct watcher *w) {
    /* A child that gets less than a hundredth of a CPU sleeps. */
    enum { LEAST_USE = 100 };
    double cpu_s = cpu_of(w->child), limit_s = w->limit_s * (double)count_runs(w->watch);
    pass_time(w);
    for (size_t i = 0; i < POLICY_WATCH_RUNS; i++) {
        const struct policy_watch_run *run = &w->watch->runs[i];
        struct mark *mark = &w->marks[i];
        uint64_t calls = atomic_load(&run->calls);
        if (!stays(run, mark)) {
            *mark = (struct mark){calls, atomic_load(&run->time_ps), cpu_s, w->waited_s};
            continue;
        }
        double used_s = cpu_s - mark->cpu_s, waited_s = w->waited_s - mark->waited_s;
        bool sleeps = waited_s > w->limit_s && used_s * LEAST_USE < waited_s;
        if (used_s <= limit_s && !sleeps)
            continue;
        blame_hung(w, run, sleeps);
        return true;
    }
    return false;
}

/* Signals that somebody sent to this process alone; those of the terminal reach the child too. */
static void forward(struct watcher *w, int got, const siginfo_t *info) {
    if (got <= 0 || got == SIGCHLD)
        return;
    if (!w->interrupted)
        w->interrupted_s = w->waited_s;
    w->interrupted = true;
    if (info->si_code <= 0)
        kill(w->child, got);
}

static pid_t reap(pid_t child, int *state, int options) {
    pid_t ended = waitpid(child, state, options);
    while (ended < 0 && errno == EINTR)
        ended = waitpid(child, state, options);
    return ended;
}

/* A signal that interrupts ends a child that has not yet come to catch it. */
static bool was_interrupted(const struct watcher *w, int state) {
    sigset_t signals;
    cli_interrupt_signals(&signals);
    return w->interrupted && sigismember(&signals, WTERMSIG(state)) == 1;
}

static int end_of_child(struct watcher *w, int state) {
    char text[128];
    if (WIFSIGNALED(state) && was_interrupted(w, state))
        return CT_INTERRUPTED;
    if (!WIFSIGNALED(state) && (atomic_load(&w->watch->finished) || w->interrupted))
        return WEXITSTATUS(state);
    if (WIFSIGNALED(state))
        snprintf(text, sizeof text, "it crashed: %s", strsignal(WTERMSIG(state)));
    else
        snprintf(text, sizeof text, "it ended the program with code %d", WEXITSTATUS(state));
    blame_runs(w, text);
    return CT_POLICY_FAULT;
}

/* A child hears of a signal at once, unless its policy has taken the signal away; how it ends then
 * may take its time. */
static bool is_deaf(const struct watcher *w) {
    static const double patience_s = 1;
    return w->interrupted && w->waited_s - w->interrupted_s > patience_s && !atomic_load(w->heard);
}

static int kill_child(struct watcher *w, int status) {
    int state;
    kill(w->child, SIGKILL);
    reap(w->child, &state, 0);
    return status;
}

static int wait_for(struct watcher *w, const sigset_t *signals) {
    const struct timespec tick = {.tv_nsec = TICK_MS * 1000000L};
    int state = 0;
    w->seen_s = seconds_of(CLOCK_MONOTONIC);
    for (;;) {
        siginfo_t info;
        int got = sigtimedwait(signals, &info, &tick);
        forward(w, got, &info);
        if (reap(w->child, &state, WNOHANG) != 0)
            return end_of_child(w, state);
        if (is_hung(w))
            return kill_child(w, CT_POLICY_FAULT);
        if (is_deaf(w))
            return kill_child(w, CT_INTERRUPTED);
    }
}

/* ---- The two processes ---- */

static void become_child(pid_t parent, const sigset_t *before) {
    sigprocmask(SIG_SETMASK, before, NULL);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) /* it died before that */
        _exit(CT_POLICY_FAULT);
}

static bool split(struct watcher *w, int *status) {
    sigset_t signals, before;
    pid_t parent = getpid();
    cli_interrupt_signals(&signals);
    sigaddset(&signals, SIGCHLD);
    sigprocmask(SIG_BLOCK, &signals, &before);
    fflush(NULL);
    w->child = fork();
    if (w->child == 0) {
        become_child(parent, &before);
        return true;
    }
    if (w->child > 0) {
        *status = wait_for(w, &signals);
        if (w->diags->errors && isatty(fileno(stderr)))
            fprintf(stderr, "\r%79s\r", ""); /* the progress bar */
    } else {
        ct_error(w->diags, "", "cannot make a process: %s", strerror(errno));
        *status = CT_DATA;
    }
    sigprocmask(SIG_SETMASK, &before, NULL);
    return false;
}

/* ---- Without a process of its own ---- */

/* What handlers, which have no context, know: whether the command has its answer, where its
 * policies are, and what a crash did before. */
static bool is_unfinished;
static struct policy_watch own_watch;
static struct sigaction crashed_before[NSIG];

/* A policy that calls exit() or quick_exit() ends the command before its answer. Of several threads
 * that do, the first says so, and none gets to the exit code that it asked for. */
static void end_unfinished(void) {
    static const char text[] = "cotenant: error: policy fault: it ended the program "
                               "('--isolate-policy' says where)\n";
    static atomic_flag told = ATOMIC_FLAG_INIT;
    if (!is_unfinished)
        return;
    while (atomic_flag_test_and_set(&told))
        pause();
    (void)!write(STDERR_FILENO, text, sizeof text - 1); /* who closed it hears the code */
    _exit(CT_POLICY_FAULT);
}

static bool write_text(const char *text) {
    return write(STDERR_FILENO, text, strlen(text)) >= 0;
}

/* Names the policies that were at work, and leaves the crash to whom it would have come to. Of
 * several threads that crash the first does, and the others wait for the end. */
static void on_crash(int number) {
    static atomic_flag told = ATOMIC_FLAG_INIT;
    while (atomic_flag_test_and_set(&told))
        pause();
    for (size_t i = 0; i < POLICY_WATCH_RUNS; i++) {
        const struct policy_watch_run *run = &own_watch.runs[i];
        const char *hook = atomic_load(&run->hook);
        if (atomic_load(&run->used) && hook && write_text("cotenant: error: ") &&
            write_text(run->policy) && write_text(": policy fault in ") && write_text(hook))
            write_text(": it crashed ('--isolate-policy' says when)\n");
    }
    sigaction(number, &crashed_before[number], NULL);
    raise(number);
}

static void watch_crashes(void) {
    static const int numbers[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
    struct sigaction action = {.sa_handler = on_crash};
    sigemptyset(&action.sa_mask);
    for (size_t i = 0; i < CT_COUNT_OF(numbers); i++)
        sigaction(numbers[i], &action, &crashed_before[numbers[i]]);
}

void cli_isolate_finished(void) {
    is_unfinished = false;
}

static void stay(struct cli_args *args) {
    is_unfinished = true;
    /* Each thread that exits takes one away. */
    for (int thread = 0; thread <= THREAD_TEAM_MOST; thread++) {
        (void)atexit(end_unfinished);
        (void)at_quick_exit(end_unfinished);
    }
    watch_crashes();
    args->watch = &own_watch;
}

bool cli_isolate(struct cli_args *args, int *status) {
    struct ct_diags diags = {0};
    struct watcher w = {.diags = &diags};
    *status = CT_USAGE;
    w.limit_s = cli_double(args, "policy-timeout", 0.1, 1e6, 10, &diags);
    if (cli_has(args, "policy-timeout") && !cli_has(args, "isolate-policy"))
        ct_error(&diags, "", "'--policy-timeout' goes with '--isolate-policy'");
    if (!diags.errors && !cli_has(args, "isolate-policy")) {
        stay(args);
        return true;
    }
    struct shared *shared =
        mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED) {
        *status = ct_out_of_memory(&diags);
    } else {
        w.watch = &shared->watch;
        w.heard = &shared->heard;
    }
    if (!diags.errors && split(&w, status)) {
        args->watch = w.watch;
        cli_interrupt_tell(w.heard);
        return true;
    }
    if (shared != MAP_FAILED)
        munmap(shared, sizeof *shared);
    if (diags.errors)
        *status = cli_finish(args, &diags, *status);
    else /* the child has said everything */
        cli_args_free(args);
    return false;
}
