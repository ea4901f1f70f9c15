// What the shared library exports; everything else has hidden visibility.
#pragma once

#define LANZA_API __attribute__((visibility("default")))
