"""Virtual functions: of local objects, of shared memory, of objects that another kernel made; with barriers; pure ones."""

import numpy as np
import pytest
from harness import case

import lanza

THREAD = "const int t = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);\n"
SHAPES = """
struct Shape {
  int size;
  __device__ explicit Shape(int size) : size(size) {}
  __device__ virtual int area() const = 0;
  __device__ virtual int corners() const { return 0; }
  __device__ virtual ~Shape() {}
};
struct Square : Shape {
  __device__ explicit Square(int size) : Shape(size) {}
  __device__ int area() const override { return size * size; }
  __device__ int corners() const override { return 4; }
};
struct Strip : Shape {
  int width;
  __device__ Strip(int size, int width) : Shape(size), width(width) {}
  __device__ int area() const override { return size * width; }
};
"""


def shape_values(t, size=3):
    return np.where(t % 2, (t + 1) ** 2 * 10 + 4, (t + 1) * size * 10)


@case
def virtual_of_a_local_object(run):
    """Objects of a thread, called through a reference to their base."""
    out = np.zeros(run.threads, np.int32)
    source = f"""{SHAPES}
    __device__ int ask(const Shape& s) {{ return s.area() * 10 + s.corners(); }}
    __global__ void k(int* out) {{
      {THREAD}
      Square square(t + 1);
      Strip strip(t + 1, 3);
      out[t] = t % 2 ? ask(square) : ask(strip);
    }}
    """
    run(source, out)
    run.same(out, shape_values(np.arange(run.threads)))


@case
def virtual_of_objects_in_shared_memory(run):
    """Objects that one thread makes in shared memory and all call."""
    out = np.zeros(run.threads, np.int32)
    source = f"""{SHAPES}
    #include <new>
    __global__ void k(int* out) {{
      {THREAD}
      __shared__ __align__(16) char memory[2][sizeof(Strip)];
      Shape* shapes[] = {{(Shape*)memory[0], (Shape*)memory[1]}};
      if (t == 0) {{
        new (memory[0]) Strip(5, 3);
        new (memory[1]) Square(5);
      }}
      __syncthreads();
      Shape* mine = shapes[t % 2];
      out[t] = mine->area() * 10 + mine->corners();
      __syncthreads();
      if (t == 0) {{ shapes[0]->~Shape(); shapes[1]->~Shape(); }}
    }}
    """
    run(source.replace("#include <new>\n", ""), out)
    t = np.arange(run.threads)
    run.same(out, np.where(t % 2, 254, 150))


@case
def virtual_of_objects_from_another_launch(run):
    """Objects that one kernel makes by new, a second one calls and a third one deletes, virtually."""
    out, table = np.zeros(run.threads, np.int32), np.zeros(run.threads, np.uint64)
    source = f"""{SHAPES}
    __global__ void make(Shape** all) {{
      {THREAD}
      if (t % 2) all[t] = new Square(t + 1); else all[t] = new Strip(t + 1, 3);
    }}
    __global__ void ask(Shape** all, int* out) {{ {THREAD} out[t] = all[t]->area() * 10 + all[t]->corners(); }}
    __global__ void end(Shape** all) {{ {THREAD} delete all[t]; }}
    """
    device = lanza.to_device(table, run.device) if run.engine != "nvrtc" else table
    run(source, device, kernel="make")
    run(source, device, out, kernel="ask")
    run(source, device, kernel="end")
    run.same(out, shape_values(np.arange(run.threads)))


