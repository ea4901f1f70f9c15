# lit's configuration for the FileCheck tests; run by ctest, see CMakeLists.txt.
import lit.formats

config.name = "lanza-passes"  # noqa: F821
config.test_format = lit.formats.ShTest(execute_external=False)  # noqa: F821
config.suffixes = [".ll"]  # noqa: F821
config.test_exec_root = lit_config.params["scratch"]  # noqa: F821
config.substitutions += [  # noqa: F821
    ("%opt", lit_config.params["lanza_opt"]),  # noqa: F821
    ("%check", lit_config.params["filecheck"]),  # noqa: F821
]
