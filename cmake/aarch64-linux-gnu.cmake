# SPDX-License-Identifier: MIT
# Builds for aarch64 with Debian's cross compiler and runs programs by QEMU: stage aarch64 of run-tests. Libraries come from
# the folder that tools/arm64-sysroot fills. An ARM computer needs no toolchain file.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)
set(CMAKE_LIBRARY_ARCHITECTURE aarch64-linux-gnu)

cmake_path(SET FATHOM_SYSROOT NORMALIZE ${CMAKE_CURRENT_LIST_DIR}/../build/aarch64/sysroot)
set(CMAKE_FIND_ROOT_PATH ${FATHOM_SYSROOT})
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
foreach(kind LIBRARY INCLUDE PACKAGE)
  set(CMAKE_FIND_ROOT_PATH_MODE_${kind} ONLY)
endforeach()
set(ENV{PKG_CONFIG_SYSROOT_DIR} ${FATHOM_SYSROOT})
set(ENV{PKG_CONFIG_LIBDIR} ${FATHOM_SYSROOT}/usr/lib/aarch64-linux-gnu/pkgconfig:${FATHOM_SYSROOT}/usr/share/pkgconfig)
foreach(kind EXE SHARED MODULE)  # the libraries of libraries
  set(CMAKE_${kind}_LINKER_FLAGS_INIT
    "-Wl,-rpath-link,${FATHOM_SYSROOT}/usr/lib/aarch64-linux-gnu:${FATHOM_SYSROOT}/lib/aarch64-linux-gnu")
endforeach()
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-aarch64 -L ${FATHOM_SYSROOT})
