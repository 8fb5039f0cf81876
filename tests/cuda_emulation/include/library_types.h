/* The part of CUDA's types of elements that the backend uses, for the host emulation. */
#ifndef CUDA_EMULATION_LIBRARY_TYPES_H
#define CUDA_EMULATION_LIBRARY_TYPES_H

typedef enum cudaDataType_t { CUDA_R_32F = 0, CUDA_R_16BF = 14 } cudaDataType;
#ifndef __cplusplus
typedef enum cudaDataType_t cudaDataType_t;
#else
typedef cudaDataType cudaDataType_t;
#endif

#endif
