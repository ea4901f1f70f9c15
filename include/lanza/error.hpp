// The exceptions that Lanza throws: each message says what failed, with what, what was expected and what to do.
#pragma once

#include <stdexcept>
#include <string>

#include <lanza/export.hpp>

namespace lanza {

/// Base of every exception that Lanza throws. In Python: `lanza.Error`.
class LANZA_API Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
  ~Error() override;
};

/// A value that cannot be used: a block over the limit, arrays of different sizes, a malformed option. Python: also
/// ValueError.
class LANZA_API InvalidArgument : public Error {
 public:
  using Error::Error;
  ~InvalidArgument() override;
};

/// A kernel argument whose type does not fit its parameter. Python: also TypeError.
class LANZA_API ArgumentTypeError : public InvalidArgument {
 public:
  using InvalidArgument::InvalidArgument;
  ~ArgumentTypeError() override;
};

/// A kernel, variable, attribute or file of that name does not exist. Python: also AttributeError and LookupError.
class LANZA_API NotFound : public Error {
 public:
  using Error::Error;
  ~NotFound() override;
};

/// The device's memory does not suffice, after the pool gave back what it held. Python: also MemoryError.
class LANZA_API OutOfMemory : public Error {
 public:
  using Error::Error;
  ~OutOfMemory() override;
};

/// Something that this machine lacks: no driver, no NVRTC, no compiler plug-in. Python: also RuntimeError.
class LANZA_API Unavailable : public Error {
 public:
  using Error::Error;
  ~Unavailable() override;
};

/// The source was not accepted, or the compiler failed. Position is that of the first error. Python: also RuntimeError.
class LANZA_API CompileError : public Error {
 public:
  struct Details {
    std::string file;     ///< source name as in the message; empty when no position is known
    unsigned line = 0;    ///< counted from 1; 0 when unknown
    unsigned column = 0;  ///< counted from 1; 0 when unknown
    std::string log;      ///< everything the compiler said
    std::string options;  ///< the options it was given, separated by spaces
  };
  CompileError(const std::string& message, Details details);
  ~CompileError() override;
  const Details& details() const noexcept { return details_; }

 private:
  Details details_;
};

/// A kernel that could not be launched, or that failed while it ran. Python: also RuntimeError.
class LANZA_API LaunchError : public Error {
 public:
  explicit LaunchError(const std::string& message, std::string kernel = {});
  ~LaunchError() override;
  /// Name of the kernel; empty when it is not known (an asynchronous fault that no launch of ours explains).
  const std::string& kernel() const noexcept { return kernel_; }

 private:
  std::string kernel_;
};

/// A routine of a driver or library failed. Python: also RuntimeError.
class LANZA_API DriverError : public Error {
 public:
  DriverError(const std::string& message, std::string routine, int code, std::string code_name);
  ~DriverError() override;
  const std::string& routine() const noexcept { return routine_; }      ///< e.g. "cuMemcpyHtoDAsync"
  int code() const noexcept { return code_; }                           ///< e.g. 700
  const std::string& code_name() const noexcept { return code_name_; }  ///< e.g. "CUDA_ERROR_ILLEGAL_ADDRESS"

 private:
  std::string routine_, code_name_;
  int code_;
};

}  // namespace lanza
