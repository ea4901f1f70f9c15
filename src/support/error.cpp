// The exceptions' out-of-line parts: one home for their type information, so that catching works across shared objects.
#include <lanza/error.hpp>

#include <utility>

namespace lanza {

Error::~Error() = default;
InvalidArgument::~InvalidArgument() = default;
ArgumentTypeError::~ArgumentTypeError() = default;
NotFound::~NotFound() = default;
OutOfMemory::~OutOfMemory() = default;
Unavailable::~Unavailable() = default;

CompileError::CompileError(const std::string& message, Details details)
    : Error(message), details_(std::move(details)) {}
CompileError::~CompileError() = default;

LaunchError::LaunchError(const std::string& message, std::string kernel) : Error(message), kernel_(std::move(kernel)) {}
LaunchError::~LaunchError() = default;

DriverError::DriverError(const std::string& message, std::string routine, int code, std::string code_name)
    : Error(message), routine_(std::move(routine)), code_name_(std::move(code_name)), code_(code) {}
DriverError::~DriverError() = default;

}  // namespace lanza
