# The vector engine's passes, one transformation a file; the folder above lists them with its own.
foreach(file divergence.cpp fold_block_dim.cpp group_form.cpp mark_unroll.cpp shapes.cpp)
  list(APPEND LANZA_PASSES_SOURCES ${CMAKE_CURRENT_LIST_DIR}/${file})
endforeach()
