# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Part of pctl, a compiler library for distributed tensor programs.

# pctl_add_library(NAME SOURCE... [LINK LIB...] [DEPENDS TARGET...])
#   A static library of the project that knows LLVM's support library and no
#   MLIR. It is installed and exported as pctl::NAME.
# pctl_add_mlir_library(NAME SOURCE... [LINK LIB...] [DEPENDS TARGET...])
#   The same for a library that is written against MLIR.
# pctl_add_tool(NAME [NO_MLIR] SOURCE... [LINK LIB...])
#   An installed executable; with NO_MLIR one that starts in milliseconds.
# pctl_add_dialect(NAME MNEMONIC)
#   The TableGen output of dialects/MNEMONIC/NAMEOps.td in the current build
#   directory, and its reference below docs/ of the build tree.

# Everything links the shared libMLIR and libLLVM, never the archives beside
# them: two copies of MLIR in one process have two of every type id.

function(_pctl_add_library name)
  cmake_parse_arguments(ARG "" "" "LINK;DEPENDS" ${ARGN})
  add_library(${name} STATIC ${ARG_UNPARSED_ARGUMENTS})
  add_library(pctl::${name} ALIAS ${name})
  target_link_libraries(${name} PUBLIC ${ARG_LINK})
  target_include_directories(${name} INTERFACE
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
    $<BUILD_INTERFACE:${PROJECT_BINARY_DIR}/include>
    $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  if(ARG_DEPENDS)
    add_dependencies(${name} ${ARG_DEPENDS})
  endif()
  install(TARGETS ${name} EXPORT pctlTargets
          ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
endfunction()

# The property PCTL_WITHOUT_MLIR of an executable picks, in the libraries that
# know no MLIR, the archive of LLVM's support library instead of libLLVM, whose
# loading takes longer than planning. As nothing else of LLVM is in such a
# program there is no second copy; only pctl_add_tool(NO_MLIR) sets it.
function(pctl_add_library name)
  _pctl_add_library(${name} ${ARGN})
  set(static "$<BOOL:$<TARGET_PROPERTY:PCTL_WITHOUT_MLIR>>")
  target_link_libraries(${name} PUBLIC
    $<BUILD_INTERFACE:$<$<NOT:${static}>:LLVM>>
    $<BUILD_INTERFACE:$<${static}:$<TARGET_FILE:LLVMSupport>>>
    $<BUILD_INTERFACE:$<${static}:$<TARGET_FILE:LLVMDemangle>>>
    $<INSTALL_INTERFACE:LLVM>)
  # Tests ask these libraries millions of questions, in debug builds, too.
  target_compile_options(${name} PRIVATE $<$<CONFIG:Debug>:-O1>)
endfunction()

function(pctl_add_mlir_library name)
  _pctl_add_library(${name} ${ARGN})
  target_link_libraries(${name} PUBLIC MLIR LLVM)
  # Generated headers come from here; ninja needs the edge to order the build.
  add_dependencies(${name} pctl-headers)
  pctl_use_pch(${name})
endfunction()

function(pctl_add_tool name)
  cmake_parse_arguments(ARG "NO_MLIR" "" "LINK" ${ARGN})
  add_executable(${name} ${ARG_UNPARSED_ARGUMENTS})
  target_link_libraries(${name} PRIVATE ${ARG_LINK})
  set_target_properties(${name} PROPERTIES
    RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/bin")
  install(TARGETS ${name} RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
  if(ARG_NO_MLIR)
    set_target_properties(${name} PROPERTIES PCTL_WITHOUT_MLIR ON)
    return()
  endif()
  target_link_libraries(${name} PRIVATE MLIR LLVM)
  # An installed tool finds the runtime beside it, wherever the tree is moved,
  # and MLIR where it was linked.
  file(RELATIVE_PATH libdir "${CMAKE_INSTALL_FULL_BINDIR}"
       "${CMAKE_INSTALL_FULL_LIBDIR}")
  set_target_properties(${name} PROPERTIES
    INSTALL_RPATH "$ORIGIN/${libdir};${LLVM_LIBRARY_DIR}")
  add_dependencies(${name} pctl-headers)
  # A precompiled header serves code that is compiled as it was.
  target_compile_options(${name} PRIVATE -fPIC)
  pctl_use_pch(${name})
endfunction()

# All TableGen output hangs from this target.
add_custom_target(pctl-headers)

if(PCTL_ENABLE_PCH)
  file(WRITE "${PROJECT_BINARY_DIR}/pch.cpp" "")
  add_library(PctlPch OBJECT "${PROJECT_BINARY_DIR}/pch.cpp")
  target_precompile_headers(PctlPch PRIVATE
                            "${PROJECT_SOURCE_DIR}/cmake/pch.h")
  if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
    # Keeps a compiler cache's key stable across builds.
    target_compile_options(PctlPch PRIVATE "SHELL:-Xclang -fno-pch-timestamp")
  endif()
endif()

function(pctl_use_pch name)
  if(PCTL_ENABLE_PCH)
    target_precompile_headers(${name} REUSE_FROM PctlPch)
  endif()
endfunction()

# References of the dialects, generated below docs/ of the build tree.
add_custom_target(pctl-doc)

function(pctl_add_dialect name mnemonic)
  set(LLVM_TARGET_DEFINITIONS
      "${PROJECT_SOURCE_DIR}/dialects/${mnemonic}/${name}Ops.td")
  set(tablegen_includes EXTRA_INCLUDES "${PROJECT_SOURCE_DIR}/dialects")
  foreach(part IN ITEMS Dialect:dialect Attrs:attrdef Types:typedef Ops:op)
    string(REPLACE ":" ";" part ${part})
    list(GET part 0 suffix)
    list(GET part 1 generator)
    set(only "")
    if(NOT generator STREQUAL "op")
      set(only "-${generator}s-dialect=${mnemonic}")
    endif()
    if(generator STREQUAL "dialect")
      set(only "-dialect=${mnemonic}")
    endif()
    mlir_tablegen(${name}${suffix}.h.inc -gen-${generator}-decls ${only}
                  ${tablegen_includes})
    mlir_tablegen(${name}${suffix}.cpp.inc -gen-${generator}-defs ${only}
                  ${tablegen_includes})
  endforeach()
  add_public_tablegen_target(Pctl${name}DialectIncGen)
  add_dependencies(pctl-headers Pctl${name}DialectIncGen)

  set(TABLEGEN_OUTPUT)
  mlir_tablegen(${name}Dialect.md -gen-dialect-doc -dialect=${mnemonic}
                ${tablegen_includes})
  set(reference "${PROJECT_BINARY_DIR}/docs/${name}Dialect.md")
  add_custom_command(OUTPUT "${reference}"
    COMMAND "${CMAKE_COMMAND}" -E copy
            "${CMAKE_CURRENT_BINARY_DIR}/${name}Dialect.md" "${reference}"
    DEPENDS "${CMAKE_CURRENT_BINARY_DIR}/${name}Dialect.md")
  add_custom_target(Pctl${name}DialectDoc DEPENDS "${reference}")
  add_dependencies(pctl-doc Pctl${name}DialectDoc)
endfunction()
