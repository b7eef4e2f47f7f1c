"""What a client's folder says about its requirements, and how failures of installers read."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from pathlib import Path

import pytest

from likewise.library.environments import (
    InstallFailed,
    ResolutionImpossible,
    VersionAbsent,
    building,
    find_recipe,
    same_version,
)
from likewise.library.environments.building import Builder, interpreter
from likewise.library.environments.installers import Pip, Source, explain
from likewise.library.environments.names import Distribution, Inventory
from likewise.library.environments.recipe import Recipe, RequirementsUnclear, named
from likewise.library.runs import Finished, SuiteUnusable, parse_suite
from likewise.library.runs import explain as explain_run


def test_a_folder_that_says_nothing_has_an_empty_recipe(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text("[tool.ruff]\nline-length = 100\n")
    assert find_recipe(tmp_path).is_empty


def test_requirements_files_extras_and_groups_are_found(tmp_path: Path) -> None:
    (tmp_path / "requirements.txt").write_text("six\n")
    (tmp_path / "requirements").mkdir()
    (tmp_path / "requirements" / "test.txt").write_text("mock\n")
    (tmp_path / "pyproject.toml").write_text(
        """
        [project]
        name = "client"
        [project.optional-dependencies]
        test = ["mock"]
        docs = ["sphinx"]
        [dependency-groups]
        lint = ["ruff"]
        base = ["pytest-mock>=3"]
        test = [{include-group = "base"}, "freezegun"]
        """
    )
    found = find_recipe(tmp_path)
    assert [path.name for path in found.files] == ["requirements.txt", "test.txt"]
    assert (found.project, found.extras) == (True, ("test",))
    assert found.requirements == ("pytest-mock>=3", "freezegun")


def test_what_the_user_names_replaces_what_would_be_found(tmp_path: Path) -> None:
    (tmp_path / "setup.py").write_text("extras_require={'test': ['a'], 'other': ['b']}")
    own = tmp_path / "mine.txt"
    own.write_text("six\n")
    found = find_recipe(tmp_path, files=(own,))
    assert (found.files, found.extras) == ((own,), ())
    assert find_recipe(tmp_path, extras=("other",)).extras == ("other",)
    assert not find_recipe(tmp_path, install_project=False).project


def test_an_extra_that_does_not_exist_is_named(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text(
        "[project]\nname='c'\n[project.optional-dependencies]\ntest=[]\n"
    )
    with pytest.raises(RequirementsUnclear, match=r"no extra 'tets'.*It has: test"):
        find_recipe(tmp_path, extras=("tets",))


@pytest.mark.parametrize(
    ("wanted", "expected"),
    [("^1.2", "six>=1.2,<2"), ("~1.2.3", "six>=1.2.3,<1.3"), ("^0.3.1", "six>=0.3.1,<0.4"), ("*", "six")],
)
def test_requirements_of_poetry_are_understood(tmp_path: Path, wanted: str, expected: str) -> None:
    (tmp_path / "pyproject.toml").write_text(
        f'[tool.poetry.group.dev.dependencies]\npython = "^3.9"\nsix = "{wanted}"\n'
    )
    assert find_recipe(tmp_path).requirements == (expected,)


def test_versions_have_several_spellings() -> None:
    assert same_version("2.9", "2.9.0")
    assert not same_version("2.9", "2.90")
    assert named("Foo_Bar>=1 ; python_version > '3'") == "foo-bar"


def test_a_distribution_is_found_by_its_name_or_by_its_module() -> None:
    dateutil = Distribution(name="python-dateutil", version="2.9", modules=("dateutil",))
    inventory = Inventory(
        python=Path("python"), prefix="/p", release=(3, 11), distributions={"python-dateutil": dateutil}
    )
    assert inventory.find("Python_Dateutil") is dateutil
    assert inventory.find("dateutil") is dateutil
    assert inventory.find("six") is None


CONFLICT = """
ERROR: Cannot install a==1 and b==2 because these package versions have conflicting dependencies.
The conflict is caused by:
    a 1 depends on c<2
    b 2 depends on c>=2
