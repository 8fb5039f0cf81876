#include <math.h>
#include <string.h>

#include "import_hf.h"

/* ---- Names and where they go ---- */

static const struct report_name {
    const char *name;
    size_t offset; /* in the report */
} report_names[] = {
    {"train_runtime", offsetof(struct import_hf_report, runtime_s)},
    {"train_samples_per_second", offsetof(struct import_hf_report, samples_per_s)},
    {"train_steps_per_second", offsetof(struct import_hf_report, steps_per_s)},
    {"train_tokens_per_second", offsetof(struct import_hf_report, tokens_per_s)},
    {"train_loss", offsetof(struct import_hf_report, loss)},
    {"epoch", offsetof(struct import_hf_report, epoch)},
    {"num_input_tokens_seen", offsetof(struct import_hf_report, tokens_seen)},
    {"train_samples", offsetof(struct import_hf_report, train_samples)},
    {"before_init_mem_gpu", offsetof(struct import_hf_report, before_init)},
    {"init_mem_gpu_alloc_delta", offsetof(struct import_hf_report, init_kept)},
    {"train_mem_gpu_alloc_delta", offsetof(struct import_hf_report, training_kept)},
    {"train_mem_gpu_peaked_delta", offsetof(struct import_hf_report, training_peaked)},
};
#define REPORT_NAMES (sizeof report_names / sizeof report_names[0])

static struct import_hf_number *number_at(struct import_hf_report *report, size_t offset)
{
    return (struct import_hf_number *)(void *)((char *)report + offset);
}

static const struct plan_label {
    const char *label;
    size_t offset; /* in the plan */
} plan_labels[] = {
    {"Num examples =", offsetof(struct import_hf_plan, examples)},
    {"Num Epochs =", offsetof(struct import_hf_plan, epochs)},
    {"Instantaneous batch size per device =", offsetof(struct import_hf_plan, per_device)},
    {"batch size has been adjusted to:", offsetof(struct import_hf_plan, adjusted)},
    {"Total train batch size (w. parallel, distributed & accumulation) =",
     offsetof(struct import_hf_plan, total_batch)},
    {"Gradient Accumulation steps =", offsetof(struct import_hf_plan, accumulation)},
    {"Total optimization steps =", offsetof(struct import_hf_plan, steps)},
    {"Number of trainable parameters =", offsetof(struct import_hf_plan, trainable)},
    {"|| all params:", offsetof(struct import_hf_plan, parameters)}, /* PEFT */
    {"Continuing training from global step", offsetof(struct import_hf_plan, resumed_from)},
};

/* ---- The history ---- */

struct entry {
    double step; /* NAN: not told, as below */
    double loss, norm;
    bool has_loss, has_norm;
};

static void note_first(size_t *first_line, size_t line)
{
    if (*first_line == 0)
        *first_line = line;
}

static void add_entry(struct import *import, struct import_hf_history *history,
                      const struct entry *entry, size_t line)
{
    double loss = entry->loss;
    history->has_norms = history->has_norms || entry->has_norm;
    if (entry->has_norm && !isfinite(entry->norm)) {
        note_first(&history->bad_norm_line, line);
        /* logging_nan_inf_filter puts a number in place of a loss that is none. */
        if (loss == 0) {
            note_first(&history->hidden_line, line);
            loss = NAN;
        }
    }
    if (!isfinite(entry->loss))
        note_first(&history->bad_loss_line, line);
    import_sample_add(import, &history->steps, entry->step, line);
    import_sample_add(import, &history->losses, isfinite(loss) ? loss : NAN, line);
    import_sample_add(import, &history->norms,
                      entry->has_norm && isfinite(entry->norm) ? entry->norm : NAN, line);
}

/* ---- The console ---- */

/* The number behind `'name':`; newer versions put the number in quotes, too. */
static bool printed(const struct import_line *line, const char *name, double *value)
{
    struct import_span rest = line->span;
    struct import_span any = line->span;
    char quoted[64] = "'";
    if (!import_scan_find(&any, "':")) /* most lines are none of these */
        return false;
    strncat(quoted, name, sizeof quoted - 4);
    strcat(quoted, "':");
    if (!import_scan_find(&rest, quoted))
        return false;
    (void)import_scan_skip(&rest, "'");
    return import_scan_number(&rest, value);
}

static void take_printed_report(struct import_hf_report *report, const struct import_line *line)
{
    double value = 0;
    double runtime = 0;
    bool begins = printed(line, "train_runtime", &runtime);
    if (!begins && !printed(line, "train_steps_per_second", &value) &&
        !printed(line, "train_samples_per_second", &value) && !printed(line, "train_loss", &value))
        return;
    if (begins && (report->count == 0 || runtime != report->runtime_s.value))
        report->count++; /* a notebook shows the same one twice */
    for (size_t i = 0; i < REPORT_NAMES; i++)
        if (printed(line, report_names[i].name, &value))
            *number_at(report, report_names[i].offset) =
                (struct import_hf_number){value, line->number};
}

