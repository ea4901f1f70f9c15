// Stands for headers of the toolkit whose contents are always there. One text under many names: see headers.cmake.
#pragma once