ERROR: ResolutionImpossible: for help visit …
"""


@pytest.mark.parametrize(
    ("said", "error", "words"),
    [
        (CONFLICT, ResolutionImpossible, "a 1 depends on c<2; b 2 depends on c>=2"),
        (
            "ERROR: Could not find a version that satisfies the requirement six==99 (from versions: 1.15.0, "
            "1.16.0)\nERROR: No matching distribution found for six==99",
            VersionAbsent,
            "there are 1.15.0, 1.16.0",
        ),
        ("error: subprocess-exited-with-error\n  gcc: not found", InstallFailed, "cannot be built"),
        ("Failed to establish a new connection: [Errno -2]", InstallFailed, "--wheels DIR"),
    ],
)
def test_a_failing_installation_says_why(said: str, error: type[Exception], words: str) -> None:
    found = explain(said, what="the requirements", where="log")
    assert type(found) is error
    assert words in str(found)


@pytest.mark.parametrize(
    ("said", "words"),
    [
        ("E   ModuleNotFoundError: No module named 'freezegun'", "needs 'freezegun'.*--extra"),
        ("E       fixture 'mocker' not found", "plugin that gives the fixture 'mocker'"),
        ("error: unrecognized arguments: --cov=x", "need a pytest plugin: --cov=x"),
    ],
)
def test_a_suite_that_cannot_run_says_what_it_lacks(said: str, words: str) -> None:
    with pytest.raises(SuiteUnusable, match=words):
        raise explain_run(Finished(code=2, output=said), where="x")


@pytest.mark.parametrize(
    "command",
    [["pytest", "-q", "tests"], ["python3.11", "-m", "pytest", "-q", "tests"], ["py.test", "-q", "tests"]],
)
def test_a_suite_is_a_pytest_command(command: list[str], tmp_path: Path) -> None:
    assert parse_suite(command, tmp_path).arguments == ("-q", "tests")


def test_anything_else_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SuiteUnusable, match="-- pytest tests"):
        parse_suite(["make", "test"], tmp_path)


def test_requirements_that_only_tox_or_a_setup_script_state_are_hints(tmp_path: Path) -> None:
    (tmp_path / "setup.py").write_text("NEEDED = ['mock==3.0.5']\nsetup(name='a', tests_require=NEEDED)\n")
    (tmp_path / "tox.ini").write_text(
        "[testenv]\ndeps =\n  pytest>=7\n  # a remark\n  babel\n  py38: typing\n  {env:MORE}\n  flake8\n"
        "  -rmore.txt\n"
        "[testenv:docs]\ndeps = sphinx\n"
    )
    (tmp_path / "more.txt").write_text("# needed\nresponses # by one test\n-e .\n")
    found = find_recipe(tmp_path)
    assert found.hints == ("mock==3.0.5", "pytest>=7", "babel", "responses")
    assert find_recipe(tmp_path, files=(tmp_path / "more.txt",)).hints == ()


def test_a_hint_that_cannot_be_installed_is_done_without(tmp_path: Path) -> None:
    told: list[str] = []

    class Installs(Pip):
        def install(self, python: Path, wanted: Iterable[str], *, source: Source, log: Path) -> None:
            told.append(" ".join(each for each in wanted if not each.endswith((".constraints", "-c"))))
            if "typing" in told[-1]:
                raise InstallFailed("it cannot be built")

        def create(self, home: Path, *, python: Path, log: Path) -> None:
            interpreter(home).parent.mkdir(parents=True)
            interpreter(home).symlink_to(sys.executable)

    recipe = Recipe(root=tmp_path, requirements=("a",), hints=("surely-absent", "typing"))
    Builder(recipe=recipe, cache=tmp_path / "cache", installer=Installs(), say=told.append).base()
    assert told[1:] == [
        "pytest a",
        "surely-absent typing",
        "surely-absent",
        "typing",
        "done without typing, which the tests may need: it cannot be installed",
    ]


@pytest.mark.parametrize(("version", "is_replaced"), [("1.0.0", True), ("1.2.0", False), ("2.0.dev1", False)])
def test_a_pluggy_that_is_too_old_for_the_recorder_is_replaced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, version: str, is_replaced: bool
) -> None:
    told: list[str] = []

    class Installs(Pip):
        def install(self, python: Path, wanted: Iterable[str], *, source: Source, log: Path) -> None:
            told.extend(wanted)

        def create(self, home: Path, *, python: Path, log: Path) -> None:
            interpreter(home).parent.mkdir(parents=True)
            interpreter(home).symlink_to(sys.executable)
            (home / "pyvenv.cfg").touch()

        def conflicts(self, python: Path) -> tuple[str, ...]:
            return ()

    pluggy = Distribution(name="pluggy", version=version, modules=())
    python = Path(sys.executable)
    has = Inventory(python=python, prefix="", release=(3, 11), distributions={"pluggy": pluggy})
    monkeypatch.setattr(building, "take_inventory", lambda python: has)
    Builder(recipe=Recipe(root=tmp_path, requirements=("a",)), cache=tmp_path, installer=Installs()).base()
    assert told == (["pytest", "a", building.PLUGGY] if is_replaced else ["pytest", "a"])
