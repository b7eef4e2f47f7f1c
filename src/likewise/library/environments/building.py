"""Two environments that differ in one package, built once and kept."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import sys
import sysconfig
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from likewise.library.environments.installers import Installer, InstallFailed, Source
from likewise.library.environments.names import Inventory, take_inventory
from likewise.library.environments.recipe import Recipe, named, normal

Say = Callable[[str], None]
OLDEST, PLUGGY = (1, 2), "pluggy>=1.2,<2"
"""From where on hooks are wrapped as the recorder's are."""
FORM = 1
"""Changes whenever environments are built in another way: what was kept before no longer counts."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Environment:
    """An interpreter with the client's requirements, and what does not fit together in it."""

    python: Path
    inventory: Inventory
    conflicts: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Builder:
    """Makes environments for one recipe under one folder of the cache."""

    recipe: Recipe
    cache: Path
    installer: Installer
    source: Source = field(default_factory=Source)
    python: Path = Path(sys.executable)
    say: Say = lambda line: None

    def base(self) -> Environment:
        """The client's requirements as the client states them."""
        key = self._key("base")
        return self._fit(self._kept(key, lambda home, log: self._fill(home, log)))

    def _fit(self, base: Environment) -> Environment:
        """The same with a pluggy that the recorder's hooks work with; pytest 7 does with all of these."""
        found = base.inventory.find("pluggy")
        if found is None or _parts(found.version) >= OLDEST:
            return base

        def make(home: Path, log: Path) -> None:
            _copy(base.python.parent.parent, home)
            self.say(f"pluggy {found.version} is older than the recorder can use: installing a newer one")
            self.installer.install(interpreter(home), [PLUGGY], source=self.source, log=log)

        return self._kept(self._key("fit", PLUGGY, json.dumps(base.inventory.versions)), make)

    def pinned(self, base: Environment, package: str, version: str) -> Environment:
        """The base with one package at another version, and nothing else changed that need not be."""
        found = base.inventory.find(package)
        if found is not None and same_version(found.version, version):
            return base
        key = self._key("pinned", normal(package), version, json.dumps(base.inventory.versions))

        def make(home: Path, log: Path) -> None:
            _copy(base.python.parent.parent, home)
            self.say(f"installing {package} {version}")
            self.installer.install(interpreter(home), [f"{package}=={version}"], source=self.source, log=log)

        return self._kept(key, make)

    def _fill(self, home: Path, log: Path) -> None:
        self.say(f"building an environment from {self.recipe.describe()}")
        self.installer.create(home, python=self.python, log=log)
        python = interpreter(home)
        if self.recipe.is_empty:
            _see_through(home, to=take_inventory(self.python))
            if take_inventory(python).find("pytest") is not None:
                return
        wanted: list[str] = ["pytest"]
        for path in self.recipe.files:
            wanted += ["-r", str(path)]
        wanted += self.recipe.requirements
        if self.recipe.project:
            extras = f"[{','.join(self.recipe.extras)}]" if self.recipe.extras else ""
            wanted += ["-e", f"{self.recipe.root}{extras}"]
        self.installer.install(python, wanted, source=self.source, log=log)
        self._add_hints(python, log)

    def _add_hints(self, python: Path, log: Path) -> None:
        """Install what else the tests may need, as far as it can be had and changes nothing."""
        inventory = take_inventory(python)
        wanted = [each for each in self.recipe.hints if inventory.find(named(each)) is None]
        kept = log.with_suffix(".constraints")
        kept.write_text("".join(f"{name}=={version}\n" for name, version in inventory.versions.items()))
        for some in [wanted, *([each] for each in wanted)] if wanted else []:
            try:
                self.installer.install(python, [*some, "-c", str(kept)], source=self.source, log=log)
            except InstallFailed:
                if len(some) == 1:
                    self.say(f"done without {some[0]}, which the tests may need: it cannot be installed")
                continue
            if some is wanted:
                break
        kept.unlink()

    def _key(self, *parts: str) -> str:
        """The name of an environment: everything it is made from."""
        texts = [str(FORM), self.installer.name, str(self.python.resolve()), sys.version, *parts]
        texts += [str(self.recipe.root), *self.recipe.extras, *self.recipe.requirements, *self.recipe.hints]
        described = [*self.recipe.files]
        if self.recipe.project:
            described += [self.recipe.root / name for name in ("pyproject.toml", "setup.cfg", "setup.py")]
        for path in described:
            texts.append(f"{path}:{path.read_text(errors='replace') if path.is_file() else ''}")
        for folder in self.source.wheels:
            texts += sorted(each.name for each in folder.iterdir())
        if self.recipe.is_empty:
            texts.append(json.dumps(take_inventory(self.python).versions))
        return hashlib.blake2b("\0".join(texts).encode(), digest_size=10).hexdigest()

    def _kept(self, key: str, make: Callable[[Path, Path], None]) -> Environment:
        home = self.cache / "environments" / key
        with _alone(home.with_suffix(".lock")):
            if not (home / "complete").is_file():
                shutil.rmtree(home, ignore_errors=True)
                log = home.with_suffix(".log")
                log.unlink(missing_ok=True)
                try:
                    make(home, log)
                except BaseException:
                    shutil.rmtree(home, ignore_errors=True)
                    raise
                (home / "complete").write_text(json.dumps(self.installer.conflicts(interpreter(home))))
            conflicts = tuple(json.loads((home / "complete").read_text()))
        python = interpreter(home)
        return Environment(python=python, inventory=take_inventory(python), conflicts=conflicts)


