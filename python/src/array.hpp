// Memory that Python objects offer: through the buffer protocol, DLPack, __cuda_array_interface__ or
// __array_interface__.
#pragma once

#include "python_api.hpp"

#include <lanza/dtype.hpp>
#include <lanza/fwd.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "format.hpp"

namespace lanza::python {

/// An array of another library, held (exported, in the words of the protocols) as long as this lives. Needs the GIL.
class Array {
 public:
  enum class Place : std::uint8_t { Host, Device };

  /// Holds what the object offers; false when it speaks none of the protocols. Raises what the object's own methods
  /// raise, and InvalidArgument for an array in the other byte order or on a device that Lanza does not know.
  bool open(PyObject* object);
  /// The buffer protocol alone, the quick path: false and no Python error when the object does not speak it.
  bool open_buffer(PyObject* object);

  Array() = default;
  Array(const Array&) = delete;
  Array& operator=(const Array&) = delete;
  ~Array();

  Place place = Place::Host;
  DType dtype = DType::Opaque;
  bool contiguous = true;  ///< in C or Fortran order
  bool writable = true;
  std::uint32_t element_size = 0;
  std::uintptr_t address = 0;
  std::size_t bytes = 0;
  int dimensions = 0;
  const detail::DeviceRecord* device = nullptr;  ///< Device: where the memory is; null: the object does not say
  std::uintptr_t producer_stream = 0;            ///< Device: a stream whose work on it must be waited for; 0: none

  std::vector<std::int64_t> shape() const;

 private:
  void set_type(ElementType, std::size_t size);
  bool open_interface(PyObject* object, const char* attribute, Place where);
  bool open_dlpack(PyObject* object);

  Py_buffer view_{};
  nanobind::object capsule_;  // of DLPack: its destructor releases the tensor
  std::vector<std::int64_t> shape_;
};

/// "float64 array (400,)", "int32 array (4, 4) on cuda:0".
std::string describe(const Array&);

}  // namespace lanza::python
