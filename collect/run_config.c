#include "run_config.h"

#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "backend.h"
#include "byte_size.h"
#include "run_injection.h"
#include "run_options.h"
#include "text.h"

#define SHOWN 128           /* of a text from the command line in a message */
#define HEAD_WIDTH 64       /* of the default number of heads, as GPT-2's */
#define REFERENCE_REPEATS 5 /* of the reference experiment */
#define MIB 1048576.0

const char *run_config_backend(const char *name)
{
    const struct backend_row *row = NULL;
    if (strcmp(name, "auto") != 0)
        row = backend_find(name);
    for (size_t i = 0; i < backend_table_count && row == NULL && strcmp(name, "auto") == 0; i++)
        if (backend_table[i].unavailable() == NULL)
            row = &backend_table[i];
    return row != NULL ? row->name : NULL;
}

/* ---- strategies ---- */

/* "zero-2", "FSDP": an error that names the nearest allowed value; nothing is guessed. */
static void refuse_strategy(const char *name, size_t length, struct run_faults *faults)
{
    char shown[SHOWN];
    const char *nearest = NULL;
    size_t best = SIZE_MAX;
    for (int i = 0; i < STRATEGY_COUNT; i++) {
        const char *known = training_state_row((enum strategy)i)->name;
        size_t distance = text_distance(name, length, known, strlen(known));
        if (length >= 3 && strncasecmp(name, known, length) == 0) /* "fsdp", "DDP" */
            distance = 0;
        if (distance < best) {
            best = distance;
            nearest = known;
        }
    }
    text_escape_into(shown, sizeof shown, name, length);
    if (best <= 2)
        run_faults_add(faults, STATUS_USAGE, "--strategy: \"%s\" is none; did you mean %s?", shown,
                       nearest);
    else
        run_faults_add(faults, STATUS_USAGE,
                       "--strategy: \"%s\" is none of ddp, zero1, zero2, zero3, fsdp_full_shard, "
                       "all",
                       shown);
}

static void take_strategy(const char *name, size_t length, struct run_config *config,
                          struct run_faults *faults)
{
    enum strategy strategy;
    if (!training_state_find(name, length, &strategy)) {
        refuse_strategy(name, length, faults);
        return;
    }
    if (config->strategies[strategy]) {
        run_faults_add(faults, STATUS_USAGE, "--strategy names %s twice",
                       training_state_row(strategy)->name);
        return;
    }
    config->strategies[strategy] = true;
    config->strategy_count++;
}

static void read_strategies(const char *list, struct run_config *config, struct run_faults *faults)
{
    if (list == NULL) {
        run_faults_add(faults, STATUS_USAGE, "no --strategy: name some, or all");
        return;
    }
    if (strcmp(list, "all") == 0) {
        for (int i = 0; i < STRATEGY_COUNT; i++)
            config->strategies[i] = true;
        config->strategy_count = STRATEGY_COUNT;
        return;
    }
    for (const char *at = list;; at++) {
        size_t length = strcspn(at, ",");
        take_strategy(at, length, config, faults);
        at += length;
        if (*at == '\0')
            break;
    }
}

/* ---- the workload ---- */

static struct training training_of(const struct run_options *options)
{
    int64_t heads = options->width >= HEAD_WIDTH ? options->width / HEAD_WIDTH : 1;
    if (options->heads_given)
        heads = options->heads;
    bool fewer = options->reference && !options->repeats_given;
    return (struct training){
        .schedule =
            {
                .shape = {.width = (uint64_t)options->width,
                          .layers = (uint64_t)options->layers,
                          .heads = (uint64_t)heads,
                          .vocab = (uint64_t)options->vocab,
                          .seq_len = (uint64_t)options->seq_len,
                          .micro_batch = (uint64_t)options->micro_batch},
                .dtype = (enum model_dtype)options->dtype,
                .world_size = (uint64_t)options->world_size,
                .gradient_accumulation = (uint64_t)options->gradient_accumulation,
                .bucket_bytes = (uint64_t)llround(options->bucket_mb * MIB),
                .prefetch = (uint64_t)options->prefetch,
                .persistence_threshold = (uint64_t)options->persistence_threshold,
                .overlap = !options->no_overlap,
                .activation_checkpointing = options->activation_checkpointing,
            },
        .warmup = (uint64_t)options->warmup,
        .repeats = fewer ? REFERENCE_REPEATS : (uint64_t)options->repeats,
        .seed = (uint64_t)options->seed,
        .learning_rate = options->learning_rate,
        .max_grad_norm = options->max_grad_norm,
    };
}

