// Python's C API with what the limited API of 3.10 hides and every CPython from 3.10 on has: the buffer protocol
// (limited API from 3.11) and vectorcall (from 3.12). Layouts and values are those of PEP 3118 and PEP 590, frozen
// since.
#pragma once

#include <nanobind/nanobind.h>

#if defined(Py_LIMITED_API) && Py_LIMITED_API < 0x030B0000
extern "C" {
struct Py_buffer {
  void* buf;
  PyObject* obj;
  Py_ssize_t len;
  Py_ssize_t itemsize;
  int readonly;
  int ndim;
  char* format;
  Py_ssize_t* shape;
  Py_ssize_t* strides;
  Py_ssize_t* suboffsets;
  void* internal;
};
PyAPI_FUNC(int) PyObject_CheckBuffer(PyObject*);
PyAPI_FUNC(int) PyObject_GetBuffer(PyObject*, Py_buffer*, int flags);
PyAPI_FUNC(void) PyBuffer_Release(Py_buffer*);
PyAPI_FUNC(int) PyBuffer_FillInfo(Py_buffer*, PyObject*, void* buf, Py_ssize_t len, int readonly, int flags);
}
#define PyBUF_WRITABLE 0x0001
#define PyBUF_FORMAT 0x0004
#define PyBUF_ND 0x0008
#define PyBUF_STRIDES (0x0010 | PyBUF_ND)
#define PyBUF_FULL_RO (0x0100 | PyBUF_STRIDES | PyBUF_FORMAT)
#define Py_bf_getbuffer 1
#define Py_bf_releasebuffer 2
#endif

#if defined(Py_LIMITED_API) && Py_LIMITED_API < 0x030C0000
extern "C" {
using vectorcallfunc = PyObject* (*)(PyObject* callable, PyObject* const* args, std::size_t nargsf, PyObject* kwnames);
PyAPI_FUNC(PyObject*) PyVectorcall_Call(PyObject* callable, PyObject* tuple, PyObject* dict);
}
#define Py_TPFLAGS_HAVE_VECTORCALL (1UL << 11)
#endif
