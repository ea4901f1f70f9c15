// Names that the public headers share before they are defined. Handles share ownership of records, which are internal.
#pragma once

namespace lanza {

class Device;
class Context;
class Stream;
class StreamView;
class Event;
class Module;
class Kernel;

namespace detail {
struct DeviceRecord;
struct ContextRecord;
struct StreamRecord;
struct EventRecord;
struct BufferRecord;
struct ModuleRecord;
struct KernelRecord;
}  // namespace detail

}  // namespace lanza
