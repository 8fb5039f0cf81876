#ifndef RANKLEDGER_CUDA_LINEAR_H
#define RANKLEDGER_CUDA_LINEAR_H

#include "backend.h"
#include "cuda_product.h"

/* Plans the products of the model's linear layers, forward and backward. */
enum status cuda_linear_plan(struct cuda_products *products, const struct backend_request *request,
                             struct diag *diag) STATUS_CHECKED;
/* Scratch of the layers' own kernels. */
uint64_t cuda_linear_workspace_bytes(const struct backend_request *request);

#endif
