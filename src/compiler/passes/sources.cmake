# The passes: one transformation a file.
set(LANZA_PASSES_SOURCES)
foreach(file abi_types.cpp blocking_loops.cpp called_functions.cpp carry_stored.cpp clamp_choices.cpp clamp_conversions.cpp clamp_shifts.cpp choose_extrema.cpp contract.cpp copied_functions.cpp coroutine_split.cpp covered_stores.cpp cycle_ways.cpp dead_stores.cpp debug_variables.cpp device_pipeline.cpp directed_sums.cpp drop_expectations.cpp dynamic_allocas.cpp equal_turns.cpp extract_kernel.cpp fence_integers.cpp find_remainders.cpp flat_records.cpp float_ranges.cpp flush_denormals.cpp fold_arguments.cpp fold_reflect.cpp
    guard_division.cpp half_tiles.cpp hidden_context.cpp host_functions.cpp idle_extrema.cpp implicit_points.cpp indirect_calls.cpp inline_calls.cpp inverse_roots.cpp join_equals.cpp join_extensions.cpp join_guards.cpp join_stores.cpp kept_addresses.cpp lane_functions.cpp lane_loop.cpp linear_index.cpp lone_ends.cpp lower_barriers.cpp lower_ptx.cpp nan_choices.cpp near_remainders.cpp note_lanes.cpp pass_runner.cpp read_bools.cpp record_writes.cpp register_notes.cpp residue_turns.cpp retarget.cpp rotate_loops.cpp
    saturate_conversions.cpp share_extensions.cpp share_restrict.cpp shared_constants.cpp short_launches.cpp small_quotients.cpp sync_calls.cpp thread_context.cpp thread_engine.cpp
    user_locations.cpp
    lower_asm_state.cpp translate_asm.cpp window_loops.cpp won_swaps.cpp zero_choices.cpp)
  list(APPEND LANZA_PASSES_SOURCES ${CMAKE_CURRENT_LIST_DIR}/${file})
endforeach()
include(${CMAKE_CURRENT_LIST_DIR}/vector/sources.cmake)
