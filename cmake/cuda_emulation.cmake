# Finds what the tests that emulate a CUDA device need beyond the collector: a C++ compiler and
# Boost.Context. Sets CUDA_EMULATION_MISSING to a list of what is not there; then these tests are not built.
set(CUDA_EMULATION_MISSING "")

if(COLLECTOR_MISSING)
    list(APPEND CUDA_EMULATION_MISSING "the collector")
endif()

include(CheckLanguage)
check_language(CXX)
if(CMAKE_CXX_COMPILER)
    enable_language(CXX)
    set(CMAKE_CXX_STANDARD 17)
    set(CMAKE_CXX_STANDARD_REQUIRED ON)
    set(CMAKE_CXX_EXTENSIONS OFF)
else()
    list(APPEND CUDA_EMULATION_MISSING "a C++ compiler (g++)")
endif()

# By its files: the packages' own CMake files need a version of CMake that fits theirs.
find_path(BOOST_CONTEXT_INCLUDE_DIR boost/context/fiber.hpp)
find_library(BOOST_CONTEXT_LIBRARY boost_context)
if(BOOST_CONTEXT_INCLUDE_DIR AND BOOST_CONTEXT_LIBRARY)
    add_library(Boost::context_found INTERFACE IMPORTED)
    target_include_directories(Boost::context_found SYSTEM INTERFACE ${BOOST_CONTEXT_INCLUDE_DIR})
    target_link_libraries(Boost::context_found INTERFACE ${BOOST_CONTEXT_LIBRARY})
else()
    list(APPEND CUDA_EMULATION_MISSING "Boost.Context (libboost-context-dev)")
endif()

if(CUDA_EMULATION_MISSING)
    list(JOIN CUDA_EMULATION_MISSING ", " missing)
    message(STATUS "  no tests with an emulated CUDA device; missing: ${missing}")
endif()
