#include "training.h"

uint64_t training_global_batch(const struct training *training)
{
    const struct schedule_request *request = &training->schedule;
    return request->shape.micro_batch * request->gradient_accumulation * request->world_size;
}
