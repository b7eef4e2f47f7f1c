from __future__ import annotations

from pathlib import Path

from likewise.plugin.code import Code
from likewise.plugin.code import identify as identify_code


def identify(root: Path) -> Code:
    return identify_code(root, ["test_*.py", "*_test.py"], ["test", "Test"])


def test_code_is_the_same_when_its_python_files_are(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("1")
    first = identify(tmp_path)
    (tmp_path / "notes.json").write_text("{}")
    (tmp_path / ".hidden").mkdir()
    (tmp_path / ".hidden" / "b.py").write_text("2")
    (tmp_path / "venv").mkdir()
    (tmp_path / "venv" / "pyvenv.cfg").write_text("")
    (tmp_path / "venv" / "c.py").write_text("3")
    (tmp_path / "dangling.py").symlink_to(tmp_path / "nowhere")
    assert identify(tmp_path) == first
    (tmp_path / "a.py").write_text("2")
    assert identify(tmp_path) != first


def test_a_test_file_matters_to_its_own_tests_only(tmp_path: Path) -> None:
    (tmp_path / "conftest.py").write_text("x = 1")
    (tmp_path / "test_a.py").write_text("1")
    (tmp_path / "test_b.py").write_text("1")
    before = identify(tmp_path)
    (tmp_path / "test_a.py").write_text("2")
    after = identify(tmp_path)
    assert after.whole != before.whole
    assert after.parts["test_a.py"] != before.parts["test_a.py"]
    assert after.parts["test_b.py"] == before.parts["test_b.py"]
    (tmp_path / "conftest.py").write_text("x = 2")
    changed = identify(tmp_path)
    assert changed.parts["test_b.py"] != after.parts["test_b.py"]


def test_a_test_file_that_another_file_mentions_matters_to_all(tmp_path: Path) -> None:
    """An import, a text given to importlib, a name in a list of plugins: each may bring it in."""
    for mention in (
        "from test_a import helper",
        "import_module('tests.test_a')",
        "pytest_plugins = ['test_a']",
    ):
        (tmp_path / "test_a.py").write_text("1")
        (tmp_path / "test_b.py").write_text(mention)
        before = identify(tmp_path)
        assert "test_a.py" not in before.parts
        (tmp_path / "test_a.py").write_text("2")
        assert identify(tmp_path).parts["test_b.py"] != before.parts["test_b.py"]


def test_files_of_one_name_are_not_told_apart(tmp_path: Path) -> None:
    for folder in ("one", "two"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "test_a.py").write_text(folder)
    assert identify(tmp_path).parts == {}


MODULE = """
import os

def helper():
    return 1

@marked
def test_one(): {one}

class TestTwo:
    def test_it(self): pass

def test_three():
    test_four()

def test_four(): {four}
"""


def test_a_test_matters_to_itself_only(tmp_path: Path) -> None:
    path = tmp_path / "test_a.py"
    path.write_text(MODULE.format(one="1", four="1"))
    before = identify(tmp_path).parts
    assert sorted(before) == [
        "test_a.py",
        "test_a.py::TestTwo",
        "test_a.py::test_one",
        "test_a.py::test_three",
    ]
    path.write_text(MODULE.format(one="\n    return 2", four="1"))
    after = identify(tmp_path).parts
    assert {name for name in before if before[name] != after[name]} == {"test_a.py", "test_a.py::test_one"}


def test_what_tests_share_matters_to_all_of_them(tmp_path: Path) -> None:
    """A helper, a decorator, a test that another one calls."""
    path = tmp_path / "test_a.py"
    path.write_text(MODULE.format(one="1", four="1"))
    before = identify(tmp_path).parts
    for changed in (MODULE.replace("return 1", "return 2"), MODULE.replace("four}", "four}{four}")):
        path.write_text(changed.format(one="1", four="1"))
        after = identify(tmp_path).parts
        assert before.keys() == after.keys()
        assert all(before[name] != after[name] for name in before)


def test_a_file_that_is_no_python_is_one_part(tmp_path: Path) -> None:
    (tmp_path / "test_a.py").write_text("def test_one(:\n")
    assert list(identify(tmp_path).parts) == ["test_a.py"]
