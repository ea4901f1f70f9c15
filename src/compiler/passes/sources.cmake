# The passes: one transformation a file.
set(LANZA_PASSES_SOURCES)
foreach(file IN ITEMS)
  list(APPEND LANZA_PASSES_SOURCES ${CMAKE_CURRENT_LIST_DIR}/${file})
endforeach()