static void check_shape(const struct run_options *options, const struct run_config *config,
                        struct run_faults *faults)
{
    char text[256];
    const char *fault = model_shape_fault(&config->training.schedule.shape, text, sizeof text);
    if (fault == NULL)
        return;
    run_faults_add(faults, STATUS_USAGE, "%s%s", fault,
                   !options->heads_given && options->width % HEAD_WIDTH != 0 ? " (give --heads)"
                                                                             : "");
}

static void check_world_size(const struct run_options *options, uint64_t joined_size,
                             struct run_config *config, struct run_faults *faults)
{
    if (joined_size == 0 && !options->world_size_given)
        run_faults_add(faults, STATUS_USAGE, "no --world-size: say how many ranks");
    else if (joined_size > 0 && options->world_size_given && options->world_size > 0 &&
             (uint64_t)options->world_size != joined_size)
        run_faults_add(faults, STATUS_USAGE,
                       "--world-size is %" PRId64 ", but mpirun or srun started %" PRIu64 " ranks",
                       options->world_size, joined_size);
    if (joined_size > 0)
        config->training.schedule.world_size = joined_size;
}

/* ---- limits, places, faults on purpose ---- */

static void read_limit(const struct run_options *options, struct run_config *config,
                       struct run_faults *faults)
{
    struct diag diag = {0};
    config->memory_limit_bytes = UINT64_MAX;
    if (options->memory_limit != NULL &&
        byte_size_parse_whole(options->memory_limit, &config->memory_limit_bytes, &diag) !=
            STATUS_OK)
        run_faults_add(faults, STATUS_USAGE, "--memory-limit: %s", diag.text);
}

/* "", "out/", "out/..": no name for a file. */
static bool names_no_file(const char *path)
{
    const char *slash = strrchr(path, '/');
    const char *name = slash != NULL ? slash + 1 : path;
    return *name == '\0' || strcmp(name, "-") == 0 || strcmp(name, ".") == 0 ||
           strcmp(name, "..") == 0;
}

/* A folder without a name is taken for one that was not given: it is no second fault. */
static void check_names(struct run_config *config, struct run_faults *faults)
{
    const struct {
        const char *option;
        const char **name;
    } folders[] = {{"--output-dir", &config->output_dir},
                   {"--checkpoint-dir", &config->checkpoint_dir},
                   {"--restore", &config->restore_dir},
                   {"--dump", &config->dump_dir}};
    char shown[SHOWN];
    for (size_t i = 0; i < sizeof folders / sizeof folders[0]; i++) {
        if (*folders[i].name == NULL || (*folders[i].name)[0] != '\0')
            continue;
        run_faults_add(faults, STATUS_USAGE, "%s needs a folder's name, not \"\"",
                       folders[i].option);
        *folders[i].name = NULL;
    }
    if (config->output != NULL && names_no_file(config->output))
        run_faults_add(
            faults, STATUS_USAGE, "--output needs a file's name, not \"%s\"",
            text_escape_into(shown, sizeof shown, config->output, strlen(config->output)));
}

static void check_outputs(const struct run_config *config, struct run_faults *faults)
{
    if (config->output == NULL && config->output_dir == NULL)
        run_faults_add(faults, STATUS_USAGE, "no --output-dir: say where the evidence goes");
    if (config->output != NULL && config->output_dir != NULL)
        run_faults_add(faults, STATUS_USAGE, "--output and --output-dir are both given");
    if (config->output != NULL && config->strategy_count > 1)
        run_faults_add(faults, STATUS_USAGE,
                       "--output holds the evidence of one strategy, but %zu are named: use "
                       "--output-dir",
                       config->strategy_count);
    if (config->checkpoint_dir != NULL && config->checkpoint == RUN_CHECKPOINT_NONE)
        run_faults_add(faults, STATUS_USAGE,
                       "--checkpoint-dir without --checkpoint full, sharded or both");
}

