# Finds what the CUDA backend needs beyond the collector: nvcc and a host compiler that it works with,
# cuBLASLt, NCCL. Sets CUDA_MISSING to a list of what keeps it from being built, and the
# targets CUDA::cudart_static, CUDA::cublasLt and NCCL::NCCL.
option(RANKLEDGER_CUDA "Build the CUDA backend where the toolkit is found" ON)
option(RANKLEDGER_CUDA_REQUIRED "Do not configure without the CUDA backend" OFF)
set(RANKLEDGER_CUDA_ARCHITECTURES "" CACHE STRING
    "Compute capabilities, as CMAKE_CUDA_ARCHITECTURES; empty: 80, 90, 100 and PTX of the newest")
set(CUDA_MISSING "")

# cudaLaunchKernelEx and sm_90 came with 11.8, sm_100 with 12.8.
set(CUDA_OLDEST 11.8)
set(CUDA_OLDEST_SM_100 12.8)
set(CUDA_PREFIXES ENV CUDA_HOME ENV CUDA_PATH /usr/local/cuda /opt/cuda)

# Both are also looked for under the name that has its version in it: the vendor's Python packages
# have no other.
macro(rankledger_find_cuda_library target name header major)
    find_path(${name}_INCLUDE_DIR ${header} HINTS ENV NCCL_HOME ${CUDAToolkit_INCLUDE_DIRS} PATH_SUFFIXES include)
    find_library(${name}_LIBRARY NAMES ${name} lib${name}.so.${major}
        HINTS ENV NCCL_HOME ${CUDAToolkit_LIBRARY_DIR} PATH_SUFFIXES lib lib64)
    if(${name}_INCLUDE_DIR AND ${name}_LIBRARY AND NOT TARGET ${target})
        add_library(${target} INTERFACE IMPORTED)
        target_include_directories(${target} SYSTEM INTERFACE ${${name}_INCLUDE_DIR})
        target_link_libraries(${target} INTERFACE ${${name}_LIBRARY})
    endif()
endmacro()

# A macro: enable_language must be called where the project's own variables are.
macro(rankledger_find_cuda)
    find_program(NVCC nvcc HINTS ${CUDA_PREFIXES} PATH_SUFFIXES bin)
    if(NVCC AND NOT DEFINED ENV{CUDACXX})
        set(ENV{CUDACXX} ${NVCC})
    endif()
    include(CheckLanguage)
    check_language(CUDA)
    if(NOT NVCC AND NOT CMAKE_CUDA_COMPILER)
        list(APPEND CUDA_MISSING "no nvcc (CUDA toolkit)")
    elseif(NOT CMAKE_CUDA_COMPILER)
        list(APPEND CUDA_MISSING "no nvcc that works (${NVCC} does not: CUDAHOSTCXX names another host compiler)")
    else()
        if(NOT CMAKE_CUDA_ARCHITECTURES)
            set(CMAKE_CUDA_ARCHITECTURES 80) # of CMake's own trials; the targets set theirs
        endif()
        enable_language(CUDA)
        set(CMAKE_CUDA_STANDARD 17)
        set(CMAKE_CUDA_STANDARD_REQUIRED ON)
        find_package(CUDAToolkit QUIET)
        rankledger_find_cuda_library(CUDA::cublasLt cublasLt cublasLt.h ${CUDAToolkit_VERSION_MAJOR})
        rankledger_find_cuda_library(NCCL::NCCL nccl nccl.h 2)
        if(CMAKE_CUDA_COMPILER_VERSION VERSION_LESS CUDA_OLDEST)
            list(APPEND CUDA_MISSING "no CUDA ${CUDA_OLDEST} or newer (${NVCC} is ${CMAKE_CUDA_COMPILER_VERSION})")
        endif()
        if(NOT TARGET CUDA::cudart_static)
            list(APPEND CUDA_MISSING "no libcudart_static.a (CUDA runtime)")
        endif()
        if(NOT TARGET CUDA::cublasLt)
            list(APPEND CUDA_MISSING "no cuBLASLt (libcublas-dev)")
        endif()
        if(NOT TARGET NCCL::NCCL)
            list(APPEND CUDA_MISSING "no NCCL (libnccl-dev, or NCCL_HOME names its folder)")
        endif()
    endif()
endmacro()

if(NOT RANKLEDGER_CUDA)
    list(APPEND CUDA_MISSING "RANKLEDGER_CUDA is OFF")
elseif(COLLECTOR_MISSING)
    list(APPEND CUDA_MISSING "it needs the collector")
else()
    rankledger_find_cuda()
endif()

# The program would load the module that an earlier configuration of this folder built.
if(CUDA_MISSING)
    file(REMOVE ${PROJECT_BINARY_DIR}/collect/librankledger_cuda.so)
endif()

if(CUDA_MISSING AND RANKLEDGER_CUDA_REQUIRED)
    list(JOIN CUDA_MISSING ", " missing)
    message(FATAL_ERROR "the CUDA backend is not built: ${missing}")
endif()

if(NOT CUDA_MISSING)
    set(CUDA_ARCHITECTURES ${RANKLEDGER_CUDA_ARCHITECTURES})
    if(NOT CUDA_ARCHITECTURES AND CMAKE_CUDA_COMPILER_VERSION VERSION_LESS CUDA_OLDEST_SM_100)
        set(CUDA_ARCHITECTURES 80-real 90)
    elseif(NOT CUDA_ARCHITECTURES)
        set(CUDA_ARCHITECTURES 80-real 90-real 100)
    endif()
endif()

# What every target with CUDA sources is compiled with. nvcc's own headers and stubs are neither
# pedantic nor free of undefined names. ptxas' report of registers, local memory and spills stays
# beside the object (OBJECT.resources). Fused multiply-adds are nvcc's default, and meant: what is
# compared with a reference is compared within a tolerance.
add_library(rankledger_cuda_options INTERFACE)
target_compile_options(rankledger_cuda_options INTERFACE
    "$<$<COMPILE_LANGUAGE:CUDA>:-Xptxas=-v;-Xcompiler=-Wall,-Wextra,-Wshadow=local>"
    "$<$<AND:$<BOOL:${RANKLEDGER_WERROR}>,$<COMPILE_LANGUAGE:CUDA>>:-Werror=all-warnings;-Xcompiler=-Werror>")

# rankledger_cuda_target(TARGET): a target with CUDA sources.
function(rankledger_cuda_target target)
    set_target_properties(${target} PROPERTIES
        CUDA_ARCHITECTURES "${CUDA_ARCHITECTURES}"
        CUDA_COMPILER_LAUNCHER "sh;${PROJECT_SOURCE_DIR}/cmake/keep_resources.sh"
        POSITION_INDEPENDENT_CODE ON)
    target_link_libraries(${target} PRIVATE rankledger_cuda_options)
endfunction()
