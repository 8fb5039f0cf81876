#include "backend_cuda.h"
#include "cuda_embedding.h"
#include "cuda_loss.h"
#include "cuda_norm.h"
#include "cuda_optimizer.h"
#include "cuda_workspace.h"

/* Operators that are our own kernels: each puts together what its kernel wants to know, and notes
 * how the launch went. */

void backend_cuda_embedding_forward(struct backend *backend, void *out, const int32_t *tokens,
                                    const void *wte, const void *wpe)
{
    struct backend_cuda *cuda = backend_cuda_of(backend);
    const struct cuda_embedding_forward embedding = {.bf16 = cuda->bf16,
                                                     .rows = cuda->rows,
                                                     .length = backend->request.shape.seq_len,
                                                     .width = backend->request.shape.width,
                                                     .tokens = tokens,
                                                     .out = out,
                                                     .wte = wte,
                                                     .wpe = wpe};
    cuda_error_note(&cuda->error, "embedding", cuda_embedding_forward(&embedding, cuda->compute));
}

void backend_cuda_embedding_backward(struct backend *backend, void *dwte, void *dwpe,
                                     const void *dout, const int32_t *tokens, int accumulate)
{
    struct backend_cuda *cuda = backend_cuda_of(backend);
    const struct cuda_embedding_backward embedding = {.bf16 = cuda->bf16,
                                                      .rows = cuda->rows,
                                                      .length = backend->request.shape.seq_len,
                                                      .width = backend->request.shape.width,
                                                      .tokens = tokens,
                                                      .dwte = dwte,
                                                      .dwpe = dwpe,
                                                      .dout = dout,
                                                      .accumulate = accumulate != 0,
                                                      .workspace = cuda_workspace_operator(cuda)};
    cuda_error_note(&cuda->error, "gradient of the embedding",
                    cuda_embedding_backward(&embedding, cuda->compute));
}

void backend_cuda_layer_norm_forward(struct backend *backend, void *out, float *stats,
                                     const void *x, const void *weight, const void *bias)
{
    struct backend_cuda *cuda = backend_cuda_of(backend);
    const struct cuda_norm_forward norm = {.bf16 = cuda->bf16,
                                           .rows = cuda->rows,
                                           .width = backend->request.shape.width,
                                           .out = out,
                                           .stats = stats,
                                           .x = x,
                                           .weight = weight,
                                           .bias = bias};
    cuda_error_note(&cuda->error, "layer norm", cuda_norm_forward(&norm, cuda->compute));
}

void backend_cuda_layer_norm_backward(struct backend *backend, void *dx, void *dweight, void *dbias,
                                      const void *dout, const void *x, const float *stats,
                                      const void *weight, int accumulate, int set)
{
    struct backend_cuda *cuda = backend_cuda_of(backend);
    const struct cuda_norm_backward norm = {.bf16 = cuda->bf16,
                                            .rows = cuda->rows,
                                            .width = backend->request.shape.width,
                                            .dx = dx,
                                            .dweight = dweight,
                                            .dbias = dbias,
                                            .dout = dout,
                                            .x = x,
                                            .weight = weight,
                                            .stats = stats,
                                            .accumulate = accumulate != 0,
                                            .set = set != 0,
                                            .workspace = cuda_workspace_operator(cuda)};
    cuda_error_note(&cuda->error, "gradient of the layer norm",
                    cuda_norm_backward(&norm, cuda->compute));
}

void backend_cuda_cross_entropy(struct backend *backend, float *losses, void *logits,
                                const int32_t *tokens, float scale)
{
    struct backend_cuda *cuda = backend_cuda_of(backend);
    const struct cuda_loss loss = {.bf16 = cuda->bf16,
                                   .rows = cuda->rows,
                                   .length = backend->request.shape.seq_len,
                                   .vocab = backend->request.shape.vocab,
                                   .losses = losses,
                                   .logits = logits,
                                   .tokens = tokens,
                                   .scale = scale};
    cuda_error_note(&cuda->error, "cross entropy", cuda_loss_cross_entropy(&loss, cuda->compute));
}

void backend_cuda_loss_sum(struct backend *backend, double *sum, const float *losses)
{
    struct backend_cuda *cuda = backend_cuda_of(backend);
    cuda_error_note(&cuda->error, "sum of losses",
                    cuda_loss_sum(sum, losses, cuda->rows, cuda->compute));
}

void backend_cuda_square_sum(struct backend *backend, double *sum, const void *gradient,
                             uint64_t count, int typed)
{
    struct backend_cuda *cuda = backend_cuda_of(backend);
    cuda_error_note(&cuda->error, "sum of squares",
                    cuda_optimizer_square_sum(sum, gradient, count, cuda->bf16 && typed != 0,
                                              cuda_workspace_operator(cuda), cuda->compute));
}

void backend_cuda_clip(struct backend *backend, float *scale, const double *square_sum,
                       double max_norm)
{
    struct backend_cuda *cuda = backend_cuda_of(backend);
    cuda_error_note(&cuda->error, "clipping",
                    cuda_optimizer_clip(scale, square_sum, max_norm, cuda->compute));
}

void backend_cuda_accumulate(struct backend *backend, void *to, const void *from, uint64_t count,
                             int typed, int add)
{
    struct backend_cuda *cuda = backend_cuda_of(backend);
    const struct cuda_optimizer_copy copy = {.to = to,
                                             .from = from,
                                             .count = count,
                                             .to_bf16 = cuda->bf16 && typed != 0,
                                             .from_bf16 = cuda->bf16,
                                             .add = add != 0};
    cuda_error_note(&cuda->error, "accumulation", cuda_optimizer_copy(&copy, cuda->compute));
}

void backend_cuda_narrow(struct backend *backend, void *to, const float *from, uint64_t count)
{
    struct backend_cuda *cuda = backend_cuda_of(backend);
    const struct cuda_optimizer_copy copy = {
        .to = to, .from = from, .count = count, .to_bf16 = cuda->bf16};
    cuda_error_note(&cuda->error, "narrowing", cuda_optimizer_copy(&copy, cuda->compute));
}

void backend_cuda_adamw(struct backend *backend, const struct backend_update *update,
                        const struct backend_adamw *how)
{
    struct backend_cuda *cuda = backend_cuda_of(backend);
    cuda_error_note(&cuda->error, "AdamW",
                    cuda_optimizer_adamw(update, how, cuda->bf16, cuda->compute));
}
