# One target that carries the language level, the warnings and the sanitizers to every other.
add_library(rankledger_options INTERFACE)
target_compile_features(rankledger_options INTERFACE c_std_17)
set(CMAKE_C_STANDARD 17)
set(CMAKE_C_STANDARD_REQUIRED ON)
set(CMAKE_C_EXTENSIONS OFF)

# -ffp-contract=off: a fused multiply-add would make numbers depend on the machine.
target_compile_options(rankledger_options INTERFACE
    -Wall -Wextra -Wpedantic -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wwrite-strings
    -Wcast-qual -Wvla -Wundef -Wformat=2 -ffp-contract=off
    $<$<BOOL:${RANKLEDGER_WERROR}>:-Werror>)
target_compile_definitions(rankledger_options INTERFACE _GNU_SOURCE
    RANKLEDGER_VERSION="${PROJECT_VERSION}")

if(RANKLEDGER_ASAN)
    target_compile_options(rankledger_options INTERFACE
        -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer)
    target_link_options(rankledger_options INTERFACE -fsanitize=address,undefined)
endif()

# Product code is also held to explicit conversions.
add_library(rankledger_product INTERFACE)
target_link_libraries(rankledger_product INTERFACE rankledger_options)
target_compile_options(rankledger_product INTERFACE -Wconversion)
