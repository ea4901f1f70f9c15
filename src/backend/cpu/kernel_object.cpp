// A compiled kernel, loaded by dlopen from the cache's file or from memory.
#include "backend/cpu/kernel_object.hpp"

#include <dlfcn.h>
#include <fmt/format.h>
#include <link.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include <lanza/error.hpp>

#include "support/file.hpp"

namespace lanza::executor {

KernelObject::KernelObject(const std::filesystem::path& path, int descriptor) : path_(path), descriptor_(descriptor) {
  handle_ = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!handle_) {
    const char* why = dlerror();
    throw Error(
        fmt::format("the compiled kernel {} cannot be loaded: {}", path.string(), why ? why : "unknown reason"));
  }
  table_ = static_cast<const LanzaKernelObject*>(dlsym(handle_, LANZA_KERNEL_SYMBOL));
  if (table_ && table_->abi == LANZA_KERNEL_ABI && table_->run) {
    register_code();
    return;
  }
  dlclose(std::exchange(handle_, nullptr));
  throw Error(fmt::format("the file {} holds no kernel of this version of Lanza", path.string()));
}

// Its executable segment, by the headers that stand at the beginning of the first one.
void KernelObject::register_code() noexcept {
  link_map* map = nullptr;
  if (dlinfo(handle_, RTLD_DI_LINKMAP, &map) != 0) return;
  base_ = map->l_addr;
  const auto* header = reinterpret_cast<const ElfW(Ehdr)*>(base_);
  const auto* segments = reinterpret_cast<const ElfW(Phdr)*>(base_ + header->e_phoff);
  for (unsigned i = 0; i < header->e_phnum; ++i) {
    const auto& s = segments[i];
    if (s.p_type == PT_LOAD && (s.p_flags & PF_X)) code_.set(base_ + s.p_vaddr, base_ + s.p_vaddr + s.p_memsz, this);
  }
}

KernelObject::~KernelObject() {
  code_.clear();
  if (handle_) dlclose(handle_);
  if (descriptor_ >= 0) close(descriptor_);
}

std::shared_ptr<const KernelObject> KernelObject::open(const std::filesystem::path& path) {
  return std::shared_ptr<const KernelObject>(new KernelObject(path, -1));
}

std::shared_ptr<const KernelObject> KernelObject::open(std::string_view bytes, const std::string& name) {
  const int descriptor = memfd_create(name.substr(0, 200).c_str(), MFD_CLOEXEC);
  if (descriptor < 0) throw Error(fmt::format("no memory for the code of kernel {}: {}", name, std::strerror(errno)));
  try {
    for (std::size_t done = 0; done < bytes.size();) {
      const auto n = write(descriptor, bytes.data() + done, bytes.size() - done);
      if (n < 0 && errno == EINTR) continue;
      if (n <= 0) throw Error(fmt::format("no memory for the code of kernel {}: {}", name, std::strerror(errno)));
      done += static_cast<std::size_t>(n);
    }
    // The loader knows libraries by name: the descriptor, and with it the name, stays taken as long as the code is
    // loaded.
    const auto path = fmt::format("/proc/{}/fd/{}", getpid(), descriptor);
    return std::shared_ptr<const KernelObject>(new KernelObject(path, descriptor));
  } catch (...) {
    close(descriptor);
    throw;
  }
}

std::optional<SourceLine> KernelObject::line_of(std::uintptr_t instruction) const {
  return find_line(image(), instruction - base_);
}

std::string KernelObject::image() const { return path_.empty() ? "" : read_file(path_).value_or(""); }

}  // namespace lanza::executor
