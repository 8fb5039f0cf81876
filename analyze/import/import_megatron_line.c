#include <math.h>

#include "import_count.h"
#include "import_megatron.h"

/* The number behind the first of the labels that is there (NULL ends them), or NAN. Where a fork
 * prints "this/mean", it is the first. */
static double labelled(const struct import_span *span, const char *const *labels)
{
    double value;
    for (size_t i = 0; labels[i] != NULL; i++)
        if (import_scan_labelled(span, labels[i], &value))
            return value;
    return NAN;
}

/* " [2024-04-06 03:02:12] iteration       71/     100 |", with whatever before it. */
static bool read_head(struct import_span *rest, double *iteration)
{
    double total;
    if (!import_scan_find(rest, "iteration ") || !import_scan_count_of(rest, iteration) ||
        !import_scan_skip(rest, "/") || !import_scan_count_of(rest, &total))
        return false;
    return import_scan_skip(rest, "|");
}

static double read_time(const struct import_span *rest)
{
    static const char *const ms[] = {"elapsed time per iteration (ms):", NULL};
    static const char *const seconds[] = {"elapsed time per iteration (s):", NULL};
    double value = labelled(rest, ms);
    return isnan(value) ? 1e3 * labelled(rest, seconds) : value;
}

/* "hip mem usage/free/total/usage_ratio: 117.99GB/74.00GB/191.98GB/61.46%" (Primus, 2^30). */
static double read_device_memory(struct import_span rest)
{
    double bytes;
    if (!import_scan_find(&rest, "mem usage/free/total/usage_ratio:") ||
        !import_scan_size(&rest, IMPORT_SCAN_BINARY, &bytes) || !import_count_plausible(bytes))
        return NAN;
    return bytes / (1024.0 * 1024.0 * 1024.0);
}

static bool contains(struct import_span span, const char *text)
{
    return import_scan_find(&span, text);
}

bool import_megatron_line_read(const struct import_line *line, struct import_megatron_line *read)
{
    static const char *const consumed[] = {"consumed samples:", NULL};
    static const char *const batch[] = {"global batch size:", NULL};
    static const char *const loss[] = {
        "| lm loss:", "| lm loss ", "| total loss:", "| loss:", "| reduced_train_loss:", NULL};
    static const char *const norm[] = {"grad norm:", NULL};
    static const char *const skipped[] = {"number of skipped iterations:", NULL};
    static const char *const bad[] = {"number of nan iterations:", NULL};
    static const char *const tflops[] = {
        "throughput per GPU (TFLOP/s/GPU):", "compute per GPU (TFLOP/s/GPU):", "| TFLOPs:", NULL};
    static const char *const tokens[] = {
        "tokens per GPU (tokens/s/GPU):",   "tokens per gpu per second (tgs):",
        "tokens per gpu per second(tgs):",  "Tokens per second per GPU (Tok/s/GPU):",
        "tokens/s/GPU inst/harmonic mean:", NULL};
    static const char *const seq_len[] = {"actual seqlen:", NULL};
    struct import_span rest = line->span;
    struct import_megatron_line found = {.line = line->number, .covered = NAN};
    if (!read_head(&rest, &found.iteration))
        return false;
    if (found.iteration != 0 && !import_count_plausible(found.iteration))
        return false;
    rest.text--; /* labels begin with the bar before them */
    rest.length++;
    found.ms = read_time(&rest);
    if (isnan(found.ms))
        return false;
    found.consumed = labelled(&rest, consumed);
    found.batch = labelled(&rest, batch);
    found.loss = labelled(&rest, loss);
    found.names_loss = contains(rest, "loss:") || contains(rest, "| lm loss ");
    found.norm = labelled(&rest, norm);
    found.bad_norm = !isfinite(found.norm) && contains(rest, norm[0]);
    found.skipped = labelled(&rest, skipped);
    found.bad = labelled(&rest, bad);
    found.tflops = labelled(&rest, tflops);
    found.tokens = labelled(&rest, tokens);
    found.seq_len = labelled(&rest, seq_len);
    found.device_gib = read_device_memory(rest);
    *read = found;
    return true;
}
