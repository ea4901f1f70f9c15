// new and delete: device-side malloc and free. A new that finds no memory gives a null pointer, as in CUDA. And what a
// function takes of its own stack.
#pragma once

// Standard C++ wants these not to be inline; here nobody can replace them.
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Winline-new-delete"
__LANZA_FN void* operator new(size_t bytes) { return malloc(bytes); }
__LANZA_FN void* operator new[](size_t bytes) { return malloc(bytes); }
__LANZA_FN void operator delete(void* memory) noexcept { free(memory); }
__LANZA_FN void operator delete[](void* memory) noexcept { free(memory); }
__LANZA_FN void operator delete(void* memory, size_t) noexcept { free(memory); }
__LANZA_FN void operator delete[](void* memory, size_t) noexcept { free(memory); }
__LANZA_FN void* operator new(size_t, void* place) noexcept { return place; }
__LANZA_FN void* operator new[](size_t, void* place) noexcept { return place; }
__LANZA_FN void operator delete(void*, void*) noexcept {}
__LANZA_FN void operator delete[](void*, void*) noexcept {}
#pragma clang diagnostic pop

#define alloca(bytes) __builtin_alloca(bytes)
