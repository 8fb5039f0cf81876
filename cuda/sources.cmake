# The backend's sources, once: for the module (CMakeLists.txt here) and for the emulation
# (tests/cuda_emulation), which compiles the same files against its own headers.
set(CUDA_HOST_SOURCES # C17
    backend_cuda.c
    backend_cuda_operators.c
    communicator_nccl.c
    communicator_nccl_failure.c
    communicator_nccl_start.c
    cuda_attention.c
    cuda_attention_shapes.c
    cuda_attention_tiling.c
    cuda_describe.c
    cuda_error.c
    cuda_linear.c
    cuda_memory.c
    cuda_nvml.c
    cuda_product.c
    cuda_product_plan.c
    cuda_rate.c
    cuda_timeline.c
    cuda_workspace.c
)
set(CUDA_KERNEL_SOURCES # .cu
    cuda_bias.cu
    cuda_embedding.cu
    cuda_embedding_tokens.cu
    cuda_fill.cu
    cuda_gelu.cu
    cuda_loss.cu
    cuda_norm.cu
    cuda_optimizer.cu
    cuda_softmax.cu
)
# Not part of the library that tests link: what the loader of modules looks for.
set(CUDA_MODULE_SOURCES
    cuda_module.c
)
list(TRANSFORM CUDA_HOST_SOURCES PREPEND ${CMAKE_CURRENT_LIST_DIR}/)
list(TRANSFORM CUDA_KERNEL_SOURCES PREPEND ${CMAKE_CURRENT_LIST_DIR}/)
list(TRANSFORM CUDA_MODULE_SOURCES PREPEND ${CMAKE_CURRENT_LIST_DIR}/)
