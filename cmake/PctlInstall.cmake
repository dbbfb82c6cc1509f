# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Part of pctl, a compiler library for distributed tensor programs.

# What `cmake --install` lays down beside the libraries and tools, which install
# themselves where they are declared: headers, the declared language, and the
# package that find_package(pctl) reads.

include(CMakePackageConfigHelpers)

set(PCTL_PACKAGE_DIR "${CMAKE_INSTALL_LIBDIR}/cmake/pctl")
string(REGEX MATCH "^[0-9]+\\.[0-9]+" MLIR_MAJOR_MINOR
       "${MLIR_PACKAGE_VERSION}")

install(DIRECTORY include/pctl "${PROJECT_BINARY_DIR}/include/pctl"
        DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
        FILES_MATCHING PATTERN "*.h" PATTERN "*.td" PATTERN "*.inc"
        PATTERN CMakeFiles EXCLUDE)
install(DIRECTORY dialects/ DESTINATION ${CMAKE_INSTALL_DATADIR}/pctl/dialects
        FILES_MATCHING PATTERN "*.td")
install(EXPORT pctlTargets NAMESPACE pctl:: DESTINATION ${PCTL_PACKAGE_DIR})

configure_package_config_file(
  cmake/pctlConfig.cmake.in "${PROJECT_BINARY_DIR}/pctlConfig.cmake"
  INSTALL_DESTINATION ${PCTL_PACKAGE_DIR})
write_basic_package_version_file("${PROJECT_BINARY_DIR}/pctlConfigVersion.cmake"
                                 COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/pctlConfig.cmake"
              "${PROJECT_BINARY_DIR}/pctlConfigVersion.cmake"
        DESTINATION ${PCTL_PACKAGE_DIR})
