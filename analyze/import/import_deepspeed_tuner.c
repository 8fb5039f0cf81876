#include <math.h>
#include <string.h>

#include "import_beside.h"
#include "import_deepspeed.h"
#include "import_failures.h"
#include "import_trainer_log.h"

/*
 * Results of DeepSpeed's autotuner, which tries configurations in experiments of a few steps each:
 * the folder of one (exp.json, metrics.json, stderr.log, ds_config.json side by side), or the table
 * of the best ones (summary.txt, also at the end of the tuner's log).
 */

/* The largest rate in samples/s that is one; the tuner can rank by FLOPS, which are far above. */
#define LARGEST_RATE 1e9

/* ---- Files of one experiment ---- */

static struct import_span text_of(const struct json_read_document *json, uint32_t node)
{
    const struct json_read_node *at = &json->nodes[node];
    return (struct import_span){json->text + at->offset, at->length, false};
}

static void take_ds_config(struct import_deepspeed_config *config,
                           const struct json_read_document *json, uint32_t object)
{
    if (!json_read_is(json, object, JSON_READ_OBJECT))
        return;
    import_deepspeed_take_members(config, "", json, object, 0);
    uint32_t tuning = json_read_member(json, object, "autotuning");
    double parallel = 0;
    if (json_read_double(json, json_read_member(json, tuning, "mp_size"), &parallel) &&
        parallel > 1)
        config->model_parallel_line = import_scan_json_line(json, tuning);
    if (config->stage_asked.line == 0)
        import_told_add(&config->stage_asked, 0, import_scan_json_line(json, object));
}

/* exp.json: configuration, devices and name. */
static void take_experiment(struct import_deepspeed_config *config, struct import_record *record,
                            const struct json_read_document *json)
{
    uint32_t devices = json_read_member(json, 0, "num_gpus");
    uint32_t name = json_read_member(json, 0, "name");
    double each = 0;
    double hosts = 0;
    take_ds_config(config, json, json_read_member(json, 0, "ds_config"));
    if (json_read_double(json, devices, &each) &&
        json_read_double(json, json_read_member(json, 0, "num_nodes"), &hosts))
        import_told_add(&config->ranks, each * hosts, import_scan_json_line(json, devices));
    if (json_read_is(json, name, JSON_READ_STRING))
        import_value_span(record, "experiment", text_of(json, name));
}

/* ---- Metrics of one experiment ---- */

static void fail_with(struct import_record *record, const char *kind, struct import_span reason,
                      size_t line)
{
    struct import_failure failure = IMPORT_FAILURE_NONE;
    failure.kind = kind;
    failure.reason = reason;
    failure.line = line;
    import_fail(record, &failure);
}

static void fail_as(struct import_record *record, const char *reason, size_t line)
{
    fail_with(record, "exception", (struct import_span){reason, strlen(reason), false}, line);
}

/* Why an experiment failed: its stderr.log, or else what is known. */
static void explain_failure(struct import *import, struct import_record *record,
                            const struct import_source *source, const char *otherwise, size_t line)
{
    struct import_load load = {0};
    if (import_beside_load(import, source, "stderr.log", &load) == IMPORT_BESIDE_READ) {
        struct import_failures failures = {0};
        struct import_cursor lines = {.source = &load.source};
        struct import_line told;
        while (import_scan_next(&lines, &told))
            import_failures_line(&failures, &told);
        failures.cause.line = 0; /* it is of another file */
        import_failures_finish(&failures, record);
        import_value_text(record, "sha256_of_stderr_log", load.sha256);
    }
    import_load_fini(&load);
    fail_as(record, otherwise, line); /* unless one was found: the first one stays */
}

/*
 * The time of a step: batch over throughput. `latency`, the same time, is in ms in older versions
 * and in microseconds in newer ones; it is only compared.
 */
static void write_step_time(struct import_record *record, double throughput, double latency,
                            size_t line)
{
    double batch = 0;
    if (!import_given_number(record, "workload.global_batch", &batch) || !(batch > 0)) {
        import_ask(record, "workload.global_batch", "the step time follows from it");
        return;
    }
    double ms = batch / throughput * 1000;
    import_number(record, "metrics.step_time_ms", ms, line);
    double ratio = latency / ms;
    if (fabs(ratio - 1) > 0.02 && fabs(ratio - 1000) > 20)
        import_warn(record, line,
                    "latency is %g, but a batch of %g at %g samples/s takes %g ms: the metrics are "
                    "not of this configuration",
                    latency, batch, throughput, ms);
}

