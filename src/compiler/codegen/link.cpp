#include "compiler/codegen/link.hpp"

#include <mutex>

#include <lld/Common/Driver.h>
#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/StringSet.h>
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

// Symbols that one of the objects wants and none of them has. False: the file cannot be read.
bool find_symbols(StringRef object, StringSet<>& wanted, StringSet<>& defined) {
  auto file = object::ObjectFile::createELFObjectFile({object, "kernel"});
  if (!file) return consumeError(file.takeError()), false;
  for (const object::SymbolRef& symbol : (*file)->symbols()) {
    auto flags = symbol.getFlags();
    auto name = symbol.getName();
    if (!flags || !name) return consumeError(joinErrors(flags.takeError(), name.takeError())), false;
    if (*flags & object::SymbolRef::SF_FormatSpecific) continue;
    (*flags & object::SymbolRef::SF_Undefined ? wanted : defined).insert(*name);
  }
  return true;
}

// Most kernels call nothing.
bool needs_runtime(ArrayRef<std::string> objects) {
  StringSet<> wanted, defined;
  for (const std::string& object : objects)
    if (!find_symbols(object, wanted, defined)) return true;
  return any_of(wanted, [&](const auto& symbol) { return !defined.contains(symbol.getKey()); });
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

bool link_shared_object(ArrayRef<std::string> objects, std::string& linked, std::string& error) {
  Scratch scratch;
  if (scratch.error()) {
    error = "cannot make a temporary directory for the linker: " + scratch.error().message();
    return false;
  }
  const std::string runtime = scratch.file("runtime.o"), output = scratch.file("kernel.so");
  std::vector<std::string> inputs;
  for (const auto& [i, object] : enumerate(objects)) {
    inputs.push_back(scratch.file("kernel" + std::to_string(i) + ".o"));
    if (!write_file(inputs.back(), object, error)) return false;
  }
  SmallVector<const char*, 20> arguments = {"ld.lld",
                                            "-shared",
                                            "-o",
                                            output.c_str(),
                                            "--exclude-libs=ALL",
                                            "--gc-sections",
                                            "-z",
                                            "defs",
                                            "-z",
                                            "noseparate-code",
                                            "--build-id=none",
                                            "--threads=1",
                                            "--hash-style=gnu",
                                            "-O0"};
  for (const std::string& input : inputs) arguments.push_back(input.c_str());
  if (needs_runtime(objects)) {  // of which --gc-sections keeps the functions that are called
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
