/*
 * The built-in vector types of CUDA C, as far as the kernels use them. In C++ the types of 8 and 16
 * bytes are copied through one vector, so that a load or store of a whole one stays one access of
 * that width under the compiler's eyes, and one that is not aligned to it can be refused.
 */
#ifndef CUDA_EMULATION_VECTOR_H
#define CUDA_EMULATION_VECTOR_H

struct uint3 {
    unsigned x, y, z;
};

#ifdef __cplusplus

struct dim3 {
    unsigned x, y, z;
    constexpr dim3(unsigned first = 1, unsigned second = 1, unsigned third = 1)
        : x(first), y(second), z(third)
    {
    }
};

#define CUDA_EMULATION_VECTOR2(name, element)                                                      \
    struct alignas(2 * sizeof(element)) name {                                                     \
        typedef element whole __attribute__((vector_size(2 * sizeof(element))));                   \
        union {                                                                                    \
            struct {                                                                               \
                element x, y;                                                                      \
            };                                                                                     \
            whole all;                                                                             \
        };                                                                                         \
        name() = default;                                                                          \
        name(element first, element second) : x(first), y(second)                                  \
        {                                                                                          \
        }                                                                                          \
        name(const name &other) : all(other.all)                                                   \
        {                                                                                          \
        }                                                                                          \
        name &operator=(const name &other)                                                         \
        {                                                                                          \
            all = other.all;                                                                       \
            return *this;                                                                          \
        }                                                                                          \
    };                                                                                             \
    static inline name make_##name(element x, element y)                                           \
    {                                                                                              \
        return name(x, y);                                                                         \
    }

#define CUDA_EMULATION_VECTOR4(name, element)                                                      \
    struct alignas(4 * sizeof(element)) name {                                                     \
        typedef element whole __attribute__((vector_size(4 * sizeof(element))));                   \
        union {                                                                                    \
            struct {                                                                               \
                element x, y, z, w;                                                                \
            };                                                                                     \
            whole all;                                                                             \
        };                                                                                         \
        name() = default;                                                                          \
        name(element first, element second, element third, element fourth)                         \
            : x(first), y(second), z(third), w(fourth)                                             \
        {                                                                                          \
        }                                                                                          \
        name(const name &other) : all(other.all)                                                   \
        {                                                                                          \
        }                                                                                          \
        name &operator=(const name &other)                                                         \
        {                                                                                          \
            all = other.all;                                                                       \
            return *this;                                                                          \
        }                                                                                          \
    };                                                                                             \
    static inline name make_##name(element x, element y, element z, element w)                     \
    {                                                                                              \
        return name(x, y, z, w);                                                                   \
    }

CUDA_EMULATION_VECTOR2(float2, float)
CUDA_EMULATION_VECTOR2(int2, int)
CUDA_EMULATION_VECTOR2(uint2, unsigned)
CUDA_EMULATION_VECTOR2(double2, double)
CUDA_EMULATION_VECTOR4(float4, float)
CUDA_EMULATION_VECTOR4(int4, int)
CUDA_EMULATION_VECTOR4(uint4, unsigned)

#undef CUDA_EMULATION_VECTOR2
#undef CUDA_EMULATION_VECTOR4

#else

typedef struct uint3 uint3;
typedef struct dim3 {
    unsigned x, y, z;
} dim3;

#endif
#endif
