// Python objects as arguments of a launch, and the wrappers in_, out and inout.
#pragma once

#include "python_api.hpp"

#include <lanza/arguments.hpp>
#include <lanza/kernel.hpp>

#include <cstddef>
#include <string>

#include "array.hpp"
#include "fixed_vector.hpp"

namespace lanza::python {

/// The arguments of one launch: what the binder of liblanza takes, and the arrays that it points into, held until this
/// goes.
class Arguments {
 public:
  /// Converts them; needs the GIL. What fits no parameter is left for the binder to refuse, so that errors have one
  /// form.
  Arguments(PyObject* const* objects, std::size_t count, const Kernel& kernel);

  const detail::Argument* data() { return list_.data(); }
  std::size_t size() const { return list_.size(); }
  PyObject* object(std::size_t i) const { return objects_[i]; }
  /// Whether the launch writes host memory: only then is there something to wait for.
  bool touches_host() const { return touches_host_; }
  /// The stream waits for those that other libraries say still work on their arrays.
  void order_after_producers(const Stream& stream);
  /// Keeps the objects alive until the work that the stream holds now is done.
  void keep_until_done(detail::StreamRecord& stream) const;

 private:
  void add(PyObject* object);
  void add_integer(PyObject* object);
  void add_float(PyObject* object);
  void add_complex(PyObject* object);
  void add_wrapped(PyObject* object);
  void add_other(PyObject* object);
  bool add_array(PyObject* object, detail::Argument::Mode mode);
  void add_by_value(const Array& array);
  void add_device_array(Array& array, detail::Argument::Mode mode);
  void add_misfit();
  const Parameter* parameter() const;
  std::string prefix() const;

  PyObject* const* objects_;
  const Kernel& kernel_;
  const Signature& signature_;
  FixedVector<detail::Argument, 16> list_;
  FixedVector<Array, 6> arrays_;
  bool touches_host_ = false;
  bool has_producers_ = false;
};

/// "float64 array (400,)", "float32 buffer (16,) on cuda:0", "int 300": the object as an argument, for messages.
std::string describe_argument(PyObject* object);

}  // namespace lanza::python
