/*
 * The host link: copies between host and device, one link per direction (Baymax section 6).
 *
 * Pageable copies share a direction: each runs at its own cap, or at an equal part of the effective
 * bandwidth where that is less. A pinned copy holds the direction alone. A pageable copy moves
 * through a staging buffer piece by piece: as soon as a pinned copy waits, pageable copies finish
 * their piece and queue again behind it, first come first served; a pinned copy starts when the
 * pieces in flight are through. Without a pinned copy there are no pieces. Every copy pays a fixed
 * latency: a pageable one from its submission, beside whatever the link does (the host sets up), a
 * pinned one when it gets the link, which it then holds.
 *
 * On a GPU with one copy engine both directions are one link, and every copy holds it alone, in
 * order of submission.
 *
 * A copy may take longer alone, or less, than the link's own rate says: then each of its bytes
 * counts as more of the link's, or less, and it shares the link as one of so many bytes would.
 *
 * All copies that move do so at one rate, so one clock of the link's bytes serves them all, and a
 * copy ends when the clock has gone by its own: an event costs the logarithm of their number.
 *
 * A link is a state machine without events of its own: submit, ask for the next moment at which
 * anything changes, advance to it. Times never go back. Nothing is allocated: copies are the
 * caller's, on a link from pcie_submit until pcie_advance returns them.
 */
#ifndef PCIE_H
#define PCIE_H

#include "models/device/gpu.h"

enum pcie_direction { PCIE_HOST_TO_DEVICE, PCIE_DEVICE_TO_HOST, PCIE_DIRECTION_COUNT };

enum pcie_state {
    /* On no link. */
    PCIE_IDLE,
    /* Pageable: fixed latency, off the link. */
    PCIE_SETUP,
    /* In the queue. */
    PCIE_WAITING,
    /* Holds the link alone, fixed latency. */
    PCIE_LATENCY,
    /* Bytes move at the link's rate. */
    PCIE_MOVING,
    /* Waits for pcie_advance to take it. */
    PCIE_ENDED
};

struct pcie_copy {
    /* Set by the caller before pcie_submit; kept as they are. */
    uint64_t bytes;
    ct_time_ps alone_ps; /* what it takes alone, latency included; 0: what the link says */
    bool pinned;
    void *owner;
    /* Set by the link. */
    int state;             /* enum pcie_state */
    ct_time_ps latency_ps; /* its own */
    double link_bytes;     /* how many it counts as */
    double bytes_of_link;  /* its own bytes in each of these */
    double bytes_left;     /* of the link's, as of the begin of its present piece */
    ct_time_ps submitted_ps, started_ps, ended_ps; /* started: its latency began */
    ct_time_ps wait_ps;     /* in the queue behind others, summed over its pieces that began */
    double sharing_loss_ps; /* moving, below its own rate: lost time of its pieces that ended */
    /* The link's own. */
    ct_time_ps next_ps; /* end of its latency; while it waits, since when */
    double
        piece_end_bytes; /* bytes_left at the end of the present piece; 0: it ends with the copy */
    double began_bytes, end_bytes; /* readings of the link's clocks at the begin of the piece ... */
    double lost_ps, shared_ps;     /* ... (end_bytes: at its end) */
    double held_ps;                /* ... and when it began to wait or to hold the link */
    uint64_t order;                /* of getting the link */
    struct pcie_copy *next, *previous;
    struct pcie_copy *left, *right; /* those that end later */
};

enum pcie_loss { PCIE_LOSS_WAIT, PCIE_LOSS_SHARING };

/*
 * Told how much time (picoseconds) `victim` lost to `culprit`, when the first of the two leaves the
 * link or the queue: at every moment a wait is charged in equal parts to the copies that hold the
 * link, sharing in equal parts to the other copies that move. Sums per victim equal wait_ps and
 * sharing_loss_ps.
 */
typedef void pcie_blame_fn(void *context, const struct pcie_copy *victim,
                           const struct pcie_copy *culprit, enum pcie_loss loss, double ps);

struct pcie_list {
    struct pcie_copy *head, *tail;
};

