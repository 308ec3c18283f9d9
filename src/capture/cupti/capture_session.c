#include "capture/cupti/capture_session.h"

#include "capture/capture_store.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/*
 * How long a signal's own handler waits for the store before the program's handler goes on, which
 * may end the program: a thread that was interrupted inside the allocator could make it wait
 * forever. Assumed.
 */
enum { STORE_WAIT_MS = 10000, NAMES_TRIED = 1000 };

static const int watched_signals[] = {SIGINT, SIGTERM, SIGHUP};
enum { WATCHED = CT_COUNT_OF(watched_signals) };

struct buffer {
    struct buffer *next;
    size_t valid;
    _Alignas(16) uint8_t bytes[CAPTURE_BUFFER_BYTES];
};

/*
 * The one session: signal handlers, exit handlers and CUPTI's callbacks carry no pointer. `lock`
 * guards the buffers alone; the recording is the writer's.
 */
static struct {
    struct capture_settings settings;
    struct capture_source source;
    atomic_bool running, ending;
    pid_t owner; /* a child of fork has neither the writer nor a GPU */
    pthread_t writer;
    sem_t wake;
    pthread_mutex_t lock;
    struct buffer *idle, *full, **full_end;
    uint64_t buffers, buffers_most;
    struct capture_recording *recording;
    char path[4096]; /* claimed at the first store */
    atomic_int signal, signals_seen;
    struct sigaction before[WATCHED];
    int stored[2]; /* a pipe: a byte for each store that a signal asked for */
} session = {.lock = PTHREAD_MUTEX_INITIALIZER, .stored = {-1, -1}};

void capture_say(const char *format, ...) {
    char text[1000];
    va_list values;
    va_start(values, format);
    vsnprintf(text, sizeof text, format, values);
    va_end(values);
    fprintf(stderr, "cotenant capture: %s\n", text);
}

/* ---- buffers ---- */

static bool is_ours(void) {
    return session.running && session.owner == getpid();
}

static struct buffer *buffer_of(uint8_t *bytes) {
    return (struct buffer *)(void *)(bytes - offsetof(struct buffer, bytes));
}

uint8_t *capture_session_buffer(void) {
    struct buffer *buffer = NULL;
    if (!is_ours())
        return NULL;
    pthread_mutex_lock(&session.lock);
    if (session.idle) {
        buffer = session.idle;
        session.idle = buffer->next;
    } else if (session.buffers < session.buffers_most) {
        buffer = malloc(sizeof *buffer);
        session.buffers += buffer != NULL;
    }
    pthread_mutex_unlock(&session.lock);
    return buffer ? buffer->bytes : NULL;
}

void capture_session_full(uint8_t *buffer, size_t bytes) {
    struct buffer *full = buffer_of(buffer);
    if (session.owner != getpid())
        return;
    pthread_mutex_lock(&session.lock);
    full->valid = bytes;
    full->next = NULL;
    *session.full_end = full;
    session.full_end = &full->next;
    pthread_mutex_unlock(&session.lock);
    sem_post(&session.wake);
}

static struct buffer *take_full(void) {
    pthread_mutex_lock(&session.lock);
    struct buffer *buffer = session.full;
    if (buffer)
        session.full = buffer->next;
    if (!session.full)
        session.full_end = &session.full;
    pthread_mutex_unlock(&session.lock);
    return buffer;
}

static void read_full_buffers(void) {
    for (struct buffer *buffer = take_full(); buffer; buffer = take_full()) {
        session.source.read(session.recording, buffer->bytes, buffer->valid);
        pthread_mutex_lock(&session.lock);
        buffer->next = session.idle;
        session.idle = buffer;
        pthread_mutex_unlock(&session.lock);
    }
}

/* ---- the store ---- */

/* Makes a file that was not there: "x.db", then "x-2.db" ...; recordings are never overwritten. */
static bool claim_path(void) {
    const char *out = session.settings.out;
    const char *dot = strrchr(out, '.'), *slash = strrchr(out, '/');
    size_t stem = dot && (!slash || dot > slash) ? (size_t)(dot - out) : strlen(out);
    for (int i = 1; i <= NAMES_TRIED && !*session.path; i++) {
        char path[sizeof session.path];
        if (i == 1)
            snprintf(path, sizeof path, "%s", out);
        else
            snprintf(path, sizeof path, "%.*s-%d%s", (int)stem, out, i, out + stem);
        int file = open(path, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0666);
        if (file >= 0)
            memcpy(session.path, path, sizeof path);
        else if (errno != EEXIST) {
            capture_say("'%s' cannot be written: %s", path, strerror(errno));
            return false;
        }
        if (file >= 0)
            close(file);
    }
    if (!*session.path)
        capture_say("'%s' and %d more names are taken", out, NAMES_TRIED - 1);
    return *session.path != '\0';
}

