#include "joined_link.h"

#include <errno.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "stopwatch.h"

/* One that connected. */
struct joined_link_peer {
    int socket;
    bool is_known; /* it has said the secret */
    bool is_heard; /* and sent a report: it is the rank's connection */
    bool is_leaving;
    uint64_t rank;
    size_t filled;
    unsigned char buffer[sizeof(struct joined_link_report)];
};

/* ---- opening ---- */

/* Of both kinds if the system has both. */
static int make_listener(void)
{
    const struct sockaddr_in6 both = {.sin6_family = AF_INET6, .sin6_addr = IN6ADDR_ANY_INIT};
    const struct sockaddr_in old = {.sin_family = AF_INET};
    const int no = 0;
    const int flags = SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC;
    int listener = socket(AF_INET6, flags, 0);
    if (listener >= 0 && setsockopt(listener, IPPROTO_IPV6, IPV6_V6ONLY, &no, sizeof no) == 0 &&
        bind(listener, (const struct sockaddr *)&both, sizeof both) == 0 &&
        listen(listener, SOMAXCONN) == 0)
        return listener;
    if (listener >= 0)
        close(listener);
    listener = socket(AF_INET, flags, 0);
    if (listener >= 0 && bind(listener, (const struct sockaddr *)&old, sizeof old) == 0 &&
        listen(listener, SOMAXCONN) == 0)
        return listener;
    if (listener >= 0)
        close(listener);
    return -1;
}

/* Network order; 0: unknown. */
static in_port_t port_of(int listener)
{
    struct sockaddr_storage own;
    socklen_t length = sizeof own;
    if (getsockname(listener, (struct sockaddr *)&own, &length) != 0)
        return 0;
    return own.ss_family == AF_INET6 ? ((const struct sockaddr_in6 *)&own)->sin6_port
                                     : ((const struct sockaddr_in *)&own)->sin_port;
}

/* Adds an interface's address. Those that mean something on one link alone are left out. */
static void add_address(struct joined_link_address *address, const struct sockaddr *at,
                        in_port_t port)
{
    struct sockaddr_storage *place = &address->at[address->count];
    if (address->count == JOINED_LINK_ADDRESSES)
        return;
    if (at->sa_family == AF_INET) {
        memcpy(place, at, sizeof(struct sockaddr_in));
        ((struct sockaddr_in *)place)->sin_port = port;
        address->count++;
    } else if (at->sa_family == AF_INET6 &&
               !IN6_IS_ADDR_LINKLOCAL(&((const struct sockaddr_in6 *)at)->sin6_addr)) {
        memcpy(place, at, sizeof(struct sockaddr_in6));
        ((struct sockaddr_in6 *)place)->sin6_port = port;
        address->count++;
    }
}

/* The loopback interface last: it serves where there is no other, and all ranks are here. */
static void find_addresses(struct joined_link *link)
{
    struct ifaddrs *interfaces = NULL;
    const in_port_t port = port_of(link->listener);
    if (port == 0 || getifaddrs(&interfaces) != 0)
        return;
    for (int loopback = 0; loopback < 2; loopback++)
        for (const struct ifaddrs *one = interfaces; one != NULL; one = one->ifa_next)
            if (one->ifa_addr != NULL && (one->ifa_flags & IFF_UP) != 0 &&
                ((one->ifa_flags & IFF_LOOPBACK) != 0) == loopback)
                add_address(&link->address, one->ifa_addr, port);
    freeifaddrs(interfaces);
}

enum status joined_link_open(struct joined_link *link, uint64_t world_size, struct diag *diag)
{
    *link = (struct joined_link){.listener = -1, .world_size = world_size, .lost = -1, .left = -1};
    link->heard_ns = calloc(world_size, sizeof *link->heard_ns);
    if (link->heard_ns == NULL)
        return diag_no_memory(diag);
    const ssize_t size = JOINED_LINK_SECRET;
    if (getrandom(link->address.secret, JOINED_LINK_SECRET, 0) != size ||
        getrandom(link->address.answer, JOINED_LINK_SECRET, 0) != size)
        return STATUS_OK; /* without a secret nobody is let in */
    link->listener = make_listener();
    if (link->listener >= 0)
        find_addresses(link);
    return STATUS_OK;
}

void joined_link_fini(struct joined_link *link)
{
    if (link->heard_ns == NULL)
        return;
    for (size_t i = 0; i < link->peer_count; i++)
        close(link->peers[i].socket);
    if (link->listener >= 0)
        close(link->listener);
    free(link->peers);
    free(link->heard_ns);
    *link = (struct joined_link){.listener = -1, .lost = -1, .left = -1};
}

/* ---- what comes ---- */

