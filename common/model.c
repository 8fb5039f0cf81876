#include "model.h"

#include <inttypes.h>
#include <stdio.h>

const char *model_dtype_name(enum model_dtype dtype)
{
    return dtype == MODEL_FP32 ? "fp32" : "bf16";
}

uint64_t model_dtype_bytes(enum model_dtype dtype)
{
    return dtype == MODEL_FP32 ? 4 : 2;
}

#define OUTSIDE 2 /* wte, wpe stand before the blocks */

size_t model_tensor_count(const struct model_shape *shape)
{
    return (size_t)shape->layers * MODEL_TENSORS_PER_BLOCK + 4;
}

size_t model_tensor_index(const struct model_shape *shape, enum model_module module, uint64_t block,
                          bool is_bias)
{
    if (module == MODEL_WTE || module == MODEL_WPE)
        return module == MODEL_WTE ? 0 : 1;
    if (module == MODEL_LN_F)
        return model_tensor_count(shape) - 2 + is_bias;
    return OUTSIDE + (size_t)block * MODEL_TENSORS_PER_BLOCK + 2 * (size_t)(module - MODEL_LN1) +
           is_bias;
}

/* Rows and columns of a module's weight in units of C, and whether the bias has as many rows. */
static void weight_size(const struct model_shape *shape, enum model_module module,
                        struct model_tensor *tensor)
{
    const uint64_t c = shape->width;
    const struct {
        uint64_t rows, columns;
    } sizes[MODEL_MODULE_COUNT] = {
        [MODEL_WTE] = {shape->vocab, c}, [MODEL_WPE] = {shape->seq_len, c}, [MODEL_LN1] = {c, 0},
        [MODEL_QKV] = {3 * c, c},        [MODEL_PROJECTION] = {c, c},       [MODEL_LN2] = {c, 0},
        [MODEL_UP] = {4 * c, c},         [MODEL_DOWN] = {c, 4 * c},         [MODEL_LN_F] = {c, 0},
    };
    tensor->rows = sizes[module].rows;
    tensor->columns = tensor->is_bias ? 0 : sizes[module].columns;
    tensor->elements = tensor->rows * (tensor->columns == 0 ? 1 : tensor->columns);
}

struct model_tensor model_tensor(const struct model_shape *shape, size_t index)
{
    struct model_tensor tensor = {.module = MODEL_WTE, .block = -1};
    size_t count = model_tensor_count(shape);
    if (index == 1) {
        tensor.module = MODEL_WPE;
    } else if (index >= count - 2) {
        tensor.module = MODEL_LN_F;
        tensor.is_bias = index == count - 1;
    } else if (index >= OUTSIDE) {
        size_t inside = (index - OUTSIDE) % MODEL_TENSORS_PER_BLOCK;
        tensor.block = (int64_t)((index - OUTSIDE) / MODEL_TENSORS_PER_BLOCK);
        tensor.module = (enum model_module)(MODEL_LN1 + inside / 2);
        tensor.is_bias = inside % 2 == 1;
    }
    weight_size(shape, tensor.module, &tensor);
    return tensor;
}

void model_tensor_name(const struct model_shape *shape, size_t index,
                       char name[MODEL_TENSOR_NAME_SIZE])
{
    static const char *const names[MODEL_MODULE_COUNT] = {
        [MODEL_WTE] = "wte",
        [MODEL_WPE] = "wpe",
        [MODEL_LN1] = "ln1",
        [MODEL_QKV] = "attention.qkv",
        [MODEL_PROJECTION] = "attention.projection",
        [MODEL_LN2] = "ln2",
        [MODEL_UP] = "mlp.up",
        [MODEL_DOWN] = "mlp.down",
        [MODEL_LN_F] = "ln_f",
    };
    struct model_tensor tensor = model_tensor(shape, index);
    const char *part = tensor.is_bias ? ".bias" : ".weight";
    if (tensor.module == MODEL_WTE || tensor.module == MODEL_WPE)
        part = "";
    if (tensor.block >= 0)
        snprintf(name, MODEL_TENSOR_NAME_SIZE, "h.%" PRId64 ".%s%s", tensor.block,
                 names[tensor.module], part);
    else
        snprintf(name, MODEL_TENSOR_NAME_SIZE, "%s%s", names[tensor.module], part);
}

/* A block: 12 C^2 + 13 C (query, key, value 3C^2 + 3C; projection C^2 + C; up 4C^2 + 4C; down
 * 4C^2 + C; two norms 4C). Outside: V C + T C + 2 C. */
uint64_t model_parameters(const struct model_shape *shape)
{
    const uint64_t c = shape->width;
    return shape->layers * (12 * c * c + 13 * c) + model_embedding_parameters(shape) + 2 * c;
}

uint64_t model_embedding_parameters(const struct model_shape *shape)
{
    return (shape->vocab + shape->seq_len) * shape->width;
}

double model_flops_per_token(const struct model_shape *shape)
{
    double products = (double)(model_parameters(shape) - model_embedding_parameters(shape)) +
                      (double)shape->vocab * (double)shape->width;
    return 6 * products +
           12 * (double)shape->layers * (double)shape->width * (double)shape->seq_len;
}

#define LARGEST_TOTAL 9007199254740992.0 /* 2^53 */

static const char *size_fault(const char *name, uint64_t value, uint64_t largest, char *text,
                              size_t size)
{
    if (value >= 1 && value <= largest)
        return NULL;
    snprintf(text, size, "%s %" PRIu64 " is not between 1 and %" PRIu64, name, value, largest);
    return text;
}

static const char *first_size_fault(const struct model_shape *shape, char *text, size_t size)
{
    const struct {
        const char *name;
        uint64_t value, largest;
    } sizes[] = {
        {"width", shape->width, MODEL_LARGEST_SIZE},
        {"layers", shape->layers, MODEL_LARGEST_LAYERS},
        {"heads", shape->heads, MODEL_LARGEST_SIZE},
        {"vocab", shape->vocab, MODEL_LARGEST_SIZE},
        {"seq-len", shape->seq_len, MODEL_LARGEST_SIZE},
        {"micro-batch", shape->micro_batch, MODEL_LARGEST_SIZE},
    };
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
        if (size_fault(sizes[i].name, sizes[i].value, sizes[i].largest, text, size) != NULL)
            return text;
    return NULL;
}

const char *model_shape_fault(const struct model_shape *shape, char *text, size_t size)
{
    if (first_size_fault(shape, text, size) != NULL)
        return text;
    if (shape->width % shape->heads != 0) {
        snprintf(text, size, "width %" PRIu64 " is not a multiple of heads %" PRIu64, shape->width,
                 shape->heads);
        return text;
    }
    double c = (double)shape->width;
    double rows = (double)shape->micro_batch * (double)shape->seq_len;
    double kept = rows * (16 * c + (double)shape->heads + 4);
    double bytes = 16 * ((double)shape->layers * (12 * c * c + 13 * c + kept) +
                         ((double)shape->vocab + (double)shape->seq_len) * (c + rows));
    if (bytes < LARGEST_TOTAL)
        return NULL;
    snprintf(text, size,
             "the sizes together need %.3g bytes, more than this program counts exactly", bytes);
    return text;
}
