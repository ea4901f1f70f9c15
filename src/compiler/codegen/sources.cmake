# From IR to objects and PTX. Included by the folder that makes the plug-in; C must be enabled.
set(LANZA_CODEGEN_SOURCES)
foreach(file specialise.cpp code_beside.cpp code_passes.cpp kernel_object.cpp host_pipeline.cpp lane_choice.cpp join_variables.cpp link.cpp llvm_options.cpp note_moves.cpp object_beside.cpp outline_loops.cpp plane_code.cpp ptx.cpp read_kernel.cpp report.cpp runtime.cpp stretches.cpp target.cpp undef_operands.cpp vector_engine.cpp vector_functions.cpp)
  list(APPEND LANZA_CODEGEN_SOURCES ${CMAKE_CURRENT_LIST_DIR}/${file})
endforeach()

# The freestanding runtime is an object file that the plug-in carries. No flag of the build may reach it but these: no sanitizer, no LTO,
# and no loop may be recognised as the memcpy that it implements.
set(lanza_runtime_source ${CMAKE_CURRENT_LIST_DIR}/runtime/freestanding.c)
set(lanza_runtime_object ${CMAKE_CURRENT_BINARY_DIR}/lanza_kernel_runtime.o)
set(lanza_runtime_flags -std=c11 -O2 -fPIC -ffreestanding -fno-builtin -fvisibility=hidden -ffunction-sections -fno-stack-protector
  -fno-asynchronous-unwind-tables -ffp-contract=off -Wall -Wextra)
if(CMAKE_C_COMPILER_ID STREQUAL "GNU")
  list(APPEND lanza_runtime_flags -fno-tree-loop-distribute-patterns)
endif()
add_custom_command(OUTPUT ${lanza_runtime_object}
  COMMAND ${CMAKE_C_COMPILER} ${lanza_runtime_flags} -c ${lanza_runtime_source} -o ${lanza_runtime_object}
  DEPENDS ${lanza_runtime_source} VERBATIM COMMENT "Freestanding runtime of kernels")
set_source_files_properties(${CMAKE_CURRENT_LIST_DIR}/runtime/embed.c PROPERTIES
  OBJECT_DEPENDS ${lanza_runtime_object} COMPILE_DEFINITIONS "LANZA_RUNTIME_OBJECT=\"${lanza_runtime_object}\"")
list(APPEND LANZA_CODEGEN_SOURCES ${CMAKE_CURRENT_LIST_DIR}/runtime/embed.c)
