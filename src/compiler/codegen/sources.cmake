# From IR to objects and PTX.
set(LANZA_CODEGEN_SOURCES)
foreach(file specialise.cpp ptx.cpp)
  list(APPEND LANZA_CODEGEN_SOURCES ${CMAKE_CURRENT_LIST_DIR}/${file})
endforeach()
