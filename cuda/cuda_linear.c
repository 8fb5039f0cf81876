#include "cuda_linear.h"

#include <stddef.h>

#include "backend_cuda.h"
#include "cuda_bias.h"
#include "cuda_gelu.h"
#include "cuda_workspace.h"

/*
 * A linear layer of I inputs and O outputs, R = B T rows: 2 R I O FLOPs for each of forward,
 * backward to its input and backward to its weight. In bf16 each moves at least
 * 2 (R I + O I + R O) bytes, forward also 2 R O for the residual or for gelu's second matrix.
 * Floors on an H200 (780 TFLOP/s, 4.3 TB/s; measured elsewhere), at C 2048, R 8192:
 *
 *                    I     O      GFLOP    MB     floor
 *   qkv            2048  6144       206   159   264 us  arithmetic
 *   projection     2048  2048        69   109    88 us  arithmetic
 *   up, with gelu  2048  8192       275   335   352 us  arithmetic
 *   down           8192  2048       275   235   352 us  arithmetic
 *   head, V 50257  2048 50257      1686  1063  2162 us  arithmetic
 *
 * What is not fused costs passes over memory on top (cuda_gelu.h, cuda_bias.h): gelu 2 R O + 2 R O
 * bytes (62 us for up), its slope 6 R I (94 us), the sums of a bias' gradient 2 R O (31 us).
 */

static struct cuda_product_shape forward_shape(uint64_t rows, uint64_t inputs, uint64_t outputs,
                                               enum cuda_product_after after)
{
    return (struct cuda_product_shape){.rows = rows,
                                       .columns = outputs,
                                       .depth = inputs,
                                       .batch = 1,
                                       .a = {.stride = inputs},
                                       .b = {.stride = inputs},
                                       .b_transposed = 1,
                                       .out = {.stride = outputs},
                                       .after = after};
}

static struct cuda_product_shape input_shape(uint64_t rows, uint64_t inputs, uint64_t outputs,
                                             enum cuda_product_after after)
{
    return (struct cuda_product_shape){.rows = rows,
                                       .columns = inputs,
                                       .depth = outputs,
                                       .batch = 1,
                                       .a = {.stride = outputs},
                                       .b = {.stride = inputs},
                                       .out = {.stride = inputs},
                                       .after = after};
}

static struct cuda_product_shape weight_shape(uint64_t rows, uint64_t inputs, uint64_t outputs,
                                              enum cuda_product_after after)
{
    return (struct cuda_product_shape){.rows = outputs,
                                       .columns = inputs,
                                       .depth = rows,
                                       .batch = 1,
                                       .a = {.stride = outputs},
                                       .b = {.stride = inputs},
                                       .a_transposed = 1,
                                       .out = {.stride = inputs},
                                       .after = after};
}

/* A layer of the model, and what it is asked for beside the bare product. */
struct layer {
    uint64_t inputs, outputs;
    bool bias, gelu_forward, gelu_backward;
};

static enum status plan_layer(struct cuda_products *products, uint64_t rows,
                              const struct layer *layer, struct diag *diag)
{
    const uint64_t inputs = layer->inputs, outputs = layer->outputs;
    const struct cuda_product_shape shapes[] = {
        forward_shape(rows, inputs, outputs, CUDA_PRODUCT_PLAIN),
        input_shape(rows, inputs, outputs, CUDA_PRODUCT_PLAIN),
        weight_shape(rows, inputs, outputs, CUDA_PRODUCT_PLAIN),
        forward_shape(rows, inputs, outputs, CUDA_PRODUCT_BIAS),
        weight_shape(rows, inputs, outputs, CUDA_PRODUCT_SUMS),
        forward_shape(rows, inputs, outputs, CUDA_PRODUCT_GELU),
        input_shape(rows, inputs, outputs, CUDA_PRODUCT_GELU_SLOPE),
    };
    const bool wanted[] = {
        true, true, true, layer->bias, layer->bias, layer->gelu_forward, layer->gelu_backward};
    enum status status = STATUS_OK;
    for (size_t i = 0; status == STATUS_OK && i < sizeof shapes / sizeof shapes[0]; i++)
        if (wanted[i])
            status = cuda_products_plan(products, &shapes[i], diag);
    return status;
}

enum status cuda_linear_plan(struct cuda_products *products, const struct backend_request *request,
                             struct diag *diag)
{
    const uint64_t c = request->shape.width, v = request->shape.vocab;
    const struct layer layers[] = {
        {.inputs = c, .outputs = 3 * c, .bias = true},                        /* qkv */
        {.inputs = c, .outputs = c, .bias = true},                            /* projection */
        {.inputs = c, .outputs = 4 * c, .bias = true, .gelu_forward = true},  /* up */
        {.inputs = 4 * c, .outputs = c, .bias = true, .gelu_backward = true}, /* down */
        {.inputs = c, .outputs = v},                                          /* head */
    };
    const uint64_t rows = request->shape.micro_batch * request->shape.seq_len;
    enum status status = STATUS_OK;
    for (size_t i = 0; status == STATUS_OK && i < sizeof layers / sizeof layers[0]; i++)
        status = plan_layer(products, rows, &layers[i], diag);
    return status;
}

uint64_t cuda_linear_workspace_bytes(const struct backend_request *request)
{
    const uint64_t rows = request->shape.micro_batch * request->shape.seq_len;
    const uint64_t columns[] = {request->shape.width, 3 * request->shape.width,
                                4 * request->shape.width}; /* of layers with a bias */
    uint64_t most = 0;
    for (size_t i = 0; i < sizeof columns / sizeof columns[0]; i++) {
        const uint64_t bytes = cuda_bias_workspace_bytes(rows, columns[i]);
        most = bytes > most ? bytes : most;
    }
    return most;
}

