# Embeds the prelude in the plug-in: its texts, and a PCH for each of the usual standards, written by a tool that is made of the same
# front end. Sets prelude_sources, for whoever links the front end, and prelude_pchs, for the plug-in.
enable_language(ASM)

# lanza_embed(out symbol name=path...): an assembler source that holds files and a table of them (frontend/embedded.hpp).
function(lanza_embed out symbol)
  set(bodies "")
  set(rows "")
  set(paths "")
  set(i 0)
  foreach(item IN LISTS ARGN)
    string(REGEX MATCH "^([^=]+)=(.+)$" _ ${item})
    set(name ${CMAKE_MATCH_1})
    set(path ${CMAKE_MATCH_2})
    list(APPEND paths ${path})
    string(APPEND bodies "name${i}: .asciz \"${name}\"\n.balign 16\ndata${i}: .incbin \"${path}\"\nend${i}: .byte 0\n")
    string(APPEND rows ".quad name${i}, data${i}, end${i} - data${i}\n")
    math(EXPR i "${i} + 1")
  endforeach()
  set(source ${generated}/${symbol}.S)
  file(CONFIGURE OUTPUT ${source} CONTENT ".section .rodata\n@bodies@.section .data.rel.ro, \"aw\"\n.balign 8\n.globl ${symbol}\n.hidden ${symbol}\n${symbol}:\n@rows@.quad 0, 0, 0\n.section .note.GNU-stack, \"\", @progbits_type@\n" @ONLY)
  set_source_files_properties(${source} PROPERTIES OBJECT_DEPENDS "${paths}" LANGUAGE ASM)
  set(${out} ${source} PARENT_SCOPE)
endfunction()
set(progbits_type "%progbits")
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  set(progbits_type "@progbits")
endif()

set(texts prelude/sync_kinds.h=${CMAKE_CURRENT_SOURCE_DIR}/sync_kinds.h
  prelude/child_launch.h=${CMAKE_CURRENT_SOURCE_DIR}/child_launch.h)
include(prelude/headers.cmake)
foreach(file IN LISTS LANZA_PRELUDE_FILES)
  list(APPEND texts prelude/${file}=${CMAKE_CURRENT_SOURCE_DIR}/prelude/${file})
endforeach()
# cuda/... stands apart: a folder of the user's may hold CCCL, which then comes first, all but the one header that would
# declare the prelude's integers again.
foreach(file IN LISTS LANZA_USER_HEADERS)
  set(folder include)
  if(file MATCHES "^cuda/" AND NOT file STREQUAL "cuda/std/cstdint")
    set(folder library)
  endif()
  list(APPEND texts ${folder}/${file}=${CMAKE_CURRENT_SOURCE_DIR}/prelude/include/${file})
endforeach()
lanza_embed(text_source lanza_embedded_texts ${texts})
add_library(lanza_compiler_texts OBJECT ${text_source})

add_executable(lanza-write-pch frontend/write_pch.cpp)
target_link_libraries(lanza-write-pch PRIVATE lanza_compiler_frontend lanza_compiler_ptx lanza_compiler_texts lanza_llvm_libraries)

# For each standard the prelude alone, and with the headers that frontend/preloaded.hpp speaks of.
set(pchs "")
function(lanza_pch name standard header)
  set(pch ${generated}/prelude-${name}.pch)
  add_custom_command(OUTPUT ${pch} COMMAND lanza-write-pch ${standard} ${pch} ${header} DEPENDS lanza-write-pch VERBATIM
    COMMENT "Prelude as a PCH, ${name}")
  set(pchs ${pchs} ${name}=${pch} PARENT_SCOPE)
endfunction()
foreach(standard c++17 c++20)
  lanza_pch(${standard} ${standard} "")
  lanza_pch(${standard}-half ${standard} cuda_fp16.h)
  lanza_pch(${standard}-bfloat16 ${standard} cuda_bf16.h)
endforeach()
lanza_embed(prelude_pchs lanza_embedded_pchs ${pchs})

# Functions that passes link into kernels, as bitcode.
add_executable(lanza-write-functions frontend/write_functions.cpp)
target_link_libraries(lanza-write-functions PRIVATE lanza_compiler_frontend lanza_compiler_ptx lanza_compiler_texts lanza_llvm_libraries)
set(functions_source ${CMAKE_CURRENT_SOURCE_DIR}/prelude/ptx_functions.cu)
set(functions ${generated}/ptx_functions.bc)
add_custom_command(OUTPUT ${functions} COMMAND lanza-write-functions ${functions_source} ${functions}
  DEPENDS lanza-write-functions ${functions_source} VERBATIM COMMENT "Functions of inline PTX as bitcode")
lanza_embed(functions_assembly lanza_embedded_ptx_functions ptx_functions=${functions})
add_library(lanza_compiler_functions OBJECT ${functions_assembly})
