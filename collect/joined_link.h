#ifndef RANKLEDGER_JOINED_LINK_H
#define RANKLEDGER_JOINED_LINK_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>

#include "rank_record.h"

/*
 * How rank 0 of a foreign mpirun or srun knows of the other ranks while they run. Each of them
 * sends its record over a TCP connection of its own a few times a second (joined_report.h), so that
 * word of it also comes when it hangs or dies in the middle of a collective, from another host,
 * too. Whoever connects must know a secret that travels over MPI. Clocks of different hosts cannot
 * be compared: what is heard counts from when it is heard here.
 */

#define JOINED_LINK_ADDRESSES 16
#define JOINED_LINK_SECRET 16

/* Where rank 0 can be reached: plain data, which it broadcasts. `count` 0: nowhere. */
struct joined_link_address {
    unsigned char secret[JOINED_LINK_SECRET]; /* who connects says it, with its number */
    unsigned char answer[JOINED_LINK_SECRET]; /* rank 0 says it then */
    uint64_t count;
    struct sockaddr_storage at[JOINED_LINK_ADDRESSES];
};

/* What a rank says first. */
struct joined_link_hello {
    unsigned char secret[JOINED_LINK_SECRET];
    uint64_t rank;
};

/* Samples that travel with one report; those that were noted meanwhile come with the next. */
#define JOINED_LINK_STEPS 32

/* What it says then, again and again: its record without the samples, and the next of these. */
struct joined_link_report {
    uint64_t turn;   /* which of the runs, from 1; both sides count alike */
    uint64_t signal; /* by which the rank is being ended from outside: its last word; 0: none */
    uint64_t first_step, steps;
    unsigned char head[sizeof(struct rank_record)];
    struct rank_step samples[JOINED_LINK_STEPS];
};

struct joined_link_peer;

struct joined_link {
    int listener; /* -1: none */
    uint64_t world_size;
    struct joined_link_address address;
    struct joined_link_peer *peers; /* connections; heap, owned */
    size_t peer_count;
    uint64_t *heard_ns; /* [rank]: when the last report came; 0: none yet; heap, owned */
    int64_t lost;       /* the first rank whose connection ended without a word; -1: none */
    int64_t left;       /* the first that said a signal ends it; -1: none */
    int left_signal;
};

/* Rank 0: makes the socket and the secret. Without a network the address has no places, and nobody
 * will be heard; memory alone can fail. A zeroed link is safe to fini. */
enum status joined_link_open(struct joined_link *link, uint64_t world_size,
                             struct diag *diag) STATUS_CHECKED;
void joined_link_fini(struct joined_link *link);

/*
 * Takes everything that has come since the last call, without waiting. Reports of `turn` go to the
 * records of `board`, the others are dropped, all if it is NULL. A failure's at_ns becomes the time
 * at which it was heard.
 */
void joined_link_receive(struct joined_link *link, struct rank_board *board, uint64_t turn);

/* True if every rank but 0 has been heard of. */
bool joined_link_is_whole(const struct joined_link *link);

#endif