static void check_backend(const struct run_options *options, struct run_config *config,
                          struct run_faults *faults)
{
    const char *asked = run_options_backends[options->backend];
    config->backend = run_config_backend(asked);
    if (config->backend == NULL)
        run_faults_add(faults, STATUS_ENVIRONMENT,
                       "backend %s is not part of this build; see rankledger-collect preflight",
                       asked);
    else if (options->share_device && backend_find(config->backend)->describe == NULL)
        run_faults_add(faults, STATUS_USAGE,
                       "--share-device is of GPUs, and the %s computes: add --backend cuda",
                       strcmp(config->backend, "cpu") == 0 ? "CPU" : config->backend);
}

static void interpret(const struct run_options *options, const struct run_config_input *input,
                      struct run_config *config, struct run_faults *faults)
{
    *config = (struct run_config){
        .training = training_of(options),
        .rounds = (uint64_t)options->rounds,
        .timeout_s = options->timeout,
        .checkpoint = (enum run_checkpoint)options->checkpoint,
        .output_dir = options->output_dir,
        .output = options->output,
        .checkpoint_dir = options->checkpoint_dir,
        .restore_dir = options->restore,
        .dump_dir = options->dump,
        .force = options->force,
        .reference = options->reference,
        .share_device = options->share_device,
        .threads = (int)options->threads,
        .argc = input->argc,
        .argv = input->argv,
    };
    bool all = options->reference && !options->strategy_given;
    read_strategies(all ? "all" : options->strategy, config, faults);
    check_world_size(options, input->joined_size, config, faults);
    if (!options->number_at_fault)
        check_shape(options, config, faults);
    check_backend(options, config, faults);
    read_limit(options, config, faults);
    check_outputs(config, faults);
    check_names(config, faults);
    if (options->inject != NULL && !options->number_at_fault)
        run_injection_read(options->inject, config, &config->injection, faults);
}

enum status run_config_read(const struct run_config_input *input, struct run_config *config,
                            struct run_faults *faults, enum options_help *help, struct diag *diag)
{
    struct run_options options;
    int skip = input->argc < 2 ? input->argc : 2;
    const struct run_options_input given = {input->argc - skip, input->argv + skip, input->quiet};
    enum status status = run_options_read(&given, &options, faults, help, diag);
    if (status == STATUS_OK && !*help)
        interpret(&options, input, config, faults);
    return status;
}

enum status run_config_parse(const struct run_config_input *input, struct run_config *config,
                             enum options_help *help, struct diag *diag)
{
    struct run_faults faults = {0};
    enum status status = run_config_read(input, config, &faults, help, diag);
    if (status == STATUS_OK)
        status = run_faults_report(&faults, "run", diag);
    run_faults_fini(&faults);
    return status;
}

enum status run_config_target(const struct run_config *config, enum strategy strategy, char *path,
                              size_t size, struct diag *diag)
{
    int length;
    if (config->output != NULL)
        length = snprintf(path, size, "%s", config->output);
    else
        length = snprintf(path, size, "%s/%s%s.json", config->output_dir,
                          config->reference ? "zero_" : "", training_state_row(strategy)->name);
    if (length < 0 || (size_t)length >= size)
        return diag_set(diag, STATUS_USAGE, "the name of the evidence file is too long");
    return STATUS_OK;
}

enum status run_config_checkpoint_dir(const struct run_config *config, char *path, size_t size,
                                      struct diag *diag)
{
    int length;
    const char *slash = config->output != NULL ? strrchr(config->output, '/') : NULL;
    if (config->checkpoint_dir != NULL)
        length = snprintf(path, size, "%s", config->checkpoint_dir);
    else if (config->output == NULL)
        length = snprintf(path, size, "%s/checkpoints", config->output_dir);
    else
        length = snprintf(path, size, "%.*scheckpoints",
                          slash != NULL ? (int)(slash - config->output) + 1 : 0, config->output);
    if (length < 0 || (size_t)length >= size)
        return diag_set(diag, STATUS_USAGE, "the name of the checkpoints' folder is too long");
    return STATUS_OK;
}
