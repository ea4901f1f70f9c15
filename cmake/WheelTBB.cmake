# In pip's build environment oneTBB comes from the wheel tbb-devel, which puts its CMake files where find_package() does not look.
if(NOT SKBUILD OR TBB_DIR)
  return()
endif()
find_package(Python 3.10 REQUIRED COMPONENTS Interpreter)
execute_process(OUTPUT_VARIABLE found OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET
  COMMAND ${Python_EXECUTABLE} -c "
from importlib.metadata import files
print(next(str(f.locate().resolve().parent) for f in files('tbb-devel') if f.name == 'TBBConfig.cmake'))")
if(found)
  set(TBB_DIR ${found} CACHE PATH "oneTBB of the wheel tbb-devel")
endif()
