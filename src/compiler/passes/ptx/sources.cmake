# Inline PTX: parsed, and translated to IR. The front end uses it too, for its errors.
set(LANZA_PTX_SOURCES)
foreach(file lexer.cpp parser.cpp type.cpp emitter.cpp translate.cpp arithmetic.cpp integer_functions.cpp carry.cpp bits.cpp float_functions.cpp
    comparisons.cpp conversions.cpp moves.cpp memory.cpp atomics.cpp warp_operations.cpp barriers.cpp mbarriers.cpp)
  list(APPEND LANZA_PTX_SOURCES ${CMAKE_CURRENT_LIST_DIR}/${file})
endforeach()