/* An integral over time whose slope changes now and then; reading it changes nothing. */
struct pcie_clock {
    double value, slope; /* as of since_ps; per ps */
    ct_time_ps since_ps;
};

/* How fast a copy moves. */
struct pcie_pace {
    double bytes_per_s, bytes_per_ps;
    double lost; /* part of what it would move alone */
};

/* Divisions, one behind the other: those of fewer pageable copies are made once. */
enum { PCIE_PACES = 16 };

struct pcie_link {
    /* What the preset says. */
    double effective_bytes_per_s, pageable_bytes_per_s, pinned_bytes_per_s, staging_bytes;
    ct_time_ps latency_ps;
    bool single;          /* one engine for both directions */
    pcie_blame_fn *blame; /* NULL: nobody asks */
    void *blame_context;
    /* State. */
    ct_time_ps now_ps; /* all below holds at this time */
    struct pcie_list setup, waiting, active, ended;
    struct pcie_pace paces[PCIE_PACES]; /* of each of so many pageable copies; 0: not yet made */
    struct pcie_copy *moving;           /* of the active: the one whose piece ends first, a heap */
    uint32_t waiting_pinned, active_count, moving_count;
    uint64_t admitted;
    bool in_pieces;          /* a pinned copy waits: pageable ones move by pieces */
    double rate_bytes_per_s; /* of each copy that moves */
    /* Since the link was empty, of each copy that moves: bytes, lost time, lost time for each other
     * copy that moves. And of each copy that waits: lost time for each that holds the link. */
    struct pcie_clock bytes, lost, shared, held;
    double bytes_now, lost_now;       /* read at now_ps, while something changes */
    double moving_bytes, began_bytes; /* sums over the copies that move: their own bytes in one of
                                         the link's; and at their begins, of the readings by it */
    ct_time_ps first_end_ps;          /* when the first of the copies that move ends its piece */
    ct_time_ps next_ps;               /* the next moment at which anything changes */
    /* Sums since pcie_link_init. */
    double moved_bytes; /* of pieces that ended */
};

void pcie_link_init(struct pcie_link *link, const struct gpu *gpu);

/* Puts a copy on the link at `now`, which is not before the link's time. A copy of 0 bytes takes
 * the latency. */
void pcie_submit(struct pcie_link *link, struct pcie_copy *copy, ct_time_ps now);

/* The next moment at which a latency, a piece or a copy ends; CT_TIME_NEVER when the link is empty.
 */
static inline ct_time_ps pcie_next_event(const struct pcie_link *link) {
    return link->ended.head ? link->now_ps : link->next_ps;
}

/*
 * Moves the link on to `now` and takes one copy that has ended by then off it, earliest end first
 * (ties: the one that began first); NULL: none. Call it until it returns NULL, or until nothing
 * happens by `now`.
 */
struct pcie_copy *pcie_advance(struct pcie_link *link, ct_time_ps now);

/* Bytes that have moved since pcie_link_init, those of copies under way included, by `now`, before
 * which nothing is due. */
double pcie_moved_bytes(const struct pcie_link *link, ct_time_ps now);

/* The part of a copy on the link, 0 to 1, that has moved by `now`, before which nothing is due. */
double pcie_moved_part(const struct pcie_link *link, const struct pcie_copy *copy, ct_time_ps now);

/* How much is done by `now`, before which nothing is due, of the time that a copy on the link takes
 * alone, latency included. */
double pcie_done_ps(const struct pcie_link *link, const struct pcie_copy *copy, ct_time_ps now);

/* Time of a copy that has the link for itself, latency included; rounded once. */
ct_time_ps pcie_solo_time(const struct pcie_link *link, uint64_t bytes, bool pinned);

/* The host link of one GPU: a link for each direction, or one for both where the GPU has a single
 * copy engine. */
struct pcie_bus {
    struct pcie_link links[PCIE_DIRECTION_COUNT];
    size_t link_count;
};

void pcie_bus_init(struct pcie_bus *bus, const struct gpu *gpu);

/* The link of a direction; the numbers are those of TRACE_HOST_TO_DEVICE and TRACE_DEVICE_TO_HOST.
 */
struct pcie_link *pcie_bus_link(struct pcie_bus *bus, int direction);

#endif
