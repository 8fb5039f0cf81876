#ifndef RANKLEDGER_SCHEDULE_H
#define RANKLEDGER_SCHEDULE_H

#include "activation_plan.h"
#include "arena.h"
#include "diag.h"
#include "model.h"
#include "training_state.h"

/*
 * One optimizer step of a strategy as data: a list of actions that follows from the request alone.
 * From this one list come the calls and bytes of communication (schedule_count.h), the peaks of
 * live memory (schedule_walk.h), the prediction for another world size, and the execution (the
 * collector's executor runs it on a backend). A strategy is a file strategy_<name>.c that builds
 * it. Every rank has the same list.
 *
 * Storage. A *unit* is a run of tensors stored one after another and padded with zeros to a
 * multiple of 16 N elements (N: world size); rank r owns the r-th of its N equal parts, its
 * *shard*. Buckets (ddp, zero1, zero2), single tensors (zero3), flat blocks (fsdp) are units. A
 * *group* is a run of units whose collectives travel in one (coalesced) call: a single unit, but
 * in zero3 a block's tensors.
 */

enum schedule_category {
    SCHEDULE_PARAMETERS,
    SCHEDULE_GRADIENTS,
    SCHEDULE_GRADIENTS_UNSHARDED, /* whole gradient of the tied embedding (fsdp: of the root unit)
                                   */
    SCHEDULE_OPTIMIZER_STATE,
    SCHEDULE_ACTIVATIONS,
    SCHEDULE_GATHERED_PARAMETERS,
    SCHEDULE_COMMUNICATION_BUFFERS, /* whole gradients on their way into shards */
    SCHEDULE_WORKSPACE,
    SCHEDULE_CATEGORY_COUNT
};

enum schedule_phase {
    SCHEDULE_PHASE_INIT,
    SCHEDULE_PHASE_FORWARD,
    SCHEDULE_PHASE_BACKWARD,
    SCHEDULE_PHASE_OPTIMIZER,
    SCHEDULE_PHASE_CHECKPOINT_SAVE,
    SCHEDULE_PHASE_CHECKPOINT_RESTORE,
    SCHEDULE_PHASE_COUNT
};

enum schedule_collective {
    SCHEDULE_ALL_REDUCE,
    SCHEDULE_REDUCE_SCATTER,
    SCHEDULE_ALL_GATHER,
    SCHEDULE_COLLECTIVE_COUNT
};

enum schedule_purpose {
    SCHEDULE_GRADIENT_REDUCTION,
    SCHEDULE_PARAMETER_GATHER,
    SCHEDULE_PARAMETER_SYNC,
    SCHEDULE_SCALAR,
    SCHEDULE_PURPOSE_COUNT
};

/* Names as in the evidence contract; static storage. */
const char *schedule_category_name(enum schedule_category category);
const char *schedule_phase_name(enum schedule_phase phase);
const char *schedule_collective_name(enum schedule_collective collective);
const char *schedule_purpose_name(enum schedule_purpose purpose);

#define SCHEDULE_DEFAULT_BUCKET_BYTES (UINT64_C(25) << 20)
#define SCHEDULE_FIRST_BUCKET_BYTES (UINT64_C(1) << 20)
#define SCHEDULE_DEFAULT_PREFETCH UINT64_C(1)
#define SCHEDULE_LARGEST_WORLD_SIZE (UINT64_C(1) << 24)
#define SCHEDULE_SCALAR_BYTES UINT64_C(8) /* the sum of squares, fp64 */

struct schedule_request {
    enum strategy strategy;
    struct model_shape shape;
    enum model_dtype dtype;
    uint64_t world_size;            /* N >= 1 */
    uint64_t gradient_accumulation; /* G >= 1 */
    uint64_t bucket_bytes; /* of gradient; the first bucket closes at 1 MiB if that is less */
    uint64_t prefetch;     /* units gathered ahead of use; 0: none */
    uint64_t persistence_threshold; /* zero3: 2-D tensors of at most so many elements persist too */
    bool overlap;                   /* false: every collective is waited for where it is posted */
    bool activation_checkpointing;
    uint64_t workspace_bytes; /* what the backend's operators need, live all the time */
};

struct schedule_unit {
    uint64_t elements;          /* of its tensors */
    uint64_t padded;            /* elements with padding: a multiple of 16 N */
    uint64_t full_offset;       /* elements: where it begins among all units, stored whole */
    uint64_t shard_offset;      /* elements: where its shard begins among a rank's shards */
    uint64_t gathered_offset;   /* elements from the start of its group's gathered buffer; 0 if it
                                   persists */
    uint64_t reduced_offset;    /* elements from the start of its group's gradient buffer */
    uint64_t persistent_offset; /* elements from the start of the persistent parameters */
    bool persistent;            /* zero3: every rank keeps its values besides its shard */
};

/* Where a tensor lies: in which unit, how many elements from its start. */
struct schedule_place {
    size_t unit;
    uint64_t offset;
};

struct schedule_group {
    size_t first_unit, unit_count;
    int64_t block;              /* whose tensors these are, if of one block alone; else -1 */
    uint64_t gathered_elements; /* padded, of the units that do not persist */
    uint64_t reduced_elements;  /* padded, of all */
};

