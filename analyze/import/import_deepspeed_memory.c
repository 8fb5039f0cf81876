#include <math.h>

#include "import_deepspeed.h"

/* DeepSpeed divides by 2^30 and Megatron by 2^20, whatever they print behind the number. */
#define MIB 1048576.0
#define MIB_IN_GIB 1024.0

static void largest(double *peak, size_t *first_line, size_t *last_line, double value, size_t line)
{
    if (*first_line == 0)
        *first_line = line;
    if (last_line != NULL)
        *last_line = line;
    if (value > *peak)
        *peak = value;
}

static void training_peak(struct import_deepspeed_memory *memory, double mib, size_t line)
{
    largest(&memory->training_mib, &memory->training_first, &memory->training_last, mib, line);
}

static bool size_behind(const struct import_span *span, const char *label, double *mib)
{
    struct import_span rest = *span;
    double bytes = 0;
    if (!import_scan_find(&rest, label) || !import_scan_size(&rest, IMPORT_SCAN_BINARY, &bytes))
        return false;
    *mib = bytes / MIB;
    return import_told_usable(bytes);
}

/* Whether see_memory_usage was called within a training step, from its message. */
static bool has_any(struct import_span message, const char *const words[], size_t count)
{
    for (size_t i = 0; i < count && message.length > 0; i++) {
        struct import_span rest = message;
        if (import_scan_find(&rest, words[i]))
            return true;
    }
    return false;
}

static bool in_training(struct import_span message)
{
    static const char *const words[] = {"forward", "Forward", "backward", "Backward", " step"};
    return has_any(message, words, sizeof words / sizeof words[0]);
}

static bool in_checkpoint(struct import_span message)
{
    static const char *const words[] = {"checkpoint", "Checkpoint", "saving", "Saving"};
    return has_any(message, words, sizeof words / sizeof words[0]);
}

/* "MA 0.07 GB         Max_MA 0.73 GB         CA 0.32 GB         Max_CA 1 GB": the peaks since the
 * call before, which resets them. The message stands in the line before. */
static bool take_usage(struct import_deepspeed_memory *memory, const struct import_line *line)
{
    double allocated = 0;
    double reserved = 0;
    if (!size_behind(&line->span, "Max_MA ", &allocated))
        return false;
    if (in_checkpoint(memory->message))
        return true; /* the peak of training is without it */
    if (in_training(memory->message))
        training_peak(memory, allocated, line->number);
    else
        largest(&memory->setup_mib, &memory->setup_line, NULL, allocated, line->number);
    if (size_behind(&line->span, "Max_CA ", &reserved))
        largest(&memory->rounded_reserved_gib, &memory->rounded_line, NULL, reserved / MIB_IN_GIB,
                line->number);
    return true;
}

static void note_rank(struct import_deepspeed_memory *memory, double rank)
{
    if (!memory->reported || rank < memory->ranks[0])
        memory->ranks[0] = rank;
    if (!memory->reported || rank > memory->ranks[1])
        memory->ranks[1] = rank;
    memory->reported = true;
}

/* "[Rank 0] (after 10 iterations) memory (MB) | allocated: 18243.64 | max allocated: 41299.50 |
 * reserved: 46764.0 | max reserved: 46764.0" */
static bool take_report(struct import_deepspeed_memory *memory, const struct import_line *line)
{
    struct import_span rest = line->span;
    double rank = 0;
    double mib = 0;
    if (!import_scan_find(&rest, "memory (MB) |"))
        return false;
    if (import_scan_labelled(&rest, "max allocated:", &mib) && mib > 0 && import_told_usable(mib))
        training_peak(memory, mib, line->number);
    if (import_scan_labelled(&rest, "max reserved:", &mib) && mib > 0 && import_told_usable(mib))
        largest(&memory->reserved_mib, &memory->reserved_line, NULL, mib, line->number);
    if (import_scan_labelled(&line->span, "[Rank ", &rank))
        note_rank(memory, rank);
    return true;
}

bool import_deepspeed_take_memory(struct import_deepspeed_memory *memory, double rank,
                                  const struct import_line *line)
{
    struct import_span message = line->span;
    double mib = 0;
    bool taken = take_usage(memory, line) || take_report(memory, line);
    if (!taken && size_behind(&line->span, "MaxMemAllocated=", &mib)) {
        training_peak(memory, mib, line->number);
        note_rank(memory, rank >= 0 ? rank : 0); /* as a rule rank 0 alone reports its rate */
        taken = true;
    }
    (void)import_scan_find(&message, "see_memory_usage]");
    if (!taken)
        memory->message = message;
    return taken;
}

void import_deepspeed_write_memory(struct import_record *record,
                                   const struct import_deepspeed_memory *memory)
{
    double ranks = 0;
    if (memory->rounded_line != 0 && memory->reserved_line == 0)
        import_value(record, "max_reserved_rounded_gib", memory->rounded_reserved_gib);
    if (memory->training_first == 0) {
        if (memory->setup_line == 0)
            return;
        import_value(record, "max_allocated_before_training_gib", memory->setup_mib / MIB_IN_GIB);
        import_warn(record, memory->setup_line,
                    "memory is told for the time before training alone; no peak is taken from it");
        return;
    }
    double peak = fmax(memory->training_mib, memory->setup_mib);
    import_number_over(record, "metrics.peak_memory_mb", peak, memory->training_first,
                       memory->training_last);
    import_text(record, "metrics.memory_kind", "allocated", 0);
    import_value(record, "max_allocated_gib", peak / MIB_IN_GIB);
    if (memory->reserved_line != 0) {
        import_number(record, "metrics.peak_reserved_mib", memory->reserved_mib,
                      memory->reserved_line);
        import_value(record, "max_reserved_gib", memory->reserved_mib / MIB_IN_GIB);
    }
    bool all = import_given_number(record, "workload.world_size", &ranks) && memory->reported &&
               memory->ranks[1] - memory->ranks[0] + 1 >= ranks;
    if (!all)
        import_warn(record, memory->training_first,
                    "the peak is of the ranks that report it%s; another rank's may be higher",
                    memory->reported && memory->ranks[1] == 0 ? " (rank 0)" : "");
}
