#include "schedule_checker.h"

/* Tensors lie in their unit one behind another, without holes. */
static bool check_tensors(struct checker *checker)
{
    const struct schedule *s = checker->schedule;
    for (size_t unit = 0; unit < s->unit_count; unit++) {
        uint64_t elements = 0;
        for (size_t i = 0; i < s->tensor_count; i++)
            if (s->places[i].unit == unit)
                elements += model_tensor(&s->request.shape, i).elements;
        if (elements != s->units[unit].elements || elements == 0)
            return checker_fail(checker, "unit %zu has not its tensors' size", unit);
    }
    for (size_t i = 0; i < s->tensor_count; i++) {
        bool found = s->places[i].offset == 0;
        for (size_t j = 0; j < s->tensor_count && !found; j++)
            found = s->places[j].unit == s->places[i].unit &&
                    s->places[j].offset + model_tensor(&s->request.shape, j).elements ==
                        s->places[i].offset;
        if (s->places[i].unit >= s->unit_count || !found)
            return checker_fail(checker, "tensor %zu does not begin where another ends", i);
    }
    return true;
}

static bool check_units(struct checker *checker)
{
    const struct schedule *s = checker->schedule;
    const uint64_t multiple = 16 * s->request.world_size;
    uint64_t full = 0;
    uint64_t persistent = 0;
    uint64_t valid = 0;
    for (size_t i = 0; i < s->unit_count; i++) {
        const struct schedule_unit *unit = &s->units[i];
        if (unit->padded % multiple != 0 || unit->padded < unit->elements ||
            unit->padded - unit->elements >= multiple)
            return checker_fail(checker, "unit %zu is padded to %llu", i,
                                (unsigned long long)unit->padded);
        if (unit->full_offset != full || unit->shard_offset * s->request.world_size != full ||
            (unit->persistent && unit->persistent_offset != persistent))
            return checker_fail(checker, "unit %zu does not lie behind those before it", i);
        full += unit->padded;
        persistent += unit->persistent ? unit->padded : 0;
        valid += unit->persistent ? unit->elements : 0;
    }
    if (s->full_elements != full || s->shard_elements * s->request.world_size != full ||
        s->persistent_elements != persistent || s->persistent_valid_elements != valid)
        return checker_fail(checker, "the units' sums are wrong");
    return true;
}

/* zero3: 1-D tensors and small ones persist; elsewhere none does. */
static bool check_persistence(struct checker *checker)
{
    const struct schedule *s = checker->schedule;
    for (size_t i = 0; i < s->tensor_count; i++) {
        struct model_tensor tensor = model_tensor(&s->request.shape, i);
        bool small = tensor.columns == 0 || tensor.elements <= s->request.persistence_threshold;
        bool persists = s->request.strategy == STRATEGY_ZERO3 && small;
        if (s->units[s->places[i].unit].persistent != persists)
            return checker_fail(checker, "tensor %zu %s", i,
                                persists ? "must persist" : "persists");
    }
    return true;
}

static int64_t block_of(const struct schedule *s, size_t group)
{
    int64_t block = -2;
    for (size_t i = 0; i < s->tensor_count; i++) {
        int64_t own = model_tensor(&s->request.shape, i).block;
        if (s->group_of_unit[s->places[i].unit] != group)
            continue;
        block = block == -2 || block == own ? own : -1;
    }
    return block;
}

static bool check_groups(struct checker *checker)
{
    const struct schedule *s = checker->schedule;
    size_t unit = 0;
    for (size_t i = 0; i < s->group_count; i++) {
        const struct schedule_group *group = &s->groups[i];
        uint64_t gathered = 0;
        uint64_t reduced = 0;
        if (group->first_unit != unit || group->unit_count == 0 ||
            group->unit_count > s->unit_count - unit || group->block != block_of(s, i))
            return checker_fail(checker, "group %zu has other units than its own", i);
        for (; unit < group->first_unit + group->unit_count; unit++) {
            const struct schedule_unit *of = &s->units[unit];
            if (s->group_of_unit[unit] != i || of->reduced_offset != reduced ||
                of->gathered_offset != (of->persistent ? 0 : gathered))
                return checker_fail(checker, "unit %zu has no place of its own in buffers", unit);
            reduced += of->padded;
            gathered += of->persistent ? 0 : of->padded;
        }
        if (group->gathered_elements != gathered || group->reduced_elements != reduced)
            return checker_fail(checker, "group %zu's sums are wrong", i);
    }
    return unit == s->unit_count || checker_fail(checker, "a unit is in no group");
}

