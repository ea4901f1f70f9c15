# Writes the header with the version of the compiler: a digest of all that decides what a source compiles to. It is part of the keys of the
# disk cache, and liblanza takes only a plug-in of its own version.
#   cmake -DROOT=<src/compiler> -DLLVM=<version> -DOUTPUT=<header> -P version.cmake
file(GLOB_RECURSE files RELATIVE ${ROOT} ${ROOT}/*.c ${ROOT}/*.cpp ${ROOT}/*.h ${ROOT}/*.hpp ${ROOT}/*.cuh ${ROOT}/*.S ${ROOT}/*.in
  ${ROOT}/*.cmake ${ROOT}/CMakeLists.txt ${ROOT}/prelude/*)
list(REMOVE_DUPLICATES files)
list(SORT files)
set(sum "")
foreach(name IN LISTS files)
  file(SHA256 ${ROOT}/${name} digest)
  string(APPEND sum "${name} ${digest}\n")
endforeach()
string(SHA256 digest "${sum}")
string(SUBSTRING ${digest} 0 32 digest)
file(STRINGS ${ROOT}/interface.h interface REGEX "#define LANZA_COMPILER_INTERFACE [0-9]+")
string(REGEX REPLACE "[^0-9]" "" interface "${interface}")

set(text "// Generated. Version of the compiler: number of its interface, LLVM, digest of its sources.\n#define LANZA_COMPILER_VERSION \"${interface}-llvm${LLVM}-${digest}\"\n")
set(old "")
if(EXISTS ${OUTPUT})
  file(READ ${OUTPUT} old)
endif()
if(NOT text STREQUAL old)
  file(WRITE ${OUTPUT} "${text}")
endif()
