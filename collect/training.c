#include "training.h"

uint64_t training_global_batch(const struct training *training)
{
    const struct schedule_request *request = &training->schedule;
    return request->shape.micro_batch * request->gradient_accumulation * request->world_size;
}

uint64_t training_sample(const struct training *training, uint64_t rank, uint64_t micro_batch,
                         uint64_t b)
{
    const struct schedule_request *request = &training->schedule;
    return (micro_batch * request->world_size + rank) * request->shape.micro_batch + b;
}