/* "1 day, 0:04:57.65" or "0:04:57.65", in seconds. */
static bool duration_of(struct import_span rest, double *seconds)
{
    double parts[3] = {0};
    double days = 0;
    struct import_span after = rest;
    if (import_scan_count_of(&after, &days) &&
        (import_scan_skip(&after, "days,") || import_scan_skip(&after, "day,")))
        rest = after;
    else
        days = 0;
    for (size_t i = 0; i < 3; i++)
        if ((i > 0 && !import_scan_skip(&rest, ":")) || !import_scan_number(&rest, &parts[i]))
            return false;
    *seconds = ((days * 24 + parts[0]) * 60 + parts[1]) * 60 + parts[2];
    return isfinite(*seconds);
}

/* "  train_samples            =          2" of the block "***** train metrics *****". What the
 * report itself said more exactly stays. Its MB are of 2^20. */
static void take_metrics_line(struct import_hf_report *report, const struct import_line *line)
{
    for (size_t i = 0; i < REPORT_NAMES; i++) {
        struct import_span rest = line->span;
        struct import_hf_number *number = number_at(report, report_names[i].offset);
        double value = 0;
        if (!import_scan_skip(&rest, report_names[i].name) || !import_scan_skip(&rest, "="))
            continue;
        bool told = i == 0 ? duration_of(rest, &value)
                    : strstr(report_names[i].name, "_mem_") != NULL
                        ? import_scan_size(&rest, IMPORT_SCAN_BINARY, &value)
                        : import_scan_grouped(&rest, &value);
        if (told && number->line == 0)
            *number = (struct import_hf_number){value, line->number};
        return;
    }
}

static void take_plan(struct import_hf_plan *plan, const struct import_line *line)
{
    for (size_t i = 0; i < sizeof plan_labels / sizeof plan_labels[0]; i++)
        import_told_labelled((struct import_told *)(void *)((char *)plan + plan_labels[i].offset),
                             line, plan_labels[i].label);
}

/* "{'loss': 2.6, 'grad_norm': 1.9, 'learning_rate': 5e-07, 'epoch': 2.24}" */
static bool entry_of(const struct import_line *line, struct entry *entry)
{
    double beside = 0;
    *entry = (struct entry){.step = NAN, .loss = NAN, .norm = NAN};
    entry->has_loss = printed(line, "loss", &entry->loss);
    entry->has_norm = printed(line, "grad_norm", &entry->norm);
    return entry->has_loss && (entry->has_norm || printed(line, "learning_rate", &beside) ||
                               printed(line, "epoch", &beside));
}

bool import_hf_restarts(const struct import_hf *run, const struct import_line *line)
{
    struct entry entry;
    double runtime = 0;
    if (run->report.count == 0)
        return false;
    if (entry_of(line, &entry))
        return true;
    /* Where every rank reports, their times are nearly the same. */
    return printed(line, "train_runtime", &runtime) &&
           import_sample_differ(runtime, run->report.runtime_s.value, 0.01);
}

void import_hf_take_line(struct import *import, struct import_hf *run,
                         const struct import_line *line)
{
    struct entry entry;
    double beside = 0;
    if (entry_of(line, &entry)) {
        (void)printed(line, "step", &entry.step);
        add_entry(import, &run->history, &entry, line->number);
        if (printed(line, "num_input_tokens_seen", &beside))
            run->report.tokens_seen = (struct import_hf_number){beside, line->number};
        return; /* newer versions print train_runtime there too, up to this step */
    }
    if (printed(line, "eval_loss", &beside) || printed(line, "eval_runtime", &beside))
        note_first(&run->history.evaluation_line, line->number);
    else
        take_printed_report(&run->report, line);
    take_metrics_line(&run->report, line);
    take_plan(&run->plan, line);
    struct import_span rest = line->span;
    if (import_scan_find(&rest, "TrainOutput(global_step=") && import_scan_count_of(&rest, &beside))
        run->global_step = (struct import_hf_number){beside, line->number};
}

/* ---- JSON ---- */

static bool member(const struct json_read_document *json, uint32_t object, const char *name,
                   struct import_hf_number *number)
{
    uint32_t node = json_read_member(json, object, name);
    double value = 0;
    if (!import_scan_json_number(json, node, &value))
        return false;
    *number = (struct import_hf_number){value, import_scan_json_line(json, node)};
    return true;
}

void import_hf_take_object(struct import *import, struct import_hf *run,
                           const struct json_read_document *json, uint32_t object)
{
    struct import_hf_number loss = {0};
    struct import_hf_number other = {.value = NAN};
    if (member(json, object, "loss", &loss)) {
        struct entry entry = {.step = NAN, .loss = loss.value, .norm = NAN, .has_loss = true};
        if (member(json, object, "step", &other))
            entry.step = other.value;
        entry.has_norm = member(json, object, "grad_norm", &other);
        entry.norm = entry.has_norm ? other.value : NAN;
        add_entry(import, &run->history, &entry, loss.line);
        return;
    }
    if (member(json, object, "eval_loss", &other) || member(json, object, "eval_runtime", &other))
        note_first(&run->history.evaluation_line, other.line);
    if (!member(json, object, "train_runtime", &other) &&
        !member(json, object, "train_samples_per_second", &other) &&
        !member(json, object, "train_loss", &other))
        return;
    run->report.count++;
    for (size_t i = 0; i < REPORT_NAMES; i++)
        (void)member(json, object, report_names[i].name,
                     number_at(&run->report, report_names[i].offset));
}

bool import_hf_measured(const struct import_hf *run)
{
    return run->history.losses.count > 0 || run->report.count > 0 ||
           run->report.runtime_s.line != 0;
}
