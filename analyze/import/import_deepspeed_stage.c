#include <math.h>

#include "import_deepspeed.h"

/* Which strategy ran. DeepSpeed prints what was asked for and what it set up, and the two need not
 * agree; the second counts. */

/* Lines that one stage's optimizer alone writes while it is set up. */
static const struct stage_sign {
    const char *text;
    size_t offset;
} stage_signs[] = {
    {"Stage 3 initialize", offsetof(struct import_deepspeed_config, stage_3_line)},
    {"[stage3.py:", offsetof(struct import_deepspeed_config, stage_3_line)},
    {"DeepSpeedZeRoOffload initialize", offsetof(struct import_deepspeed_config, stage_3_line)},
    {"DeepSpeedZeroOptimizer_Stage3", offsetof(struct import_deepspeed_config, stage_3_line)},
    {"[stage_1_and_2.py:", offsetof(struct import_deepspeed_config, stage_1_2_line)},
    {"[stage2.py:", offsetof(struct import_deepspeed_config, stage_1_2_line)},
    {"Creating BF16 optimizer", offsetof(struct import_deepspeed_config, bf16_optimizer_line)},
    {"DeepSpeed Final Optimizer = BF16_Optimizer",
     offsetof(struct import_deepspeed_config, bf16_optimizer_line)},
    {"Creating fp16 optimizer with ",
     offsetof(struct import_deepspeed_config, fp16_optimizer_line)},
    {"Creating fp16 unfused optimizer with ",
     offsetof(struct import_deepspeed_config, fp16_optimizer_line)},
    {"CPU Offload: True", offsetof(struct import_deepspeed_config, offload_line)},
    {"DeepSpeed Basic Optimizer = DeepSpeedCPUAdam",
     offsetof(struct import_deepspeed_config, offload_line)},
    {"MiCS is enabled True", offsetof(struct import_deepspeed_config, mics_line)},
    {"[pipe/engine.py:", offsetof(struct import_deepspeed_config, model_parallel_line)},
};

/* The number format of the line below; "Creating fp16 ZeRO stage 3 optimizer" is a fixed text. */
static void take_created_dtype(struct import_deepspeed_config *config, struct import_span rest,
                               size_t line)
{
    static const struct {
        const char *name;
        enum import_deepspeed_dtype dtype;
    } dtypes[] = {{"torch.float32 ", IMPORT_DEEPSPEED_FP32},
                  {"torch.float16 ", IMPORT_DEEPSPEED_FP16},
                  {"torch.bfloat16 ", IMPORT_DEEPSPEED_BF16}};
    for (size_t i = 0; i < sizeof dtypes / sizeof dtypes[0]; i++)
        if (import_scan_begins(&rest, dtypes[i].name))
            import_told_add(&config->created_dtype, (double)dtypes[i].dtype, line);
}

/* "Creating torch.bfloat16 ZeRO stage 2 optimizer" */
static bool take_created(struct import_deepspeed_config *config, const struct import_line *line)
{
    struct import_span rest = line->span;
    struct import_span dtype;
    double stage = 0;
    if (!import_scan_find(&rest, "Creating "))
        return false;
    dtype = rest;
    if (!import_scan_find(&rest, "ZeRO stage ") || !import_scan_count_of(&rest, &stage) ||
        !import_scan_skip(&rest, "optimizer"))
        return false;
    take_created_dtype(config, dtype, line->number);
    import_told_add(&config->stage_created, stage, line->number);
    return true;
}

bool import_deepspeed_take_stage(struct import_deepspeed_config *config,
                                 const struct import_line *line)
{
    bool found = take_created(config, line);
    for (size_t i = 0; i < sizeof stage_signs / sizeof stage_signs[0]; i++) {
        struct import_span rest = line->span;
        if (!import_scan_find(&rest, stage_signs[i].text))
            continue;
        size_t *noted = (size_t *)(void *)((char *)config + stage_signs[i].offset);
        if (*noted == 0)
            *noted = line->number;
        found = true;
    }
    return found;
}

struct stage {
    double number; /* NAN: not known */
    size_t line;
};

/* What the configuration says: that which DeepSpeed made of it, or else the user's. */
static const struct import_told *configured(const struct import_deepspeed_config *config)
{
    return config->stage_set.line != 0 ? &config->stage_set : &config->stage_asked;
}

