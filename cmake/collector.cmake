# Finds what the collector needs beyond the analyzer. Sets COLLECTOR_MISSING to a list of what is not
# there (then the collector is not built), and the targets MPI::MPI_C, OpenBLAS::OpenBLAS, OpenMP::OpenMP_C.
set(COLLECTOR_MISSING "")

find_package(MPI COMPONENTS C QUIET)
if(NOT MPI_C_FOUND)
    list(APPEND COLLECTOR_MISSING "MPI (libopenmpi-dev, openmpi-bin)")
endif()

find_package(OpenMP COMPONENTS C QUIET)
if(NOT OpenMP_C_FOUND)
    list(APPEND COLLECTOR_MISSING "OpenMP")
endif()

pkg_check_modules(HWLOC QUIET IMPORTED_TARGET hwloc)
if(NOT HWLOC_FOUND)
    list(APPEND COLLECTOR_MISSING "hwloc (libhwloc-dev)")
endif()

# The OpenMP flavour where there is a choice: the pthread one starts its threads before main, and
# they would not flush denormals. Its folder is kept as run path, because the flavours share a name.
find_path(OPENBLAS_INCLUDE_DIR cblas.h PATH_SUFFIXES openblas-openmp openblas)
find_library(OPENBLAS_LIBRARY openblas PATH_SUFFIXES openblas-openmp)
if(OPENBLAS_INCLUDE_DIR AND OPENBLAS_LIBRARY)
    get_filename_component(OPENBLAS_DIR ${OPENBLAS_LIBRARY} DIRECTORY)
    add_library(OpenBLAS::OpenBLAS INTERFACE IMPORTED)
    target_include_directories(OpenBLAS::OpenBLAS SYSTEM INTERFACE ${OPENBLAS_INCLUDE_DIR})
    target_link_libraries(OpenBLAS::OpenBLAS INTERFACE ${OPENBLAS_LIBRARY})
    if(OPENBLAS_DIR MATCHES "openblas-openmp")
        target_link_options(OpenBLAS::OpenBLAS INTERFACE -Wl,-rpath,${OPENBLAS_DIR})
    endif()
else()
    list(APPEND COLLECTOR_MISSING "OpenBLAS (libopenblas-openmp-dev)")
endif()
