# SPDX-License-Identifier: MIT
# The threads of a GPU as PTX, made at build time by clang alone: no toolkit. PTX of sm_60 runs on every later GPU, whose
# driver translates it. The flags keep the bits of the processor: no contraction, true divisions and roots, no flush to
# zero. -O3 in each kind of build: what a test reads in the PTX is then what users get.

# fathom_find_device_compiler(<variable>): whether FATHOM_DEVICE_COMPILER is a clang that compiles for nvptx64.
function(fathom_find_device_compiler result)
  set(${result} OFF PARENT_SCOPE)
  find_program(FATHOM_DEVICE_COMPILER NAMES clang++ clang++-19 clang++-18 clang++-17 clang++-16 clang++-15 clang++-14
    DOC "A clang++ with the target nvptx64, which compiles the code of GPUs")
  if(NOT FATHOM_DEVICE_COMPILER)
    return()
  endif()
  execute_process(COMMAND ${FATHOM_DEVICE_COMPILER} -print-targets OUTPUT_VARIABLE targets ERROR_QUIET)
  if(targets MATCHES "nvptx64")
    set(${result} ON PARENT_SCOPE)
  endif()
endfunction()

# fathom_add_ptx(<target> <output> [<compiler>]): a target that makes the PTX of src/render/device/kernels.cu, by
# FATHOM_DEVICE_COMPILER or another clang.
function(fathom_add_ptx target output)
  set(compiler ${FATHOM_DEVICE_COMPILER})
  if(ARGC GREATER 2)
    set(compiler ${ARGV2})
  endif()
  set(source ${PROJECT_SOURCE_DIR}/src/render/device/kernels.cu)
  # --cuda-path: a folder that holds no toolkit, so that none is looked for.
  add_custom_command(OUTPUT ${output}
    COMMAND ${compiler} -x cuda --cuda-device-only --cuda-gpu-arch=sm_60
      --cuda-path=${CMAKE_CURRENT_BINARY_DIR}/no_toolkit -nocudainc -nocudalib
      -std=c++20 -O3 -ffp-contract=off -fno-cuda-flush-denormals-to-zero -DFATHOM_ISA=device
      -I${PROJECT_SOURCE_DIR}/include -I${PROJECT_SOURCE_DIR}/src
      -MD -MF ${output}.d -MT ${output} -S ${source} -o ${output}
    DEPENDS ${source} DEPFILE ${output}.d
    COMMENT "Compiling the threads of a GPU to PTX" VERBATIM)
  add_custom_target(${target} DEPENDS ${output})
endfunction()