static void admit(struct joined_link *link)
{
    for (;;) {
        int socket = accept4(link->listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
        if (socket < 0)
            return;
        if (link->peer_count >= JOINED_LINK_ADDRESSES * link->world_size) {
            close(socket); /* more than all ranks can be */
            continue;
        }
        struct joined_link_peer *more =
            realloc(link->peers, (link->peer_count + 1) * sizeof *link->peers);
        if (more == NULL) {
            close(socket);
            return;
        }
        link->peers = more;
        struct joined_link_peer *peer = &more[link->peer_count++];
        peer->socket = socket;
        peer->is_known = peer->is_heard = peer->is_leaving = false;
        peer->filled = 0;
    }
}

static bool greet(struct joined_link *link, struct joined_link_peer *peer)
{
    struct joined_link_hello hello;
    memcpy(&hello, peer->buffer, sizeof hello);
    peer->is_known = memcmp(hello.secret, link->address.secret, sizeof hello.secret) == 0 &&
                     hello.rank > 0 && hello.rank < link->world_size &&
                     send(peer->socket, link->address.answer, JOINED_LINK_SECRET, MSG_NOSIGNAL) ==
                         JOINED_LINK_SECRET;
    peer->rank = hello.rank;
    return peer->is_known;
}

/* Copies a report to the rank's record here. */
static void note(struct rank_record *record, const struct joined_link_report *report,
                 uint64_t now_ns)
{
    const uint64_t capacity = record->step_capacity;
    const uint64_t first = report->first_step;
    const uint64_t heard_ns =
        record->failure.kind != RANK_FAILURE_NONE ? record->failure.at_ns : now_ns;
    uint64_t count = record->step_count;
    if (report->steps <= JOINED_LINK_STEPS && first <= count && report->steps <= capacity - first) {
        memcpy(&record->steps[first], report->samples, report->steps * sizeof *record->steps);
        count = first + report->steps > count ? first + report->steps : count;
    }
    const uint64_t rank = record->rank;
    const uint64_t world_size = record->world_size;
    memcpy(record, report->head, sizeof report->head);
    record->rank = rank;
    record->world_size = world_size;
    record->step_capacity = capacity;
    record->step_count = count;
    record->failure.at_ns = heard_ns;
}

/* False if the report is of a turn that has not begun here: it is kept until then. */
static bool hear(struct joined_link *link, struct joined_link_peer *peer, struct rank_board *board,
                 uint64_t turn)
{
    struct joined_link_report report;
    const uint64_t now_ns = stopwatch_ns();
    memcpy(&report, peer->buffer, sizeof report);
    peer->is_heard = true;
    link->heard_ns[peer->rank] = now_ns;
    peer->is_leaving = report.signal != 0;
    if (peer->is_leaving && link->left < 0) {
        link->left = (int64_t)peer->rank;
        link->left_signal = (int)report.signal;
    }
    if (report.turn > turn)
        return false;
    if (board != NULL && report.turn == turn)
        note(rank_board_at(board, peer->rank), &report, now_ns);
    return true;
}

/* Takes the whole message that is in the buffer; false if it is no message of ours. */
static bool take(struct joined_link *link, struct joined_link_peer *peer, struct rank_board *board,
                 uint64_t turn)
{
    if (!peer->is_known) {
        peer->filled = 0;
        return greet(link, peer);
    }
    if (hear(link, peer, board, turn))
        peer->filled = 0;
    return true;
}

static size_t size_of_next(const struct joined_link_peer *peer)
{
    return peer->is_known ? sizeof(struct joined_link_report) : sizeof(struct joined_link_hello);
}

/* Whole messages, as far as they have come; false if the connection has ended. */
static bool read_peer(struct joined_link *link, struct joined_link_peer *peer,
                      struct rank_board *board, uint64_t turn)
{
    for (;;) {
        if (peer->filled == size_of_next(peer) && !take(link, peer, board, turn))
            return false;
        const size_t missing = size_of_next(peer) - peer->filled;
        if (missing == 0)
            return true;
        ssize_t count = recv(peer->socket, peer->buffer + peer->filled, missing, 0);
        if (count < 0)
            return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR;
        if (count == 0)
            return false;
        peer->filled += (size_t)count;
    }
}

static void dismiss(struct joined_link *link, size_t index)
{
    struct joined_link_peer *peer = &link->peers[index];
    close(peer->socket);
    if (peer->is_heard && !peer->is_leaving && link->lost < 0)
        link->lost = (int64_t)peer->rank;
    link->peers[index] = link->peers[--link->peer_count];
}

void joined_link_receive(struct joined_link *link, struct rank_board *board, uint64_t turn)
{
    if (link->listener < 0)
        return;
    admit(link);
    for (size_t i = 0; i < link->peer_count;)
        if (read_peer(link, &link->peers[i], board, turn))
            i++;
        else
            dismiss(link, i);
}

bool joined_link_is_whole(const struct joined_link *link)
{
    for (uint64_t rank = 1; rank < link->world_size; rank++)
        if (link->heard_ns == NULL || link->heard_ns[rank] == 0)
            return false;
    return true;
}