def existing(python: Path) -> Environment:
    """An environment that somebody else made."""
    return Environment(python=python, inventory=take_inventory(python))


def default_cache() -> Path:
    """Where environments are kept: $LIKEWISE_CACHE, or ~/.cache/likewise."""
    chosen = os.environ.get("LIKEWISE_CACHE")
    return Path(chosen).expanduser() if chosen else Path.home() / ".cache" / "likewise"


def interpreter(home: Path) -> Path:
    """The interpreter of the environment in a folder."""
    return home / ("Scripts/python.exe" if os.name == "nt" else "bin/python")


def same_version(one: str, other: str) -> bool:
    """Whether two spellings name one version: 2.9 and 2.9.0 do."""

    def parts(version: str) -> list[str]:
        cut = version.strip().lower().removeprefix("v").split(".")
        while len(cut) > 1 and cut[-1] == "0":
            cut.pop()
        return cut

    return parts(one) == parts(other)


def _parts(version: str) -> tuple[int, ...]:
    return tuple(int(each) for each in version.split(".")[:2] if each.isdigit())


def also_changed(reference: Inventory, candidate: Inventory, package: str) -> dict[str, tuple[str, str]]:
    """What else differs between two environments: a version each, empty where it is absent."""
    names = reference.distributions.keys() | candidate.distributions.keys()
    found = {
        name: (reference.versions.get(name, ""), candidate.versions.get(name, ""))
        for name in sorted(names)
        if name not in (normal(package), "pip", "setuptools", "wheel")
    }
    return {name: both for name, both in found.items() if both[0] != both[1]}


def _see_through(home: Path, *, to: Inventory) -> None:
    """Let an environment see what another one has; its own packages come first."""
    scheme = {"base": to.prefix, "platbase": to.prefix}
    folders = dict.fromkeys(sysconfig.get_path(name, vars=scheme) for name in ("purelib", "platlib"))
    own = sysconfig.get_path("purelib", "venv", vars={"base": str(home), "platbase": str(home)})
    (Path(own) / "likewise_parent.pth").write_text("".join(f"{folder}\n" for folder in folders))


def _copy(source: Path, target: Path) -> None:
    """A copy of an environment whose programs run in the copy. Its files are shared until one is replaced."""
    shutil.copytree(source, target, symlinks=True, copy_function=_link)
    (target / "complete").unlink(missing_ok=True)
    texts = [target / "pyvenv.cfg", *(target / interpreter(target).parent.name).iterdir()]
    for path in texts:
        if path.is_symlink() or not path.is_file():
            continue
        content = path.read_bytes()
        if str(source).encode() in content and b"\0" not in content:
            mode = path.stat().st_mode
            path.unlink()  # a link shares its content with the source
            path.write_bytes(content.replace(str(source).encode(), str(target).encode()))
            path.chmod(mode)


def _link(source: str, target: str) -> None:
    try:
        os.link(source, target)
    except OSError:  # another disk, or one without links
        shutil.copy2(source, target)


@contextmanager
def _alone(lock: Path) -> Iterator[None]:
    """Hold a lock between processes: two runs that want one environment build it once."""
    lock.parent.mkdir(parents=True, exist_ok=True)
    with lock.open("a") as handle:
        try:
            import fcntl
        except ImportError:  # a system without it: two at once are the user's to avoid
            yield
            return
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
