# The front end: clang in process.
set(LANZA_FRONTEND_SOURCES)
foreach(file options.cpp files.cpp inline_asm.cpp instance.cpp compile.cpp diagnostics.cpp kernels.cpp names.cpp variables.cpp unsupported.cpp undefined.cpp lexemes.cpp edited_text.cpp original_places.cpp alignments.cpp launches.cpp child_kernels.cpp limits.cpp preloaded.cpp shared_variables.cpp half_operators.cpp)
  list(APPEND LANZA_FRONTEND_SOURCES ${CMAKE_CURRENT_LIST_DIR}/${file})
endforeach()