/* `json` is the source's own, or that of the file beside it: then there is no line. */
static void write_metrics(struct import *import, struct import_record *record,
                          const struct import_source *source, const struct json_read_document *json)
{
    uint32_t node = json_read_member(json, 0, "throughput");
    size_t line = json == source->json ? import_scan_json_line(json, node) : 0;
    double throughput = NAN;
    double latency = NAN;
    double flops = NAN;
    if (import_scan_json_number(json, json_read_member(json, 0, "FLOPS_per_gpu"), &flops))
        import_value(record, "flops_per_gpu", import_told_usable(flops) ? flops : NAN);
    if (!import_scan_json_number(json, node, &throughput) || !import_told_usable(throughput) ||
        !(throughput > 0)) {
        explain_failure(import, record, source,
                        "the autotuner measured no throughput: the experiment failed", line);
        return;
    }
    (void)import_scan_json_number(json, json_read_member(json, 0, "latency"), &latency);
    import_value(record, "samples_per_s", throughput);
    import_number(record, "metrics.throughput", throughput, line);
    import_text(record, "metrics.throughput_unit", "samples/s", 0);
    import_warn(record, line,
                "the autotuner's rate is that of forward, backward and step over a few steps: the "
                "end-to-end rate is lower");
    write_step_time(record, throughput, latency, line);
}

/* What stands beside exp.json; without metrics the experiment failed. */
static void read_metrics_beside(struct import *import, struct import_record *record,
                                const struct import_source *source)
{
    struct import_load load = {0};
    switch (import_beside_load_json(import, source, "metrics.json", &load)) {
    case IMPORT_BESIDE_READ:
        import_value_text(record, "sha256_of_metrics_json", load.sha256);
        write_metrics(import, record, source, load.source.json);
        break;
    case IMPORT_BESIDE_BROKEN:
        explain_failure(import, record, source,
                        "metrics.json beside exp.json is not whole: the experiment failed", 0);
        break;
    case IMPORT_BESIDE_NONE:
        explain_failure(import, record, source,
                        "no metrics.json stands beside exp.json: the experiment failed", 0);
        break;
    }
    import_load_fini(&load);
}

static void read_experiment(struct import *import, const struct import_source *source)
{
    struct import_record *record = import_begin(import);
    struct import_deepspeed_config config = {0};
    take_experiment(&config, record, source->json);
    import_deepspeed_write_config(record, &config);
    if (json_read_equals(source->json, json_read_member(source->json, 0, "name"),
                         "profile_model_info"))
        import_warn(record, 0,
                    "this experiment counts the model's parameters; it measures nothing");
    else if (source->file == NULL)
        import_warn(record, 0, "metrics.json stands beside exp.json: give its path, not its text");
    else
        read_metrics_beside(import, record, source);
}

/* metrics.json: what was configured stands beside it. */
static void read_metrics(struct import *import, const struct import_source *source)
{
    struct import_record *record = import_begin(import);
    struct import_deepspeed_config config = {.elsewhere = true};
    struct import_load load = {0};
    if (import_beside_load_json(import, source, "exp.json", &load) == IMPORT_BESIDE_READ) {
        take_experiment(&config, record, load.source.json);
        import_value_text(record, "sha256_of_exp_json", load.sha256);
    } else if (import_beside_load_json(import, source, "ds_config.json", &load) ==
               IMPORT_BESIDE_READ) {
        take_ds_config(&config, load.source.json, 0);
        import_value_text(record, "sha256_of_ds_config_json", load.sha256);
    } else {
        import_warn(record, 0,
                    "neither exp.json nor ds_config.json stands beside it: the "
                    "configuration is not known");
    }
    import_deepspeed_write_config(record, &config);
    write_metrics(import, record, source, source->json);
    import_load_fini(&load);
}

/* ---- The table of the best experiments ---- */

/* The next cell of "| z0 | 4 | 59.0229 | z0_gas1_tmbspg2 |". */
static bool cell_of(struct import_span *rest, struct import_span *cell)
{
    struct import_span after = *rest;
    if (!import_scan_skip(&after, "|"))
        return false;
    *cell = after;
    if (!import_scan_find(&after, "|"))
        return false;
    cell->length = (size_t)(after.text - cell->text) - 1;
    cell->cut = false;
    *cell = import_scan_trim(*cell);
    *rest = (struct import_span){after.text - 1, after.length + 1, after.cut};
    return true;
}

/* The number behind a part of an experiment's name: "gas1", "tmbspg2". */
static void part_of_name(struct import_record *record, const char *field, struct import_span name,
                         const char *part, size_t line)
{
    double value = 0;
    if (import_scan_find(&name, part) && import_scan_count_of(&name, &value) && value > 0)
        import_number(record, field, value, line);
}

/* "z1_gas1_tmbspg3": stage, micro-steps, samples a micro-step and device. */
static struct import_record *begin_named(struct import *import, struct import_span name,
                                         size_t line)
{
    static const char *const strategies[] = {"ddp", "zero1", "zero2", "zero3"};
    struct import_record *record = import_begin(import);
    struct import_span rest = name;
    double stage = 0;
    import_value_span(record, "experiment", name);
    if (import_scan_skip(&rest, "z") && import_scan_count_of(&rest, &stage) && stage <= 3 &&
        import_scan_begins(&rest, "_"))
        import_text(record, "strategy", strategies[(size_t)stage], line);
    part_of_name(record, "workload.gradient_accumulation", name, "_gas", line);
    part_of_name(record, "workload.micro_batch", name, "_tmbspg", line);
    import_ask(record, "workload.world_size", "the table does not tell the number of ranks");
    return record;
}

