"""`python -m lanza`."""

import pytest
from conftest import run_python

import lanza


def test_info():
    result = run_python("-m", "lanza", "info")
    assert result.returncode == 0
    assert lanza.__version__ in result.stdout
    assert "cpu" in result.stdout


def test_usage():
    for arguments in (["nonsense"], ["run"], ["cache", "nonsense"]):
        result = run_python("-m", "lanza", *arguments)
        assert result.returncode == 2, arguments
        assert result.stderr


def test_cache(tmp_path):
    result = run_python("-m", "lanza", "cache", "path", LANZA_CACHE_DIR=str(tmp_path))
    assert result.stdout.strip() == str(tmp_path)


PROGRAM = """
import sys, os
print(__name__, sys.argv[1:], os.path.basename(sys.argv[0]), sys.path.count(os.path.dirname(os.path.abspath(__file__))) >= 1)
import beside
"""


def test_run(tmp_path):
    (tmp_path / "beside.py").write_text("print('beside')")
    path = tmp_path / "program.py"
    path.write_text(PROGRAM)
    result = run_python("-m", "lanza", "run", str(path), "-x", "--flag", "y")
    assert result.stdout == "__main__ ['-x', '--flag', 'y'] program.py True\nbeside\n", result.stderr
    assert result.returncode == 0


@pytest.mark.parametrize(
    ("statement", "status"), [("sys.exit(7)", 7), ("sys.exit('words')", 1), ("raise ValueError('mine')", 1), ("", 0)]
)
def test_status_of_the_program(tmp_path, statement, status):
    path = tmp_path / "program.py"
    path.write_text(f"import sys\n{statement}\n")
    result = run_python("-m", "lanza", "run", str(path))
    assert result.returncode == status
    if "ValueError" in statement:
        assert "ValueError: mine" in result.stderr
        assert "program.py" in result.stderr


def test_run_a_module():
    result = run_python("-m", "lanza", "run", "-m", "json.tool", "--help")
    assert result.returncode == 0, result.stderr
    assert "usage" in result.stdout


def test_run_without_the_program(tmp_path):
    result = run_python("-m", "lanza", "run", str(tmp_path / "nowhere.py"))
    assert result.returncode != 0
    assert "nowhere.py" in result.stderr
