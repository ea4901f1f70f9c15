# The vector engine's passes, one transformation a file; the folder above lists them with its own.
foreach(file
    block_loop.cpp
    block_uniformity.cpp
    control_graph.cpp
    divergence.cpp
    fold_block_dim.cpp
    group_form.cpp
    linearise.cpp
    mark_unroll.cpp
    narrow_bytes.cpp
    prepare_control.cpp
    prepare_scalars.cpp
    recompute.cpp
    run_form.cpp
    shapes.cpp
    single_lane.cpp
    split_regions.cpp
    split_strided_loops.cpp
    uniform_barriers.cpp
    unify_exits.cpp
    version_guards.cpp
    widen.cpp
    widen_memory.cpp
    widen_serial.cpp
    widen_values.cpp)
  list(APPEND LANZA_PASSES_SOURCES ${CMAKE_CURRENT_LIST_DIR}/${file})
endforeach()
