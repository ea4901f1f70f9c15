/* The compiled freestanding runtime as bytes of the plug-in. LANZA_RUNTIME_OBJECT is its path. */
__asm__(
    ".section .rodata\n"
    ".global lanza_runtime_object\n.hidden lanza_runtime_object\n"
    ".global lanza_runtime_object_end\n.hidden lanza_runtime_object_end\n"
    ".balign 8\n"
    "lanza_runtime_object:\n.incbin \"" LANZA_RUNTIME_OBJECT
    "\"\n"
    "lanza_runtime_object_end:\n"
    ".previous\n");