/* C++'s own demangler, which nearly every CUDA program has loaded. */
static char *demangle(const char *mangled) {
    static char *(*function)(const char *, char *, size_t *, int *);
    static bool looked;
    int status = 0;
    if (!looked) {
        void *symbol = dlsym(RTLD_DEFAULT, "__cxa_demangle");
        void *library = symbol ? NULL : dlopen("libstdc++.so.6", RTLD_NOW);
        if (library)
            symbol = dlsym(library, "__cxa_demangle");
        memcpy(&function, &symbol, sizeof function);
        looked = true;
        if (!symbol)
            capture_say("kernel names stay mangled: there is no libstdc++.so.6");
    }
    return function ? function(mangled, NULL, NULL, &status) : NULL;
}

static void print_diags(const struct ct_diags *diags) {
    static const char *const severities[] = {"notice", "warning", "error"};
    for (size_t i = 0; i < diags->count; i++)
        if (!session.settings.quiet || diags->items[i].severity == CT_ERROR)
            capture_say("%s: %s%s%s", severities[diags->items[i].severity], diags->items[i].where,
                        *diags->items[i].where ? ": " : "", diags->items[i].text);
}

static void print_report(const struct capture_report *r) {
    if (session.settings.quiet && !r->lost)
        return;
    capture_say("%s: %llu job%s, %llu kernels, %llu copies, %llu memsets; %llu records left out, "
                "%llu lost",
                session.path, (unsigned long long)r->jobs, r->jobs == 1 ? "" : "s",
                (unsigned long long)r->kernels, (unsigned long long)r->copies,
                (unsigned long long)r->memsets, (unsigned long long)r->left_out,
                (unsigned long long)r->lost);
}

static void write_store(bool last) {
    const struct capture_options options = {.app = session.settings.app,
                                            .gpu =
                                                *session.settings.gpu ? session.settings.gpu : NULL,
                                            .jobs = session.settings.jobs,
                                            .recorder = session.source.recorder,
                                            .demangle = demangle};
    bool fresh = !*session.path;
    struct capture_report report;
    struct ct_diags diags = {0};
    if (session.recording->shapes.items.count == 0) {
        if (last && !session.settings.quiet)
            capture_say("nothing to store: no kernel was recorded");
        return;
    }
    if (fresh && !claim_path())
        return;
    int status = capture_store(session.recording, &options, session.path, &report, &diags);
    if (status != CT_OK && fresh) {
        unlink(session.path); /* nothing of ours is in it */
        session.path[0] = '\0';
    }
    if (last) {
        print_diags(&diags);
        if (status == CT_OK)
            print_report(&report);
    }
    ct_diags_free(&diags);
}

/* `ending`: what is still under way will not be waited for; `last`: nor will there be another
 * store.
 */
static void flush_and_store(bool ending, bool last) {
    session.source.flush(ending);
    read_full_buffers();
    capture_add_loss(session.recording, CAPTURE_NO_BUFFER, session.source.lost());
    write_store(last);
}

/* ---- signals ---- */

static const struct sigaction *handler_before(int number) {
    for (size_t i = 0; i < WATCHED; i++)
        if (watched_signals[i] == number)
            return &session.before[i];
    return NULL;
}

static void restore_default(int number) {
    struct sigaction standard = {.sa_handler = SIG_DFL};
    sigemptyset(&standard.sa_mask);
    sigaction(number, &standard, NULL);
}

/* Waits in a signal handler until the store is written, by functions alone that POSIX allows there.
 */
static void wait_for_store(void) {
    struct pollfd done = {.fd = session.stored[0], .events = POLLIN};
    char byte;
    if (poll(&done, 1, STORE_WAIT_MS) == 1)
        (void)!read(session.stored[0], &byte, 1);
}

/*
 * Where the program had no handler, the writer stores and then lets the signal end the program; a
 * second signal ends it at once. Where it had one, the store is written first, because that handler
 * may end the program.
 */
static void on_signal(int number, siginfo_t *info, void *context) {
    int saved = errno;
    const struct sigaction *before = handler_before(number);
    bool standard = !(before->sa_flags & SA_SIGINFO) && before->sa_handler == SIG_DFL;
    bool impatient = standard && atomic_fetch_add(&session.signals_seen, 1) > 0;
    if (is_ours() && !impatient) {
        session.signal = number;
        sem_post(&session.wake);
        if (!standard && !session.ending)
            wait_for_store();
    } else if (standard) { /* also in a child of fork */
        restore_default(number);
        raise(number);
    }
    errno = saved;
    if (before->sa_flags & SA_SIGINFO)
        before->sa_sigaction(number, info, context);
    else if (!standard)
        before->sa_handler(number);
}