/* The cells: space, number of experiments, best value, name of the best. */
static void write_row(struct import *import, const struct import_span cells[4], size_t line)
{
    struct import_record *record = begin_named(import, cells[3], line);
    struct import_span tried = cells[1];
    struct import_span value = cells[2];
    double experiments = 0;
    double metric = 0;
    bool told = import_scan_number(&value, &metric) && import_told_usable(metric);
    import_value(record, "best_metric_val", told ? metric : NAN);
    if (import_scan_count_of(&tried, &experiments))
        import_value(record, "experiments", experiments);
    if (!told || metric <= 0) {
        fail_as(record, "the autotuner measured nothing: every experiment with this stage failed",
                line);
    } else if (metric > LARGEST_RATE) {
        import_warn(record, line,
                    "the tuner ranked by FLOPS, not by throughput; no metric is taken from it");
    } else {
        import_number(record, "metrics.throughput", metric, line);
        import_text(record, "metrics.throughput_unit", "samples/s", 0);
        import_warn(record, line,
                    "the table does not name its metric; it is read as samples/s, the tuner's "
                    "default. It is that of forward, backward and step over a few steps: the "
                    "end-to-end rate is lower");
    }
}

/* "The experiment exp_id = 3, exp_name = z3_gas1_tmbspg3, did not run successfully with error =
 * CUDA out of memory..., thus a metrics.txt does not exist for it." */
static void read_failed(struct import *import, const struct import_line *line)
{
    struct import_span rest = line->span;
    struct import_span name;
    struct import_span end;
    if (!import_scan_find(&rest, "exp_name = ") || !import_scan_word(&rest, &name) ||
        !import_scan_find(&rest, "did not run successfully with error = "))
        return;
    if (name.text[name.length - 1] == ',')
        name.length--;
    end = rest;
    if (import_scan_find(&end, ", thus a metrics.txt"))
        rest.length = (size_t)(end.text - rest.text) - strlen(", thus a metrics.txt");
    end = rest;
    fail_with(begin_named(import, name, line->number),
              import_scan_find(&end, "out of memory") ? "out_of_memory" : "exception",
              import_scan_trim(rest), line->number);
}

static void read_table(struct import *import, const struct import_source *source)
{
    struct import_cursor lines = {.source = source};
    struct import_line line;
    bool inside = false;
    while (import_goes_on(import) && import_scan_next(&lines, &line)) {
        struct import_span rest = line.span;
        struct import_span cells[4];
        size_t count = 0;
        read_failed(import, &line);
        while (count < 4 && cell_of(&rest, &cells[count]))
            count++;
        if (count == 4 && import_scan_is(&cells[0], "tuning_space"))
            inside = true;
        else if (inside && count == 4 && !import_scan_begins(&cells[0], ":") &&
                 !import_scan_begins(&cells[0], "-") && !import_scan_is(&cells[0], "global"))
            write_row(import, cells, line.number); /* `global` repeats the best */
    }
}

/* ---- The format ---- */

static bool is_experiment(const struct json_read_document *json)
{
    return json_read_is(json, json_read_member(json, 0, "ds_config"), JSON_READ_OBJECT) &&
           json_read_is(json, json_read_member(json, 0, "name"), JSON_READ_STRING);
}

static bool is_metrics(const struct json_read_document *json)
{
    return json_read_member(json, 0, "latency") != JSON_READ_NONE &&
           json_read_member(json, 0, "throughput") != JSON_READ_NONE;
}

static unsigned matches(const struct import_source *source)
{
    if (source->json != NULL)
        return is_experiment(source->json) || is_metrics(source->json) ? 4 : 0;
    unsigned signs = import_scan_count(source, "| tuning_space ", 100) +
                     import_scan_count(source, "did not run successfully with error = ", 100);
    return signs == 0 ? 0 : 2 * signs + import_trainer_log_deepspeed_signs(source);
}

static void read_results(struct import *import, const struct import_source *source)
{
    if (source->json == NULL)
        read_table(import, source);
    else if (is_experiment(source->json))
        read_experiment(import, source);
    else if (is_metrics(source->json))
        read_metrics(import, source);
    else
        import_refuse(import, 1, "this is neither exp.json nor metrics.json of an experiment");
}

extern const struct import_format import_deepspeed_tuner;
const struct import_format import_deepspeed_tuner = {
    .name = "deepspeed-autotuner",
    .title = "DeepSpeed autotuner result",
    .sample = "| z1 | 5 | 87.3017 | z1_gas1_tmbspg3 | of summary.txt, or exp.json, metrics.json",
    .matches = matches,
    .joins = true,
    .read = read_results,
};
