from __future__ import annotations

from pathlib import Path

from likewise.plugin.code import identify

PATTERNS = ["test_*.py", "*_test.py"]


def test_code_is_the_same_when_its_python_files_are(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("1")
    first = identify(tmp_path, PATTERNS)
    (tmp_path / "notes.json").write_text("{}")
    (tmp_path / ".hidden").mkdir()
    (tmp_path / ".hidden" / "b.py").write_text("2")
    (tmp_path / "venv").mkdir()
    (tmp_path / "venv" / "pyvenv.cfg").write_text("")
    (tmp_path / "venv" / "c.py").write_text("3")
    (tmp_path / "dangling.py").symlink_to(tmp_path / "nowhere")
    assert identify(tmp_path, PATTERNS) == first
    (tmp_path / "a.py").write_text("2")
    assert identify(tmp_path, PATTERNS) != first


def test_a_test_file_matters_to_its_own_tests_only(tmp_path: Path) -> None:
    (tmp_path / "conftest.py").write_text("x = 1")
    (tmp_path / "test_a.py").write_text("1")
    (tmp_path / "test_b.py").write_text("1")
    before = identify(tmp_path, PATTERNS)
    (tmp_path / "test_a.py").write_text("2")
    after = identify(tmp_path, PATTERNS)
    assert after.whole != before.whole
    assert after.by_file["test_a.py"] != before.by_file["test_a.py"]
    assert after.by_file["test_b.py"] == before.by_file["test_b.py"]
    (tmp_path / "conftest.py").write_text("x = 2")
    changed = identify(tmp_path, PATTERNS)
    assert changed.by_file["test_b.py"] != after.by_file["test_b.py"]


def test_a_test_file_that_another_file_mentions_matters_to_all(tmp_path: Path) -> None:
    """An import, a text given to importlib, a name in a list of plugins: each may bring it in."""
    for mention in (
        "from test_a import helper",
        "import_module('tests.test_a')",
        "pytest_plugins = ['test_a']",
    ):
        (tmp_path / "test_a.py").write_text("1")
        (tmp_path / "test_b.py").write_text(mention)
        before = identify(tmp_path, PATTERNS)
        assert "test_a.py" not in before.by_file
        (tmp_path / "test_a.py").write_text("2")
        assert identify(tmp_path, PATTERNS).by_file["test_b.py"] != before.by_file["test_b.py"]


def test_files_of_one_name_are_not_told_apart(tmp_path: Path) -> None:
    for folder in ("one", "two"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "test_a.py").write_text(folder)
    assert identify(tmp_path, PATTERNS).by_file == {}