/* Where the program has a handler, ours runs as that would: with its mask, and calls that it
 * interrupts are restarted or not, as the program wants. */
static void watch_signal(int number, struct sigaction *before) {
    struct sigaction ours = {.sa_flags = SA_RESTART};
    sigemptyset(&ours.sa_mask);
    if (sigaction(number, NULL, before) != 0)
        return;
    bool plain = !(before->sa_flags & SA_SIGINFO);
    if (plain && before->sa_handler == SIG_IGN)
        return; /* the program does not want to hear of it */
    if (!plain || before->sa_handler != SIG_DFL)
        ours = *before;
    ours.sa_flags |= SA_SIGINFO;
    ours.sa_sigaction = on_signal;
    sigaction(number, &ours, NULL);
}

/* What the writer does for a signal: it writes the store, then ends the program, or, where that has
 * a handler of its own, lets ours go on to it. */
static void serve_signal(int number) {
    const struct sigaction *before = handler_before(number);
    bool standard = !(before->sa_flags & SA_SIGINFO) && before->sa_handler == SIG_DFL;
    flush_and_store(true, standard);
    if (standard) {
        restore_default(number);
        kill(getpid(), number);
    } else
        (void)!write(session.stored[1], "", 1);
}

/* ---- the writer ---- */

static void wait_for_work(void) {
    struct timespec until;
    if (session.settings.save_s <= 0) {
        while (sem_wait(&session.wake) != 0 && errno == EINTR) {
        }
        return;
    }
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += (time_t)session.settings.save_s;
    until.tv_nsec +=
        (long)((session.settings.save_s - (double)(time_t)session.settings.save_s) * 1e9);
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    while (sem_timedwait(&session.wake, &until) != 0 && errno == EINTR) {
    }
}

static double now_s(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static void *write_records(void *nothing) {
    double saved_s = now_s();
    (void)nothing;
    while (!session.ending) {
        wait_for_work();
        read_full_buffers();
        int number = atomic_exchange(&session.signal, 0);
        if (number)
            serve_signal(number);
        else if (!session.ending && session.settings.save_s > 0 &&
                 now_s() - saved_s >= session.settings.save_s) {
            flush_and_store(false, false);
            saved_s = now_s();
        }
    }
    flush_and_store(true, true);
    return NULL;
}

/* The program's signals go to the program's threads. */
static bool start_writer(void) {
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int failed = pthread_create(&session.writer, NULL, write_records, NULL);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return !failed;
}

/* ---- beginning and end ---- */

static void end(void) {
    if (!is_ours() || atomic_exchange(&session.ending, true))
        return;
    session.source.flush(true); /* by the thread that ends, as long as CUDA is there */
    sem_post(&session.wake);
    pthread_join(session.writer, NULL);
    session.running = false;
}

static void before_fork(void) {
    pthread_mutex_lock(&session.lock);
}

static void after_fork(void) {
    pthread_mutex_unlock(&session.lock);
}

/* Hours later would be late to learn that there is no such folder; the program may still make it.
 */
static void look_at_folder(void) {
    char folder[sizeof session.settings.out];
    size_t length = (size_t)(strrchr(session.settings.out, '/') - session.settings.out);
    memcpy(folder, session.settings.out, length);
    folder[length] = '\0';
    if (access(length ? folder : "/", W_OK | X_OK) != 0)
        capture_say("'%s' cannot be written as yet: %s", session.settings.out, strerror(errno));
}

bool capture_session_start(const struct capture_settings *settings,
                           const struct capture_source *source) {
    session.settings = *settings;
    session.source = *source;
    session.owner = getpid();
    session.full_end = &session.full;
    session.buffers_most = settings->buffer_bytes / CAPTURE_BUFFER_BYTES;
    session.recording =
        capture_recording_new(settings->most_records, strchr(settings->jobs, ':') != NULL);
    bool ready = session.recording && sem_init(&session.wake, 0, 0) == 0 &&
                 pipe(session.stored) == 0 && start_writer();
    if (!ready) {
        capture_say("off: no memory, thread or pipe is left");
        return false;
    }
    fcntl(session.stored[0], F_SETFD, FD_CLOEXEC);
    fcntl(session.stored[1], F_SETFD, FD_CLOEXEC);
    look_at_folder();
    session.running = true;
    pthread_atfork(before_fork, after_fork, after_fork);
    for (size_t i = 0; i < WATCHED; i++)
        watch_signal(watched_signals[i], &session.before[i]);
    atexit(end);
    (void)at_quick_exit(end);
    return true;
}

void capture_session_abandon(void) {
    session.running = false;
}
