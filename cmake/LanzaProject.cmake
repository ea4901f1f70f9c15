# Flags that all of Lanza shares, and the functions by which folders declare their parts.
include(GNUInstallDirs)

if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE RelWithDebInfo CACHE STRING "" FORCE)
endif()
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_C_STANDARD 11)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_CXX_VISIBILITY_PRESET hidden)
set(CMAKE_VISIBILITY_INLINES_HIDDEN ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)
set(CMAKE_LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/lib)

# ccache serves what was compiled with a precompiled header only when told that macros and times in it do not matter.
find_program(LANZA_CCACHE ccache)
if(LANZA_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_C_COMPILER_LAUNCHER ${LANZA_CCACHE})
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env CCACHE_SLOPPINESS=pch_defines,time_macros ${LANZA_CCACHE})
endif()

find_package(Threads REQUIRED)

# What every target of Lanza is compiled with.
add_library(lanza_flags INTERFACE)
target_compile_options(lanza_flags INTERFACE -Wall -Wextra -Wno-missing-field-initializers $<$<BOOL:${LANZA_WERROR}>:-Werror>)
target_include_directories(lanza_flags INTERFACE ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR}/src)
target_include_directories(lanza_flags SYSTEM INTERFACE ${PROJECT_SOURCE_DIR}/third_party/fmt
  ${PROJECT_SOURCE_DIR}/third_party/xxhash ${PROJECT_SOURCE_DIR}/third_party/CLI11)
target_compile_definitions(lanza_flags INTERFACE LANZA_VERSION="${PROJECT_VERSION}")
target_link_libraries(lanza_flags INTERFACE Threads::Threads ${CMAKE_DL_LIBS})
add_library(lanza_sanitize INTERFACE)
if(LANZA_SANITIZE)
  target_compile_options(lanza_sanitize INTERFACE -fsanitize=${LANZA_SANITIZE} -fno-omit-frame-pointer)
  target_link_options(lanza_sanitize INTERFACE -fsanitize=${LANZA_SANITIZE})
  string(REGEX MATCH "address|thread" kind ${LANZA_SANITIZE})
  if(kind AND CMAKE_CXX_COMPILER_ID MATCHES Clang) # gcc says so itself
    string(TOUPPER ${kind} kind)
    target_compile_definitions(lanza_sanitize INTERFACE __SANITIZE_${kind}__)
  endif()
endif()

# {fmt}, compiled once: its headers alone put all of it into every file, which then takes twice as long.
add_library(lanza_fmt STATIC ${PROJECT_SOURCE_DIR}/third_party/fmt/fmt.cpp)
target_include_directories(lanza_fmt SYSTEM PRIVATE ${PROJECT_SOURCE_DIR}/third_party/fmt)
target_link_libraries(lanza_fmt PRIVATE lanza_sanitize)
target_link_libraries(lanza_flags INTERFACE lanza_fmt)

# lanza_precompile(target header): the header, of other projects' headers alone, is read once for all of the target's C++.
# A file still includes what it needs: scripts/lint reads changed files without.
option(LANZA_PRECOMPILE "Precompile headers that most files include: half the time to compile what includes LLVM" ON)
function(lanza_precompile target header)
  if(NOT LANZA_PRECOMPILE)
    return()
  endif()
  target_precompile_headers(${target} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:${header}>)
  if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
    target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:-fpch-preprocess>) # ccache asks for it
  else() # clang forgets that libstdc++ asked for silence about its own use of what is deprecated
    target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:-Wno-deprecated-declarations>)
  endif()
endfunction()

# lanza_library(name sources...): a part of liblanza, as objects. Tests link lanza_internal, which holds all parts.
set_property(GLOBAL PROPERTY LANZA_PARTS "")
function(lanza_library name)
  add_library(${name} OBJECT ${ARGN})
  target_link_libraries(${name} PUBLIC lanza_flags lanza_sanitize)
  lanza_precompile(${name} ${PROJECT_SOURCE_DIR}/src/precompiled.hpp)
  set_property(GLOBAL APPEND PROPERTY LANZA_PARTS ${name})
endfunction()

# The compiler plug-in that tests use: a build with sanitizers takes that of another one, which is not instrumented.
set(LANZA_TEST_COMPILER ${CMAKE_BINARY_DIR}/lib/lanza/liblanza-compiler.so CACHE FILEPATH "Compiler plug-in of the tests")

# Tests run once and briefly: compiling them well takes longer than running them does.
set(LANZA_TEST_FLAGS -O0 -g1 CACHE STRING "Flags of the tests' own files, after CMake's")

# lanza_test(name sources... [LIBS libraries...] [LABELS labels...]): a GoogleTest program, run by ctest case by case.
function(lanza_test name)
  cmake_parse_arguments(T "" "" "LIBS;LABELS" ${ARGN})
  add_executable(${name} ${T_UNPARSED_ARGUMENTS})
  target_link_libraries(${name} PRIVATE lanza_internal GTest::gmock GTest::gtest_main ${T_LIBS})
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR}/tests)
  target_compile_options(${name} PRIVATE ${LANZA_TEST_FLAGS})
  if(LANZA_PRECOMPILE AND NOT lanza_llvm IN_LIST T_LIBS) # lanza_llvm: other flags
    target_precompile_headers(${name} REUSE_FROM lanza_test_headers)
  endif()
  set(properties TIMEOUT 300)
  if(T_LABELS)
    list(APPEND properties LABELS ${T_LABELS})
  endif()
  if(gpu IN_LIST T_LABELS)
    list(APPEND properties RUN_SERIAL TRUE) # they look at the device's free memory
  endif()
  gtest_discover_tests(${name} DISCOVERY_MODE PRE_TEST PROPERTIES ${properties})
endfunction()
