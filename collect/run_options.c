#include "run_options.h"

#include <stddef.h>
#include <stdio.h>

#include "model.h"
#include "options.h"

const char *const run_options_backends[] = {"auto", "cpu", "cuda", NULL};
static const char *const dtypes[] = {"fp32", "bf16", NULL};
static const char *const checkpoints[] = {"none", "full", "sharded", "both", NULL};

/* Up to which every program that reads evidence keeps whole numbers: 2^53. */
#define MOST_EXACT 9007199254740992.0
#define MOST_SIZE ((double)MODEL_LARGEST_SIZE)

/* A row of options.h with the place of its value instead of the value's address. */
struct row {
    const char *name;
    enum options_type type;
    const char *argument, *help;
    size_t value; /* offset in struct run_options */
    double minimum, maximum;
    const char *const *choices;
};

#define AT(member) offsetof(struct run_options, member)

/* clang-format off: a row is a line. */
static const struct row rows[] = {
    {"strategy", OPTIONS_TEXT, "LIST|all", "ddp,zero1,zero2,zero3,fsdp_full_shard", AT(strategy), 0,
     0, NULL},
    {"world-size", OPTIONS_COUNT, "N", "number of ranks", AT(world_size), 1, 1024, NULL},
    {"output-dir", OPTIONS_TEXT, "DIR", "evidence goes to DIR/<strategy>.json", AT(output_dir), 0,
     0, NULL},
    {"output", OPTIONS_TEXT, "FILE", "instead: the evidence of one strategy", AT(output), 0, 0,
     NULL},
    {"force", OPTIONS_FLAG, NULL, "replace existing evidence", AT(force), 0, 0, NULL},
    {"backend", OPTIONS_CHOICE, "auto|cpu|cuda", "what computes (auto)", AT(backend), 0, 0,
     run_options_backends},
    {"width", OPTIONS_COUNT, "C", "width of the model (1024)", AT(width), 1, MOST_SIZE, NULL},
    {"layers", OPTIONS_COUNT, "L", "blocks (8)", AT(layers), 1, MODEL_LARGEST_LAYERS, NULL},
    {"heads", OPTIONS_COUNT, "H", "attention heads (width/64)", AT(heads), 1, MOST_SIZE, NULL},
    {"vocab", OPTIONS_COUNT, "V", "size of the vocabulary (8192)", AT(vocab), 1, MOST_SIZE, NULL},
    {"seq-len", OPTIONS_COUNT, "T", "tokens of a sequence (256)", AT(seq_len), 1, MOST_SIZE, NULL},
    {"micro-batch", OPTIONS_COUNT, "B", "sequences of a rank at a time (1)", AT(micro_batch), 1,
     MOST_SIZE, NULL},
    {"gradient-accumulation", OPTIONS_COUNT, "G", "micro-batches of an optimizer step (2)",
     AT(gradient_accumulation), 1, MOST_SIZE, NULL},
    {"dtype", OPTIONS_CHOICE, "fp32|bf16", "of activations and what is sent (bf16)", AT(dtype), 0,
     0, dtypes},
    {"warmup", OPTIONS_COUNT, "N", "optimizer steps before the measured ones (2)", AT(warmup), 0,
     1e6, NULL},
    {"repeats", OPTIONS_COUNT, "N", "measured optimizer steps (10)", AT(repeats), 1, 1e6, NULL},
    {"rounds", OPTIONS_COUNT, "K", "times that the strategies take turns (1)", AT(rounds), 1, 1000,
     NULL},
    {"seed", OPTIONS_COUNT, "N", "of initial values and tokens (1)", AT(seed), 0, MOST_EXACT, NULL},
    {"learning-rate", OPTIONS_NUMBER, "X", "AdamW's (0.0003)", AT(learning_rate), 0, 1e3, NULL},
    {"max-grad-norm", OPTIONS_NUMBER, "X", "clipping; 0: none (1)", AT(max_grad_norm), 0, 1e30,
     NULL},
    {"bucket-mb", OPTIONS_NUMBER, "MIB", "gradient bucket of ddp, zero1, zero2 (25)", AT(bucket_mb),
     1e-6, 1e6, NULL},
    {"prefetch", OPTIONS_COUNT, "N", "units gathered ahead: zero3, fsdp (1)", AT(prefetch), 0, 1024,
     NULL},
    {"persistence-threshold", OPTIONS_COUNT, "COUNT", "zero3: elements of what stays whole (0)",
     AT(persistence_threshold), 0, 1e15, NULL},
    {"no-overlap", OPTIONS_FLAG, NULL, "wait for every collective where it is posted",
     AT(no_overlap), 0, 0, NULL},
    {"activation-checkpointing", OPTIONS_FLAG, NULL, "recompute activations in the backward",
     AT(activation_checkpointing), 0, 0, NULL},
    {"memory-limit", OPTIONS_TEXT, "SIZE", "of one rank, such as 2GiB", AT(memory_limit), 0, 0,
     NULL},
    {"threads", OPTIONS_COUNT, "N", "of one rank (cores / ranks)", AT(threads), 1, 4096, NULL},
    {"share-device", OPTIONS_FLAG, NULL, "ranks may share a GPU, as an experiment",
     AT(share_device), 0, 0, NULL},
    {"timeout", OPTIONS_NUMBER, "S", "seconds without a completed step (120)", AT(timeout), 0.1,
     1e7, NULL},
    {"checkpoint", OPTIONS_CHOICE, "KIND", "none|full|sharded|both, verified (none)",
     AT(checkpoint), 0, 0, checkpoints},
    {"checkpoint-dir", OPTIONS_TEXT, "DIR", "where (checkpoints, beside the evidence)",
     AT(checkpoint_dir), 0, 0, NULL},
    {"restore", OPTIONS_TEXT, "DIR", "start from a checkpoint", AT(restore), 0, 0, NULL},
    {"dump", OPTIONS_TEXT, "DIR", "tokens, values, gradients for a replay", AT(dump), 0, 0, NULL},
    {"inject", OPTIONS_TEXT, "FAULT", "a fault on purpose, see below", AT(inject), 0, 0, NULL},
    {"reference", OPTIONS_FLAG, NULL, "all strategies, 5 repeats, zero_<strategy>.json",
     AT(reference), 0, 0, NULL},
};
/* clang-format on */
#define ROW_COUNT (sizeof rows / sizeof rows[0])

