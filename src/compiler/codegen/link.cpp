#include "compiler/codegen/link.hpp"

#include <mutex>

#include <lld/Common/Driver.h>
#include <llvm/Object/ELFObjectFile.h>
#include <llvm/Support/FileSystem.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Support/raw_ostream.h>

#include "compiler/codegen/runtime.hpp"

LLD_HAS_DRIVER(elf)

using namespace llvm;

namespace lanza::compiler {

// lld ends each link by taking LLVM's options back to their defaults, under the hands of whoever compiles meanwhile.
// Ours are set once (target.cpp): the linker brings that call here (--wrap).
// NOLINTBEGIN(bugprone-reserved-identifier): the name is the linker's.
extern "C" void __wrap__ZN4llvm2cl25ResetAllOptionOccurrencesEv();
extern "C" void __wrap__ZN4llvm2cl25ResetAllOptionOccurrencesEv() {}
// NOLINTEND(bugprone-reserved-identifier)

namespace {

/// A directory of its own for one link, gone afterwards. lld reads and writes files only.
class Scratch {
 public:
  Scratch() { error_ = sys::fs::createUniqueDirectory("lanza", path_); }
  ~Scratch() {
    if (!error_) sys::fs::remove_directories(path_);
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;

  std::error_code error() const { return error_; }
  std::string file(StringRef name) const { return (Twine(path_) + "/" + name).str(); }

 private:
  SmallString<128> path_;
  std::error_code error_;
};

// Most kernels call nothing.
bool needs_runtime(StringRef object) {
  auto file = object::ObjectFile::createELFObjectFile({object, "kernel"});
  if (!file) return consumeError(file.takeError()), true;
  return any_of((*file)->symbols(), [](const object::SymbolRef& symbol) {
    auto flags = symbol.getFlags();
    if (!flags) return consumeError(flags.takeError()), true;
    return (*flags & object::SymbolRef::SF_Undefined) && !(*flags & object::SymbolRef::SF_FormatSpecific);
  });
}

bool write_file(const std::string& path, StringRef bytes, std::string& error) {
  std::error_code code;
  raw_fd_ostream stream(path, code);
  if (!code) {
    stream << bytes;
    stream.close();
    code = stream.error();
  }
  stream.clear_error();
  if (code) error = "cannot write the temporary file " + path + ": " + code.message();
  return !code;
}

}  // namespace

bool link_shared_object(StringRef object, std::string& linked, std::string& error) {
  Scratch scratch;
  if (scratch.error()) {
    error = "cannot make a temporary directory for the linker: " + scratch.error().message();
    return false;
  }
  const std::string input = scratch.file("kernel.o"), runtime = scratch.file("runtime.o"),
                    output = scratch.file("kernel.so");
  if (!write_file(input, object, error)) return false;
  SmallVector<const char*, 20> arguments = {
      "ld.lld", "-shared", "-o", output.c_str(),    input.c_str(),     "--exclude-libs=ALL", "--gc-sections",
      "-z",     "defs",    "-z", "noseparate-code", "--build-id=none", "--threads=1",        "--hash-style=gnu",
      "-O0"};
  if (needs_runtime(object)) {  // of which --gc-sections keeps the functions that are called
    if (!write_file(runtime, runtime_object(), error)) return false;
    arguments.push_back(runtime.c_str());
  }
  std::string log;
  raw_string_ostream stream(log);
  lld::Result result;
  {
    static std::mutex one_at_a_time;
    std::lock_guard lock(one_at_a_time);
    result = lld::lldMain(arguments, stream, stream, {{lld::Gnu, &lld::elf::link}});
  }
  if (result.retCode != 0) {
    error = "linking the kernel failed: " + stream.str();
    return false;
  }
  auto file = MemoryBuffer::getFile(output, /*IsText=*/false, /*RequiresNullTerminator=*/false);
  if (!file) {
    error = "cannot read the linked kernel: " + file.getError().message();
    return false;
  }
  linked = (*file)->getBuffer().str();
  return true;
}

}  // namespace lanza::compiler
