# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Part of pctl, a compiler library for distributed tensor programs.

# Compile and link flags that every target of the project shares.

# LLVM's idiom `return std::move(error)` into an Expected is no redundant move
# for every compiler that builds this.
add_compile_options(
  -Wall -Wextra -Wno-unused-parameter
  $<$<COMPILE_LANGUAGE:CXX>:-Wno-redundant-move>
  $<$<COMPILE_LANGUAGE:CXX>:-fno-exceptions>
  $<$<COMPILE_LANGUAGE:CXX>:-Wnon-virtual-dtor>)
if(NOT LLVM_ENABLE_RTTI)
  add_compile_options($<$<COMPILE_LANGUAGE:CXX>:-fno-rtti>)
endif()

include_directories(SYSTEM ${LLVM_INCLUDE_DIRS} ${MLIR_INCLUDE_DIRS})
include_directories("${PROJECT_SOURCE_DIR}/include"
                    "${PROJECT_BINARY_DIR}/include")

if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
  add_link_options(-fuse-ld=lld "-B${LLVM_TOOLS_BINARY_DIR}")
endif()

if(PCTL_SANITIZER)
  add_compile_options(-fsanitize=${PCTL_SANITIZER} -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${PCTL_SANITIZER})
  if(PCTL_SANITIZER MATCHES "undefined")
    add_compile_options(-fno-sanitize-recover=undefined)
  endif()
endif()
