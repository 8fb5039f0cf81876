#include "import_hf.h"
#include "import_trainer_log.h"

static const char *const result_names[] = {"train_runtime", "train_samples_per_second",
                                           "train_loss"};

/* trainer_state.json, or a file of results (all_results.json, train_results.json). */
static bool is_state(const struct json_read_document *json)
{
    return json_read_is(json, json_read_member(json, 0, "log_history"), JSON_READ_ARRAY);
}

static bool has_results(const struct json_read_document *json)
{
    for (size_t i = 0; i < sizeof result_names / sizeof result_names[0]; i++)
        if (json_read_member(json, 0, result_names[i]) != JSON_READ_NONE)
            return true;
    return false;
}

static unsigned matches(const struct import_source *source)
{
    if (source->json == NULL)
        return import_trainer_log_hf_signs(source);
    return is_state(source->json) ? 4 : has_results(source->json) ? 3 : 0;
}

static void member(const struct json_read_document *json, const char *name,
                   struct import_hf_number *number)
{
    uint32_t node = json_read_member(json, 0, name);
    double value = 0;
    if (import_scan_json_number(json, node, &value))
        *number = (struct import_hf_number){value, import_scan_json_line(json, node)};
}

static void read_state(struct import *import, struct import_hf *run,
                       const struct json_read_document *json)
{
    uint32_t history = json_read_member(json, 0, "log_history");
    for (uint32_t entry = json_read_first(json, history); entry != JSON_READ_NONE;
         entry = json_read_next(json, history, entry))
        import_hf_take_object(import, run, json, entry);
    member(json, "global_step", &run->global_step);
    member(json, "max_steps", &run->max_steps);
    member(json, "train_batch_size", &run->micro_batch);
    member(json, "num_input_tokens_seen", &run->report.tokens_seen);
}

static void read_output(struct import *import, const struct import_source *source)
{
    struct import_hf run = {0};
    if (source->json == NULL) {
        import_trainer_log_read(import, source);
        return;
    }
    if (is_state(source->json)) {
        read_state(import, &run, source->json);
    } else if (has_results(source->json)) {
        import_hf_take_object(import, &run, source->json, 0);
    } else {
        import_refuse(import, 1,
                      "this has no log_history and no train_runtime: it is neither "
                      "trainer_state.json nor a file of training results");
        return;
    }
    struct import_record *record = import_begin(import);
    import_hf_write(import, record, &run);
    import_ask(record, "hardware.device", "the file does not tell the device");
}

extern const struct import_format import_hf_trainer;
const struct import_format import_hf_trainer = {
    .name = "hf-trainer",
    .title = "Hugging Face Trainer output",
    .sample = "{'train_runtime': 297.6561, 'train_samples_per_second': 0.108, ...}, or "
              "trainer_state.json, all_results.json",
    .matches = matches,
    .joins = true,
    .read = read_output,
};
