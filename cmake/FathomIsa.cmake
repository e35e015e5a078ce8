# SPDX-License-Identifier: MIT
# Compiles one source once per instruction set into a room. The source puts everything into namespace FATHOM_ISA, and
# a table picks one at run time (src/core/compute.hpp). The flags keep every build equal to the bit: no contraction,
# no fast maths.

if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(aarch64|arm64)$")
  set(FATHOM_ISAS neon)
elseif(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64)$")
  set(FATHOM_ISAS sse2 avx2 avx512)
  set(FATHOM_ISA_HEADER <immintrin.h>)
else()
  message(FATAL_ERROR "fathom has kernels for x86-64 and aarch64, not for '${CMAKE_SYSTEM_PROCESSOR}'")
endif()
set(FATHOM_ISA_FLAGS_sse2 -msse2)
set(FATHOM_ISA_FLAGS_avx2 -mavx2)
set(FATHOM_ISA_FLAGS_avx512 -mavx512f -mavx512bw -mavx512dq -mavx512vl -mprefer-vector-width=512)

# fathom_share_isa_headers(<target> <isa> <its options>...): reads headers of the standard library once for all kernels of an
# instruction set, which spares a third of their compile time. Only in unity builds; others find missing includes. Rooms
# gain nothing: they read their headers once anyway.
function(fathom_share_isa_headers target isa)
  if(NOT FATHOM_UNITY OR FATHOM_SANITIZE OR NOT CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    return()
  endif()
  set(headers fathom_headers_${isa})
  if(NOT TARGET ${headers})
    file(WRITE ${PROJECT_BINARY_DIR}/headers/${isa}.cpp "")
    add_library(${headers} OBJECT EXCLUDE_FROM_ALL ${PROJECT_BINARY_DIR}/headers/${isa}.cpp)
    target_link_libraries(${headers} PRIVATE fathom_flags)
    target_compile_options(${headers} PRIVATE ${ARGN})
    target_precompile_headers(${headers} PRIVATE
      <algorithm> <array> <cmath> ${FATHOM_ISA_HEADER} <memory> <optional> <span> <string> <unordered_map> <variant> <vector>)
  endif()
  target_compile_options(${target} PRIVATE -fpch-preprocess)  # for ccache
  target_precompile_headers(${target} REUSE_FROM ${headers})
endfunction()

# fathom_isa_sources(<room> <source>...)
function(fathom_isa_sources room)
  foreach(isa ${FATHOM_ISAS})
    set(target fathom_${room}_${isa})
    add_library(${target} OBJECT ${ARGN})
    target_compile_definitions(${target} PRIVATE FATHOM_ISA=${isa})
    target_include_directories(${target} PRIVATE
      $<TARGET_PROPERTY:fathom_${room},INTERFACE_INCLUDE_DIRECTORIES>)
    target_link_libraries(${target} PRIVATE fathom_flags)
    # After the flags of the build type, so that kernels are always optimised: an AVX-512 copy of an inline function
    # that was not inlined could be picked by the linker for everybody.
    set(options -O3 -fno-math-errno -fno-trapping-math ${FATHOM_ISA_FLAGS_${isa}})
    if(CMAKE_CXX_FLAGS_RELEASE MATCHES stack-protector)  # kernels write to arrays whose sizes their callers have checked
      list(APPEND options $<$<CONFIG:Release>:-fno-stack-protector>)
    endif()
    target_compile_options(${target} PRIVATE ${options})
    fathom_share_isa_headers(${target} ${isa} ${options})
    target_sources(fathom_${room} PRIVATE $<TARGET_OBJECTS:${target}>)
    if(NOT room IN_LIST FATHOM_APART)
      set_property(GLOBAL APPEND PROPERTY FATHOM_OBJECTS $<TARGET_OBJECTS:${target}>)
    endif()
  endforeach()
endfunction()
