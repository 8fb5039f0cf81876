# Between ranks: NCCL emulated over MPI (emulation_nccl.cpp), and what the backend does with it.
# Targets of tests/collect are linked, which are defined after this file is read.
add_library(cuda_emulation_nccl STATIC emulation_nccl.cpp emulation_nccl_run.cpp)
target_link_libraries(cuda_emulation_nccl PUBLIC cuda_emulation
    PRIVATE collect_core MPI::MPI_C rankledger_options)
target_compile_definitions(cuda_emulation_nccl PRIVATE OMPI_SKIP_MPICXX)

# As in tests/collect.
set(EMULATED_RANKS_ENVIRONMENT OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
    OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_mpi_yield_when_idle=1 OMP_NUM_THREADS=1
    ASAN_OPTIONS=fast_unwind_on_malloc=0)

# add_emulated_ranks_test(NAME RANKS...): the program test_NAME as the CTest tests cuda_emulation_NAME_RANKS.
function(add_emulated_ranks_test name)
    foreach(ranks ${ARGN})
        add_test(NAME cuda_emulation_${name}_${ranks}
            COMMAND ${MPIEXEC_EXECUTABLE} -n ${ranks} $<TARGET_FILE:test_${name}>)
        set_tests_properties(cuda_emulation_${name}_${ranks} PROPERTIES
            ENVIRONMENT "${EMULATED_RANKS_ENVIRONMENT}"
            FAIL_REGULAR_EXPRESSION "${SANITIZER_REPORT}" TIMEOUT 120)
    endforeach()
endfunction()

add_executable(test_communicator_nccl test_communicator_nccl.c device_arrays.c)
set(COMMUNICATOR_SOURCES communicator_nccl communicator_nccl_failure communicator_nccl_start
    cuda_error cuda_memory cuda_timeline)
list(TRANSFORM COMMUNICATOR_SOURCES REPLACE "(.+)" "${PROJECT_SOURCE_DIR}/cuda/\\1.c")
target_include_directories(test_communicator_nccl PRIVATE ${PROJECT_SOURCE_DIR}/cuda)
target_link_libraries(test_communicator_nccl
    PRIVATE cuda_emulation_nccl call_arrays mpi_expect rankledger_options)
add_emulated_cuda_sources(test_communicator_nccl ${COMMUNICATOR_SOURCES})
add_emulated_ranks_test(communicator_nccl 1 2 3)

# The whole backend, compiled for the emulation.
include(${PROJECT_SOURCE_DIR}/cuda/sources.cmake)
add_library(cuda_emulated STATIC)
target_include_directories(cuda_emulated PUBLIC ${PROJECT_SOURCE_DIR}/cuda)
target_link_libraries(cuda_emulated
    PUBLIC cuda_emulation_nccl cuda_emulation_cublaslt collect_core PRIVATE rankledger_options)
add_emulated_cuda_sources(cuda_emulated ${CUDA_HOST_SOURCES} ${CUDA_KERNEL_SOURCES})

foreach(name backend_cuda cuda_describe cuda_product)
    add_executable(test_${name} test_${name}.c)
    target_link_libraries(test_${name} PRIVATE cuda_emulated rankledger_options PkgConfig::CRITERION)
    add_test(NAME cuda_emulation_${name} COMMAND test_${name})
    set_tests_properties(cuda_emulation_${name} PROPERTIES
        FAIL_REGULAR_EXPRESSION "${SANITIZER_REPORT}" TIMEOUT 120)
endforeach()

# The driver's management library is looked for by its name.
add_library(made_up_nvml MODULE made_up_nvml.c)
target_link_libraries(made_up_nvml PRIVATE rankledger_options)
set_target_properties(made_up_nvml PROPERTIES OUTPUT_NAME nvidia-ml SUFFIX .so.1
    LIBRARY_OUTPUT_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/made_up)
add_dependencies(test_cuda_describe made_up_nvml)
set_tests_properties(cuda_emulation_cuda_describe PROPERTIES
    ENVIRONMENT LD_LIBRARY_PATH=${CMAKE_CURRENT_BINARY_DIR}/made_up)

# Training runs. The row of the backend is the linked one, whatever is found beside the program.
add_executable(test_emulated_training test_emulated_training.c backend_module_linked.c)
target_link_libraries(test_emulated_training PRIVATE trial mpi_expect cuda_emulated rankledger_options)
if(RANKLEDGER_ASAN)
    add_emulated_ranks_test(emulated_training 2)
else()
    add_emulated_ranks_test(emulated_training 1 2 3)
endif()

# The program itself.
add_executable(rankledger-collect-emulated ${PROJECT_SOURCE_DIR}/collect/main.c backend_module_linked.c)
target_link_libraries(rankledger-collect-emulated PRIVATE cuda_emulated rankledger_options)
set(EMULATED_RUNS Completed Failed Joined Refused)
if(RANKLEDGER_ASAN) # the sanitizers see the same in fewer runs
    set(EMULATED_RUNS Completed.test_one_rank_needs_no_collectives
        Failed.test_collective_that_fails_under_way_is_a_communication_failure
        Failed.test_lost_device_is_a_lost_rank Failed.test_device_without_room_is_out_of_memory
        Joined.test_strategies_run_one_after_another)
endif()
set(EMULATED_PROGRAMS $<TARGET_FILE:rankledger-collect-emulated> $<TARGET_FILE:rankledger>)
add_program_tests(cuda_emulation_runs ${CMAKE_CURRENT_SOURCE_DIR}/emulated_runs.py "${EMULATED_PROGRAMS}"
    ${EMULATED_RUNS})
set(HOST_TESTS Emulated)
if(RANKLEDGER_ASAN)
    set(HOST_TESTS Emulated.test_every_rank_has_the_device_of_its_number_on_its_host)
endif()
add_test(NAME cuda_emulation_hosts
    COMMAND ${PYTHON} ${PROJECT_SOURCE_DIR}/tests/collect/cli/test_hosts.py
            $<TARGET_FILE:rankledger-collect-emulated> $<TARGET_FILE:rankledger> ${HOST_TESTS})
set_tests_properties(cuda_emulation_hosts PROPERTIES
    ENVIRONMENT "ASAN_OPTIONS=fast_unwind_on_malloc=0;OMPI_MCA_mpi_yield_when_idle=1;CUDA_EMULATION_DEVICES=2"
    FAIL_REGULAR_EXPRESSION "${SANITIZER_REPORT}" SKIP_RETURN_CODE 77 TIMEOUT 200)
add_executable(test_step_order test_step_order.c backend_module_linked.c)
target_link_libraries(test_step_order PRIVATE trial mpi_expect cuda_emulated rankledger_options)
if(NOT RANKLEDGER_ASAN) # about an order, of runs that the sanitizers see in emulated_training
    add_emulated_ranks_test(step_order 2)
endif()

# The headers against the toolkit's, where there is one.
if(TARGET NCCL::NCCL AND TARGET CUDA::cublasLt)
    add_test(NAME cuda_emulation_header_values
        COMMAND ${PYTHON} ${CMAKE_CURRENT_SOURCE_DIR}/header_values.py ${CMAKE_C_COMPILER}
                ${CMAKE_CURRENT_SOURCE_DIR}/include ${CUDAToolkit_INCLUDE_DIRS}
                ${cublasLt_INCLUDE_DIR} ${nccl_INCLUDE_DIR})
endif()