/* A line of set-up that no run with this stage writes; 0: none. */
static size_t contradiction(const struct import_deepspeed_config *config, double stage)
{
    if (stage != 3 && config->stage_3_line != 0)
        return config->stage_3_line;
    if (stage != 1 && stage != 2 && config->stage_1_2_line != 0)
        return config->stage_1_2_line;
    if (stage != 0 && config->fp16_optimizer_line != 0)
        return config->fp16_optimizer_line;
    return stage != 1 ? config->bf16_optimizer_line : 0;
}

/* The stage that was set up, as far as the log shows it without doubt. */
static struct stage stage_that_ran(struct import_record *record,
                                   const struct import_deepspeed_config *config)
{
    const struct import_told *created = &config->stage_created;
    const struct import_told *told = configured(config);
    struct stage stage = {NAN, 0};
    if (created->line != 0 || told->line != 0) {
        const struct import_told *first = created->line != 0 ? created : told;
        stage = (struct stage){first->value, first->line};
        if (!import_told_once(first)) {
            import_warn(record, first->other_line,
                        "ZeRO stage %g in line %zu and %g here: which one ran is not clear, so "
                        "the strategy is left out",
                        first->value, first->line, first->other);
            return (struct stage){NAN, 0};
        }
    } else if (config->stage_3_line != 0) {
        import_warn(record, config->stage_3_line,
                    "no configuration is printed; the strategy is zero3 because this line is "
                    "written only where ZeRO stage 3 is set up");
        stage = (struct stage){3, config->stage_3_line};
    }
    return stage;
}

/* What makes a run another strategy than the plain one of its stage; 0: nothing. */
static size_t hybrid(struct import_record *record, const struct import_deepspeed_config *config)
{
    bool split = import_told_once(&config->ranks) && import_told_once(&config->data_parallel) &&
                 config->ranks.value != config->data_parallel.value;
    size_t parallel = split ? config->data_parallel.line : config->model_parallel_line;
    if (parallel != 0)
        import_warn(record, import_deepspeed_line(config, parallel),
                    "the model itself is split over ranks (tensor, pipeline or sequence "
                    "parallelism): none of the known strategies, so it is left out");
    if (config->mics_line != 0)
        import_warn(record, import_deepspeed_line(config, config->mics_line),
                    "state is sharded within groups of ranks (MiCS or ZeRO++): none of the known "
                    "strategies, so it is left out");
    if (parallel != 0 || config->mics_line != 0)
        import_ask(record, "strategy",
                   "what ran is none of the five strategies, as a warning says");
    return parallel != 0 ? parallel : config->mics_line;
}

/* The log asks for one stage and sets up another one. */
static void warn_of_request(struct import_record *record,
                            const struct import_deepspeed_config *config, struct stage ran)
{
    const struct import_told *told[] = {&config->stage_asked, &config->stage_set};
    for (size_t i = 0; i < sizeof told / sizeof told[0]; i++)
        if (told[i]->line != 0 && told[i]->value != ran.number) {
            import_warn(record, told[i]->line,
                        "the configuration asks for ZeRO stage %g, but line %zu tells stage %g: "
                        "what ran counts",
                        told[i]->value, ran.line, ran.number);
            import_value(record, "zero_stage_asked", told[i]->value);
            return;
        }
}

void import_deepspeed_write_stage(struct import_record *record,
                                  const struct import_deepspeed_config *config)
{
    static const char *const strategies[] = {"ddp", "zero1", "zero2", "zero3"};
    struct stage ran = stage_that_ran(record, config);
    if (config->offload_line != 0) {
        size_t line = import_deepspeed_line(config, config->offload_line);
        import_flag(record, "strategy_options.offload", true, line);
        import_warn(record, line,
                    "state is offloaded to the CPU or NVMe: memory and times are not those of the "
                    "same strategy without it");
    }
    if (hybrid(record, config) != 0 || isnan(ran.number))
        return;
    size_t against = contradiction(config, ran.number);
    if (against != 0) {
        import_warn(record, against,
                    "this line is not of ZeRO stage %g, which line %zu tells: which one ran is not "
                    "clear, so the strategy is left out",
                    ran.number, ran.line);
        import_ask(record, "strategy", "the log's lines contradict one another, as a warning says");
        return;
    }
    warn_of_request(record, config, ran);
    if (ran.number == 0 || ran.number == 1 || ran.number == 2 || ran.number == 3)
        import_text(record, "strategy", strategies[(size_t)ran.number],
                    import_deepspeed_line(config, ran.line));
    import_value(record, "zero_stage", ran.number);
}
