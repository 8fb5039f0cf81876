#ifndef RANKLEDGER_CUDA_RATE_H
#define RANKLEDGER_CUDA_RATE_H

#include "backend.h"
#include "cuda_product.h"

/* The yardstick's product: a square one, in the workspace. */
uint64_t cuda_rate_workspace_bytes(const struct backend_request *request);
enum status cuda_rate_plan(struct cuda_products *products, const struct backend_request *request,
                           struct diag *diag) STATUS_CHECKED;

#endif