enum schedule_role {
    SCHEDULE_ROLE_PARAMETERS, /* whole (ddp, zero1, zero2) or the shards of all units, in dtype;
                                 fsdp: fp32 shards */
    SCHEDULE_ROLE_PERSISTENT, /* zero3: whole values of the persistent units, in dtype */
    SCHEDULE_ROLE_GRADIENTS,  /* whole (ddp, zero1) or shards, in dtype; fsdp: fp32 shards */
    SCHEDULE_ROLE_MASTER,     /* fp32 copy of the owned parameters; bf16 only, and not in fsdp */
    SCHEDULE_ROLE_MOMENT1,    /* fp32, of the owned parameters */
    SCHEDULE_ROLE_MOMENT2,    /* fp32, of the owned parameters */
    SCHEDULE_ROLE_WORKSPACE,
    SCHEDULE_ROLE_STREAM,   /* residual stream leaving `stage` */
    SCHEDULE_ROLE_SAVED,    /* activations of `stage` */
    SCHEDULE_ROLE_GATHERED, /* whole parameters of `group`'s units that do not persist, in dtype */
    SCHEDULE_ROLE_REDUCED,  /* whole gradients of `group`, in dtype */
    SCHEDULE_ROLE_COUNT
};

/* A buffer's identity; live from its take to its release, possibly several times in a step. */
struct schedule_buffer {
    enum schedule_role role;
    enum schedule_category category;
    uint64_t bytes;
    size_t group;  /* GATHERED, REDUCED */
    size_t stage;  /* STREAM, SAVED */
    bool resident; /* taken in init, never released */
};

/* Stages of the model: 0 the embedding, 1..L the blocks, L+1 the head (final norm, logits, loss).
 */

enum schedule_action_kind {
    SCHEDULE_TAKE,    /* `buffer` becomes live */
    SCHEDULE_RELEASE, /* `buffer` is no longer needed */
    /*
     * Posts an all-gather of `group`. Purpose parameter_gather: from the shards of its units that
     * do not persist into `buffer` (GATHERED). Purpose parameter_sync: zero1, zero2: in place in
     * the whole parameters; zero3: from the shards of every persistent unit of the model into the
     * persistent values, in one call (group is SCHEDULE_NONE).
     */
    SCHEDULE_GATHER,
    /*
     * Posts the reduction (sum) of `group`'s gradients: all-reduce in place, or a reduce-scatter in
     * place, after which part r of each unit holds the sum. In the whole gradients (ddp, zero1), or
     * in `buffer` (REDUCED).
     */
    SCHEDULE_REDUCE,
    SCHEDULE_WAIT,       /* until the collective posted as `ticket` is complete */
    SCHEDULE_FORWARD,    /* `stage`; with `recompute` once more for the backward's sake */
    SCHEDULE_BACKWARD,   /* `stage`, as far as `module`'s gradients; adds if `accumulate` else sets.
                            Of the embedding: module wpe; it always adds to wte's gradient. */
    SCHEDULE_ACCUMULATE, /* part r of `group`'s units in `buffer` is added to the gradient shards
                            (set if not `accumulate`) */
    SCHEDULE_NORM,       /* sum of squares of the owned gradients, padding excluded; then, in every
                            strategy but ddp, one all-reduce of the scalar, waited for at once */
    SCHEDULE_UPDATE      /* AdamW on the owned part of `group` */
};

#define SCHEDULE_NONE SIZE_MAX

struct schedule_action {
    enum schedule_action_kind kind;
    enum schedule_phase phase;
    size_t micro_batch; /* 0..G-1; of the optimizer phase: G-1 */
    size_t buffer;      /* or SCHEDULE_NONE */
    size_t group;       /* or SCHEDULE_NONE */
    size_t stage;
    enum model_module module;
    bool accumulate;
    bool recompute;
    /* Of actions that communicate: GATHER, REDUCE, NORM. */
    bool communicates;
    enum schedule_collective collective;
    enum schedule_purpose purpose;
    uint64_t payload_bytes; /* the whole array, padding included, as nccl-tests counts */
    size_t ticket;          /* GATHER, REDUCE: numbered from 0 in order; WAIT: which one */
};

struct schedule {
    struct schedule_request request;
    struct activation_plan activations;
    uint64_t parameter_bytes; /* of a stored parameter of ROLE_PARAMETERS: dtype's, fsdp 4 */
    uint64_t gradient_bytes;  /* of a stored gradient of ROLE_GRADIENTS: dtype's, fsdp 4 */
    uint64_t wire_bytes;      /* of a parameter or gradient in a collective: dtype's */
    size_t tensor_count;
    struct schedule_place *places; /* one a tensor of the model */
    size_t unit_count;
    struct schedule_unit *units;
    size_t group_count;
    struct schedule_group *groups;
    size_t *group_of_unit;
    size_t buffer_count;
    struct schedule_buffer *buffers; /* the resident ones first */
    size_t action_count;
    struct schedule_action *actions; /* of one step; residents are taken before it */
    size_t ticket_count;
    uint64_t full_elements;             /* all units, padded */
    uint64_t shard_elements;            /* full_elements / N */
    uint64_t persistent_elements;       /* padded, of the persistent units */
    uint64_t persistent_valid_elements; /* without padding */
};

/*
 * Builds the schedule; its arrays live in `arena`. STATUS_USAGE for a request that makes no sense
 * (a shape at fault, N or G of 0) or is too large to be listed and summed exactly (N above 2^24, G
 * (L + 2) above 2^20), STATUS_ENVIRONMENT without memory.
 */
enum status schedule_build(const struct schedule_request *request, struct arena *arena,
                           struct schedule *schedule, struct diag *diag) STATUS_CHECKED;

/* True if parameters, gradients are stored whole on every rank. */
bool schedule_whole_parameters(enum strategy strategy);
bool schedule_whole_gradients(enum strategy strategy);

/* Elements of unit `unit` that rank `rank` owns and that are no padding: the first of its part. */
uint64_t schedule_valid_elements(const struct schedule *schedule, size_t unit, uint64_t rank);

#endif
