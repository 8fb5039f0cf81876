# The Debian packages: rankledger, and rankledger-cuda where the backend was built. The latter's
# libraries come with the CUDA toolkit, which may not be installed as packages, so that they are not
# among its dependencies; the collector says what is missing.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME rankledger)
set(CPACK_PACKAGE_CONTACT "the authors of rankledger <rankledger@localhost>")
set(CPACK_PACKAGE_VENDOR rankledger)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_VERBATIM_VARIABLES ON)
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY ${PROJECT_DESCRIPTION})
set(CPACK_COMPONENTS_ALL program debian)
set(CPACK_COMPONENT_PROGRAM_GROUP program)
set(CPACK_COMPONENT_DEBIAN_GROUP program)
if(NOT CUDA_MISSING)
    list(APPEND CPACK_COMPONENTS_ALL cuda)
    set(CPACK_COMPONENT_CUDA_GROUP cuda)
endif()

set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)

set(CPACK_DEBIAN_PROGRAM_PACKAGE_NAME rankledger)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PROGRAM_DESCRIPTION
    "Trains a model under DDP, ZeRO-1, ZeRO-2, ZeRO-3 and FSDP, keeps what was
measured as evidence, checks evidence of any producer, and decides which
strategy fits given limits, with a workbook and charts that say why.")
set(CPACK_DEBIAN_PROGRAM_PACKAGE_RECOMMENDS "fonts-dejavu-core, fonts-noto-cjk")
if(NOT COLLECTOR_MISSING) # the launcher is a program, which no library asks for
    set(CPACK_DEBIAN_PROGRAM_PACKAGE_DEPENDS "openmpi-bin")
endif()

set(CPACK_DEBIAN_CUDA_PACKAGE_NAME rankledger-cuda)
set(CPACK_DEBIAN_CUDA_PACKAGE_SHLIBDEPS OFF)
set(CPACK_DEBIAN_CUDA_PACKAGE_DEPENDS "rankledger (= ${PROJECT_VERSION})")
set(CPACK_DEBIAN_CUDA_DESCRIPTION
    "This is the CUDA backend of rankledger-collect.
It needs the CUDA runtime, cuBLASLt and NCCL, wherever they come from.")
include(CPack)