/* --- the operators --- */

/* Where the bias cannot be added behind the product it is spread over the result first, with the
 * residual, and the product added to that; in bf16 the sum of the two is rounded on the way. */
void backend_cuda_linear_residual_forward(struct backend *backend, void *out, const void *residual,
                                          const void *x, const void *weight, const void *bias,
                                          uint64_t inputs, uint64_t outputs)
{
    struct backend_cuda *cuda = backend_cuda_of(backend);
    const struct cuda_product_shape fused = forward_shape(
        cuda->rows, inputs, outputs, bias == NULL ? CUDA_PRODUCT_PLAIN : CUDA_PRODUCT_BIAS);
    struct cuda_product_operands operands = {
        .a = x, .b = weight, .added = residual, .out = out, .vector = bias, .scale = 1};
    if (cuda_products_multiply(cuda, &fused, &operands))
        return;
    const struct cuda_product_shape plain =
        forward_shape(cuda->rows, inputs, outputs, CUDA_PRODUCT_PLAIN);
    const struct cuda_bias_spread spread = {out, residual, bias, cuda->rows, outputs};
    cuda_error_note(&cuda->error, "spreading a bias",
                    cuda_bias_spread(&spread, cuda->bf16, cuda->compute));
    operands.added = out;
    operands.vector = NULL;
    cuda_products_multiply(cuda, &plain, &operands);
}

void backend_cuda_linear_forward(struct backend *backend, void *out, const void *x,
                                 const void *weight, const void *bias, uint64_t inputs,
                                 uint64_t outputs)
{
    backend_cuda_linear_residual_forward(backend, out, NULL, x, weight, bias, inputs, outputs);
}

void backend_cuda_linear_gelu_forward(struct backend *backend, void *out, void *gelu_out,
                                      const void *x, const void *weight, const void *bias,
                                      uint64_t inputs, uint64_t outputs)
{
    struct backend_cuda *cuda = backend_cuda_of(backend);
    const struct cuda_product_shape fused =
        forward_shape(cuda->rows, inputs, outputs, CUDA_PRODUCT_GELU);
    const struct cuda_product_operands operands = {
        .a = x, .b = weight, .out = gelu_out, .vector = bias, .matrix = out, .scale = 1};
    if (bias != NULL && cuda_products_multiply(cuda, &fused, &operands))
        return;
    backend_cuda_linear_forward(backend, out, x, weight, bias, inputs, outputs);
    const struct cuda_gelu gelu = {gelu_out, out, cuda->rows * outputs};
    cuda_error_note(&cuda->error, "gelu", cuda_gelu_forward(&gelu, cuda->bf16, cuda->compute));
}

void backend_cuda_linear_backward_input(struct backend *backend, void *dx, const void *dout,
                                        const void *weight, const void *gelu_input, uint64_t inputs,
                                        uint64_t outputs)
{
    struct backend_cuda *cuda = backend_cuda_of(backend);
    const struct cuda_product_shape fused =
        input_shape(cuda->rows, inputs, outputs, CUDA_PRODUCT_GELU_SLOPE);
    const struct cuda_product_shape plain =
        input_shape(cuda->rows, inputs, outputs, CUDA_PRODUCT_PLAIN);
    struct cuda_product_operands operands = {
        .a = dout, .b = weight, .out = dx, .matrix = gelu_input, .scale = 1};
    if (gelu_input != NULL && cuda_products_multiply(cuda, &fused, &operands))
        return;
    operands.matrix = NULL;
    cuda_products_multiply(cuda, &plain, &operands);
    if (gelu_input == NULL)
        return;
    const struct cuda_gelu gelu = {dx, gelu_input, cuda->rows * inputs};
    cuda_error_note(&cuda->error, "gelu backward",
                    cuda_gelu_backward(&gelu, cuda->bf16, cuda->compute));
}

/* dbias = sums of dout's columns, or plus what is there. */
static void add_bias_gradient(struct backend_cuda *cuda, void *dbias, const void *dout,
                              uint64_t outputs, int accumulate)
{
    const struct cuda_bias_sums sums = {.sums = dbias,
                                        .matrix = dout,
                                        .rows = cuda->rows,
                                        .columns = outputs,
                                        .partial = cuda_workspace_operator(cuda),
                                        .add = accumulate != 0};
    cuda_error_note(&cuda->error, "gradient of a bias",
                    cuda_bias_sum(&sums, cuda->bf16, cuda->compute));
}

/* The library's sums replace what is there; to add, our own kernel rounds once. */
void backend_cuda_linear_backward_weight(struct backend *backend, void *dweight, void *dbias,
                                         const void *dout, const void *x, uint64_t inputs,
                                         uint64_t outputs, int accumulate)
{
    struct backend_cuda *cuda = backend_cuda_of(backend);
    const struct cuda_product_shape fused =
        weight_shape(cuda->rows, inputs, outputs, CUDA_PRODUCT_SUMS);
    const struct cuda_product_shape plain =
        weight_shape(cuda->rows, inputs, outputs, CUDA_PRODUCT_PLAIN);
    struct cuda_product_operands operands = {.a = dout,
                                             .b = x,
                                             .added = accumulate ? dweight : NULL,
                                             .out = dweight,
                                             .vector = dbias,
                                             .scale = 1};
    if (dweight != NULL && dbias != NULL && !accumulate &&
        cuda_products_multiply(cuda, &fused, &operands))
        return;
    operands.vector = NULL;
    if (dweight != NULL)
        cuda_products_multiply(cuda, &plain, &operands);
    if (dbias != NULL)
        add_bias_gradient(cuda, dbias, dout, outputs, accumulate);
}