/* Bytes and category that a buffer must have; 0 bytes: the strategy has no such buffer. */
static uint64_t bytes_of(const struct schedule *s, const struct schedule_buffer *buffer,
                         enum schedule_category *category)
{
    enum strategy strategy = s->request.strategy;
    bool fsdp = strategy == STRATEGY_FSDP;
    uint64_t wire = s->request.dtype == MODEL_BF16 ? 2 : 4;
    uint64_t stored = fsdp ? 4 : wire;
    uint64_t owned = strategy == STRATEGY_DDP ? s->full_elements : s->shard_elements;
    bool grouped = buffer->group < s->group_count;
    switch (buffer->role) {
    case SCHEDULE_ROLE_PARAMETERS:
        *category = SCHEDULE_PARAMETERS;
        return stored * (strategy < STRATEGY_ZERO3 ? s->full_elements : s->shard_elements);
    case SCHEDULE_ROLE_PERSISTENT:
        *category = SCHEDULE_PARAMETERS;
        return wire * s->persistent_elements;
    case SCHEDULE_ROLE_GRADIENTS:
        *category = SCHEDULE_GRADIENTS;
        return stored * (strategy < STRATEGY_ZERO2 ? s->full_elements : s->shard_elements);
    case SCHEDULE_ROLE_MASTER:
        *category = SCHEDULE_OPTIMIZER_STATE;
        return wire == 2 && !fsdp ? 4 * owned : 0;
    case SCHEDULE_ROLE_MOMENT1:
    case SCHEDULE_ROLE_MOMENT2:
        *category = SCHEDULE_OPTIMIZER_STATE;
        return 4 * owned;
    case SCHEDULE_ROLE_WORKSPACE:
        *category = SCHEDULE_WORKSPACE;
        return s->request.workspace_bytes;
    case SCHEDULE_ROLE_STREAM:
        *category = SCHEDULE_ACTIVATIONS;
        return s->activations.stream_bytes;
    case SCHEDULE_ROLE_SAVED:
        *category = SCHEDULE_ACTIVATIONS;
        return buffer->stage == s->request.shape.layers + 1 ? s->activations.head_bytes
                                                            : s->activations.block_bytes;
    case SCHEDULE_ROLE_GATHERED:
        *category = SCHEDULE_GATHERED_PARAMETERS;
        return grouped ? wire * s->groups[buffer->group].gathered_elements : 0;
    default: /* the root's gradient is wte's */
        *category = buffer->group == s->group_of_unit[s->places[0].unit]
                        ? SCHEDULE_GRADIENTS_UNSHARDED
                        : SCHEDULE_COMMUNICATION_BUFFERS;
        return grouped ? wire * s->groups[buffer->group].reduced_elements : 0;
    }
}

static bool check_buffers(struct checker *checker)
{
    const struct schedule *s = checker->schedule;
    size_t roles[SCHEDULE_ROLE_COUNT] = {0};
    for (size_t i = 0; i < s->buffer_count; i++) {
        const struct schedule_buffer *buffer = &s->buffers[i];
        enum schedule_category category = SCHEDULE_CATEGORY_COUNT;
        uint64_t bytes = bytes_of(s, buffer, &category);
        if (buffer->bytes != bytes || bytes == 0 || buffer->category != category)
            return checker_fail(checker, "buffer %zu has %llu bytes, not %llu, or another category",
                                i, (unsigned long long)buffer->bytes, (unsigned long long)bytes);
        if (buffer->resident != (buffer->role <= SCHEDULE_ROLE_WORKSPACE) ||
            (i > 0 && buffer->role < s->buffers[i - 1].role))
            return checker_fail(checker, "buffer %zu is not in its place", i);
        roles[buffer->role]++;
    }
    for (int i = 0; i <= SCHEDULE_ROLE_WORKSPACE; i++) {
        struct schedule_buffer resident = {.role = (enum schedule_role)i};
        enum schedule_category category;
        if (roles[i] != (bytes_of(s, &resident, &category) > 0))
            return checker_fail(checker, "a resident buffer is missing or there twice");
    }
    return true;
}

bool checker_layout(struct checker *checker)
{
    return check_tensors(checker) && check_units(checker) && check_persistence(checker) &&
           check_groups(checker) && check_buffers(checker);
}