static const char notes[] =
    "Started by hand it starts its ranks through mpirun; under mpirun or srun it joins\n"
    "those. A strategy that fails still writes its evidence, and the others go on.\n"
    "Ctrl-C ends the run; the interrupted strategy's evidence says so. Start-up may\n"
    "take ten times the timeout. Beyond the memory limit a rank is out of memory.\n"
    "FAULT is kill|hang|oom|nan|slow|disk_full@rank:R,step:S, or step:checkpoint.\n"
    "Exit codes: 0 all completed, 1 some failed, 2 usage (also: evidence exists, no\n"
    "strategy fits), 3 input, 4 environment, 5 a bug.\n\n"
    "rankledger-collect run --strategy all --world-size 2 --output-dir evidence\n";

static void set_defaults(struct run_options *options)
{
    *options = (struct run_options){
        .width = 1024,
        .layers = 8,
        .vocab = 8192,
        .seq_len = 256,
        .micro_batch = 1,
        .gradient_accumulation = 2,
        .dtype = 1,
        .warmup = 2,
        .repeats = 10,
        .rounds = 1,
        .seed = 1,
        .learning_rate = 3e-4,
        .max_grad_norm = 1,
        .bucket_mb = 25,
        .prefetch = 1,
        .timeout = 120,
    };
}

/* Where the option's being given matters. */
static bool *given_of(struct run_options *options, size_t value)
{
    switch (value) {
    case AT(world_size):
        return &options->world_size_given;
    case AT(heads):
        return &options->heads_given;
    case AT(repeats):
        return &options->repeats_given;
    case AT(strategy):
        return &options->strategy_given;
    default:
        return NULL;
    }
}

/* Where faults are noted. */
struct listener {
    struct run_options *options;
    struct run_faults *faults;
};

static void hear(void *context, const struct options_row *row, const char *message)
{
    const struct listener *listener = context;
    run_faults_add(listener->faults, STATUS_USAGE, "%s", message);
    if (row != NULL && (row->type == OPTIONS_COUNT || row->type == OPTIONS_NUMBER))
        listener->options->number_at_fault = true;
}

static void make_rows(struct run_options *options, struct options_row table[ROW_COUNT])
{
    for (size_t i = 0; i < ROW_COUNT; i++)
        table[i] = (struct options_row){.name = rows[i].name,
                                        .type = rows[i].type,
                                        .argument = rows[i].argument,
                                        .help = rows[i].help,
                                        .value = (unsigned char *)options + rows[i].value,
                                        .given = given_of(options, rows[i].value),
                                        .minimum = rows[i].minimum,
                                        .maximum = rows[i].maximum,
                                        .choices = rows[i].choices};
}

enum status run_options_read(const struct run_options_input *input, struct run_options *options,
                             struct run_faults *faults, enum options_help *help, struct diag *diag)
{
    set_defaults(options);
    struct options_row table[ROW_COUNT];
    make_rows(options, table);
    struct listener listener = {options, faults};
    const struct options_command command = {
        .program = "rankledger-collect",
        .name = "run",
        .summary = "Trains a model under each strategy and writes what happened as evidence.",
        .notes = notes,
        .rows = table,
        .row_count = ROW_COUNT,
        .fault = hear,
        .fault_context = &listener,
    };
    struct options_list operands = {0};
    enum status status = options_parse(&command, input->argc, input->argv, &operands, help, diag);
    if (status == STATUS_OK && *help && !input->quiet)
        options_print_help(&command, *help, stdout);
    options_fini(&command, &operands);
    return status;
}
