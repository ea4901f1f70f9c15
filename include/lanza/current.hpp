// The device, context and stream that are current on a thread.
#pragma once

#include <cstdint>

#include <lanza/context.hpp>
#include <lanza/stream.hpp>

namespace lanza {

/// Makes a device, context or stream current on this thread for as long as the object lives; then what was current
/// before is so again. What takes a device or stream by default takes the current one. Destroy it on the thread that
/// made it.
///
///     lanza::Current guard(stream);
///     kernel({.block = 256}, buffer);   // on `stream`
class LANZA_API Current {
 public:
  explicit Current(const Device&);
  explicit Current(const Context&);
  explicit Current(const Stream&);
  ~Current();
  Current(const Current&) = delete;
  Current& operator=(const Current&) = delete;

 private:
  std::uint64_t token_;
};

}  // namespace lanza
