# SPDX-License-Identifier: MIT
# fathom_feature(<option> <what it is for> <Debian packages> <whether its library is found> <name>): the cache entry
# FATHOM_<option> is AUTO, ON or OFF; here the variable becomes ON or OFF. AUTO asks at each configuration, so that a library
# that was installed later is built in. `fathom --version` lists the name; for a feature that is left out, its packages, too. A
# feature with an empty name is not listed.
macro(fathom_feature option doc packages found name)
  set(FATHOM_${option} AUTO CACHE STRING "${doc}: ON, OFF, or AUTO, which is ON where ${packages} is installed")
  if(FATHOM_${option} STREQUAL "AUTO")
    set(FATHOM_${option} OFF)
    if("${found}")
      set(FATHOM_${option} ON)
    endif()
  elseif(FATHOM_${option} AND NOT "${found}")
    message(FATAL_ERROR "FATHOM_${option}=ON needs ${packages} (Debian): install it, or give -DFATHOM_${option}=OFF")
  endif()
  if("${name}" STREQUAL "")
  elseif(FATHOM_${option})
    list(APPEND FATHOM_BUILT_IN "${name}")
  else()
    list(APPEND FATHOM_LEFT_OUT "${name} (${packages})")
  endif()
endmacro()