@case
def virtual_with_several_bases(run):
    """Multiple and virtual inheritance: the callee finds its object behind each of its bases."""
    out = np.zeros((3, run.threads), np.int32)
    source = f"""
    struct Top {{ int top = 1; __device__ virtual int value() {{ return top; }} }};
    struct Left : virtual Top {{ int left = 2; __device__ virtual int side() {{ return left; }} }};
    struct Right : virtual Top {{ int right = 3; __device__ virtual int other() {{ return right; }} }};
    struct Bottom : Left, Right {{
      int bottom;
      __device__ explicit Bottom(int b) : bottom(b) {{}}
      __device__ int value() override {{ return top + bottom; }}
      __device__ int side() override {{ return left * 100 + bottom; }}
      __device__ int other() override {{ return right * 1000 + bottom; }}
    }};
    __device__ __noinline__ int of_top(Top* p) {{ return p->value(); }}
    __device__ __noinline__ int of_left(Left* p) {{ return p->side(); }}
    __device__ __noinline__ int of_right(Right* p) {{ return p->other(); }}
    __global__ void k(int* out) {{
      {THREAD}
      const int n = blockDim.x * blockDim.y * blockDim.z;
      Bottom object(t);
      Left plain;
      out[t] = of_top(t % 2 ? (Top*)&object : &plain);
      out[n + t] = of_left(t % 2 ? &object : &plain);
      out[2 * n + t] = of_right(&object);
    }}
    """
    run(source, out)
    t = np.arange(run.threads)
    run.same(out, [np.where(t % 2, 1 + t, 1), np.where(t % 2, 200 + t, 2), 3000 + t])


@case
def virtual_destructors(run):
    """delete through the base runs the destructors from the derived class down."""
    out = np.zeros(run.threads, np.int32)
    source = f"""
    struct Base {{
      int* log;
      __device__ explicit Base(int* log) : log(log) {{}}
      __device__ virtual ~Base() {{ *log = *log * 10 + 1; }}
    }};
    struct Derived : Base {{
      using Base::Base;
      __device__ ~Derived() override {{ *log = *log * 10 + 2; }}
    }};
    __global__ void k(int* out) {{
      {THREAD}
      Base* p = t % 2 ? new Derived(out + t) : new Base(out + t);
      delete p;
    }}
    """
    run(source, out)
    t = np.arange(run.threads)
    run.same(out, np.where(t % 2, 21, 1))


@case
def virtual_function_with_a_barrier(run):
    """A virtual function that reduces over the block, of an object in shared memory."""
    out = np.zeros(run.threads, np.int32)
    source = f"""
    struct Reduction {{
      __device__ virtual int combine(int a, int b) const = 0;
      __device__ virtual int start() const = 0;
      __device__ virtual int all(int* s, int t, int n, int x) const {{
        s[t] = x;
        __syncthreads();
        int result = start();
        for (int i = 0; i < n; ++i) result = combine(result, s[i]);
        __syncthreads();
        return result;
      }}
    }};
    struct Sum : Reduction {{
      __device__ int combine(int a, int b) const override {{ return a + b; }}
      __device__ int start() const override {{ return 0; }}
    }};
    struct Most : Reduction {{
      __device__ int combine(int a, int b) const override {{ return a > b ? a : b; }}
      __device__ int start() const override {{ return -1; }}
    }};
    __global__ void k(int* out) {{
      {THREAD}
      const int n = blockDim.x * blockDim.y * blockDim.z;
      __shared__ int s[1024];
      Sum sum; Most most;
      const Reduction* both[] = {{&sum, &most}};
      int result = 0;
      for (const Reduction* r : both) result = result * 1000 + r->all(s, t, n, t % 7);
      out[t] = result;
    }}
    """
    run(source, out)
    values = np.arange(run.threads) % 7
    run.same(out, values.sum() * 1000 + values.max())


@case(blocks=[1, 64], cpu_only=True, reason="a GPU traps, and its context is lost with it")
def pure_virtual_call_is_an_error(run):
    """A virtual function called from the base's constructor, where it is pure still."""
    source = """
    struct Base {
      int x;
      __device__ Base() { ask(); }
      __device__ virtual int value() const = 0;
      __device__ __noinline__ void ask() { x = value(); }
    };
    struct Derived : Base { __device__ int value() const override { return 3; } };
    __global__ void k(int* out) { Derived d; out[0] = d.x; }
    """
    with pytest.raises(lanza.LaunchError, match=r"pure virtual function in block \(0,0,0\)"):
        run(source, np.zeros(run.threads, np.int32))
