#ifndef RANKLEDGER_DUMP_H
#define RANKLEDGER_DUMP_H

#include "communicator.h"
#include "executor.h"

/*
 * --dump DIR: what anyone needs to replay the run elsewhere, as safetensors files.
 *
 * initial, gradients, final: all tensors by model.h's names and shapes, F32. initial and final are
 * the values that the optimizer works on: the fp32 master where there is one (bf16), else the
 * parameters. gradients: of the first step (warm-up included), averaged over the global batch,
 * before clipping; widened from the stored dtype without loss.
 * tokens: one tensor `tokens`, I32 [steps, global batch, T + 1], warm-up included; the sequences of
 * the global batch in training_sample's order.
 *
 * All ranks call together; rank 0 writes, beside the target, and the folder is renamed when it is
 * complete. Memory as in checkpoint.h (phase checkpoint_save).
 */
struct dump;

struct dump_request {
    const char *directory;
    bool force; /* an existing dump is replaced */
};

enum dump_part { DUMP_INITIAL, DUMP_GRADIENTS, DUMP_FINAL, DUMP_PART_COUNT };

/* Makes the temporary folder. `executor` and what `context` points to outlive the dump. Heap. */
enum status dump_begin(struct executor *executor, const struct executor_request *context,
                       const struct dump_request *request, struct dump **dump,
                       struct diag *diag) STATUS_CHECKED;
/* Writes a part from the live state: initial before the first step, gradients after the first (and
 * before the second), final after the last. */
enum status dump_write(struct dump *dump, enum dump_part part, struct diag *diag) STATUS_CHECKED;
/* Writes the tokens of the steps since dump_begin and puts the folder in its place. Frees the dump,
 * also on failure. STATUS_BUG if a part is missing. */
enum status dump_finish(struct dump *dump, struct diag *diag) STATUS_CHECKED;
/* Removes the temporary folder and frees the dump; NULL is allowed. No collective. */
void dump_abandon(struct dump *dump);

/* True for names of files that a dump consists of (for output_folder_check). */
bool dump_is_file(const char *name);

#endif
