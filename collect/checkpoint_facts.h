#ifndef RANKLEDGER_CHECKPOINT_FACTS_H
#define RANKLEDGER_CHECKPOINT_FACTS_H

#include "executor.h"
#include "safetensors.h"

/*
 * What a checkpoint or dump says about itself: texts, the same in the metadata of every file and in
 * a sharded checkpoint's index.
 */
enum checkpoint_fact {
    CHECKPOINT_FORMAT,  /* CHECKPOINT_FACTS_FORMAT or DUMP's */
    CHECKPOINT_CONTENT, /* "full", "sharded"; of a dump "initial", "gradients", "final", "tokens" */
    CHECKPOINT_STEP,    /* optimizer steps done; the next one reads the tokens of this number */
    CHECKPOINT_SEED,
    CHECKPOINT_WIDTH,
    CHECKPOINT_LAYERS,
    CHECKPOINT_HEADS,
    CHECKPOINT_VOCAB,
    CHECKPOINT_SEQ_LEN,
    CHECKPOINT_DTYPE,
    CHECKPOINT_GLOBAL_BATCH,
    CHECKPOINT_STRATEGY,
    CHECKPOINT_WORLD_SIZE,
    CHECKPOINT_FACT_COUNT
};

#define CHECKPOINT_FACTS_FORMAT "rankledger.checkpoint/1"
#define CHECKPOINT_FACTS_DUMP_FORMAT "rankledger.dump/1"

struct checkpoint_facts {
    char text[CHECKPOINT_FACT_COUNT][32];
};

/* "step", "seed", ...: the key; static storage. */
const char *checkpoint_facts_key(enum checkpoint_fact fact);

/* Of a run that has not begun: no step is done. `request`: the training's, completed. */
void checkpoint_facts_planned(struct checkpoint_facts *facts, const struct training *training,
                              const struct schedule_request *request);
/* Of a run as it stands. */
void checkpoint_facts_of(struct checkpoint_facts *facts, const struct executor *executor,
                         const struct executor_request *context);
/* As a file's metadata; borrows the texts. */
void checkpoint_facts_notes(const struct checkpoint_facts *facts,
                            struct safetensors_note notes[CHECKPOINT_FACT_COUNT]);

/* Takes over a text; STATUS_INPUT if `text` is NULL or too long for any fact. `path`: for the
 * message, safe to print. */
enum status checkpoint_facts_take(struct checkpoint_facts *facts, enum checkpoint_fact fact,
                                  const char *text, const char *path,
                                  struct diag *diag) STATUS_CHECKED;

/* How a checkpoint's facts, which came from `path`, bear on a run. */
struct checkpoint_facts_meaning {
    uint64_t step, world_size;
    enum strategy strategy;
    bool narrow_parameters; /* they are stored in bf16, and a master beside them */
};
/* STATUS_INPUT if they are no checkpoint's, or of other sizes, dtype or seed than `own`. */
enum status checkpoint_facts_understand(const struct checkpoint_facts *facts,
                                        const struct checkpoint_facts *own, const char *path,
                                        struct checkpoint_facts_meaning *meaning,
                                        struct diag *diag) STATUS_CHECKED;

#endif
