# One target that carries the language level, the warnings and the sanitizers to every other.
add_library(rankledger_options INTERFACE)
target_compile_features(rankledger_options INTERFACE c_std_17)
set(CMAKE_C_STANDARD 17)
set(CMAKE_C_STANDARD_REQUIRED ON)
set(CMAKE_C_EXTENSIONS OFF)

# -ffp-contract=off: a fused multiply-add would make numbers depend on the machine. C++ (harnesses of
# tests only) gets what it knows of the same; there a function hides the constructor of a structure of
# its name, which C has not. nvcc has its own set (cmake/cuda.cmake).
set(RANKLEDGER_WARNINGS -Wall -Wextra -Wpedantic -Wwrite-strings -Wcast-qual -Wvla -Wundef -Wformat=2)
target_compile_options(rankledger_options INTERFACE
    "$<$<COMPILE_LANGUAGE:C,CXX>:${RANKLEDGER_WARNINGS};-ffp-contract=off>"
    "$<$<COMPILE_LANGUAGE:C>:-Wshadow;-Wstrict-prototypes;-Wmissing-prototypes>"
    "$<$<COMPILE_LANGUAGE:CXX>:-Wshadow=local>"
    "$<$<AND:$<BOOL:${RANKLEDGER_WERROR}>,$<COMPILE_LANGUAGE:C,CXX>>:-Werror>")
target_compile_definitions(rankledger_options INTERFACE _GNU_SOURCE
    RANKLEDGER_VERSION="${PROJECT_VERSION}")

if(RANKLEDGER_ASAN)
    set(RANKLEDGER_SANITIZERS -fsanitize=address,undefined -fno-sanitize-recover=all
        -fno-omit-frame-pointer)
    target_compile_options(rankledger_options INTERFACE
        "$<$<COMPILE_LANGUAGE:C,CXX>:${RANKLEDGER_SANITIZERS}>")
    target_link_options(rankledger_options INTERFACE -fsanitize=address,undefined)
endif()

# Product code is also held to explicit conversions.
add_library(rankledger_product INTERFACE)
target_link_libraries(rankledger_product INTERFACE rankledger_options)
target_compile_options(rankledger_product INTERFACE "$<$<COMPILE_LANGUAGE:C,CXX>:-Wconversion>")
