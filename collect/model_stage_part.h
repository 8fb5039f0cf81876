#ifndef RANKLEDGER_MODEL_STAGE_PART_H
#define RANKLEDGER_MODEL_STAGE_PART_H

#include "model_stage.h"

/*
 * What the files of model_stage.h share: one stage in work, as a list of steps. A step asks for one
 * operator; between two of them the executor looks after its collectives.
 */
struct model_stage_part {
    struct model_stage *stage;
    const struct backend_operations *operations;
    size_t index;   /* of the stage */
    int accumulate; /* backward: gradients of weights add */
};

/* One operator asked for. */
struct model_stage_step {
    void (*run)(const struct model_stage_part *part);
};

/* Runs the steps of a list that an empty one ends, `between` after each. */
enum status model_stage_part_run(const struct model_stage_part *part,
                                 const struct model_stage_step *steps,
                                 const struct model_stage_between *between,
                                 struct diag *diag) STATUS_CHECKED;

/* A module's weight, bias and their gradients; the blocks' modules those of the block in work. */
const void *model_stage_part_weight(const struct model_stage_part *part, enum model_module module);
const void *model_stage_part_bias(const struct model_stage_part *part, enum model_module module);
void *model_stage_part_dweight(const struct model_stage_part *part, enum model_module module);
void *model_stage_part_dbias(const struct model_stage_part *part, enum model_module module);

/* A saved activation of the stage in work. */
void *model_stage_part_saved(const struct model_stage_part *part, enum activation_tensor tensor);

/*
 * Gradients of activations in the workspace. The stream's [rows, C] goes from stage to stage; the
 * branch's [rows, C] is of what a norm gave or an attention took; the wide one [rows, 4C] is of the
 * inner layer, or of query, key, value [rows, 3C].
 */
enum model_stage_gradient { MODEL_STAGE_STREAM, MODEL_STAGE_BRANCH, MODEL_STAGE_WIDE };
void *model_stage_part_gradient(const struct model_stage_part *part,
                                enum model_stage_gradient gradient);

#endif
