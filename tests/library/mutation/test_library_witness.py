"""The witness of a client's own code: the same for the same behaviour, else another."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from likewise.library.mutation.witness import VARIABLE

pytest_plugins = ["pytester"]
LIBRARY = """
def double(value):
    return {double}

def save(path, text):
    {save}
"""
SAVING = "open(path, 'w').write(text)"


@pytest.fixture
def client(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> pytest.Pytester:
    folder = pytester.mkdir("installed")
    monkeypatch.syspath_prepend(folder)
    monkeypatch.setenv("PYTHONPATH", str(folder), prepend=":")
    pytester.makepyfile(
        test_client="""
        import measures

        def test_it(tmp_path):
            twice = measures.double(2)
            measures.save(str(tmp_path / "kept"), "text")
        """
    )
    return pytester


def witnessed(client: pytest.Pytester, monkeypatch: pytest.MonkeyPatch, *, double: str, save: str) -> object:
    root = Path(client.path)
    (root / "installed" / "measures.py").write_text(LIBRARY.format(double=double, save=save))
    into = root / "witness.json"
    wanted = {"root": str(root), "into": str(into)}
    monkeypatch.setenv(VARIABLE, json.dumps(wanted))
    options = ("-p", "likewise.library.mutation.witness", "-p", "no:cacheprovider", "test_client.py")
    base = tempfile.mkdtemp(prefix="likewise-mutant-", dir=root)  # a fresh one, as in a campaign
    done = subprocess.run(
        [sys.executable, "-m", "pytest", f"--basetemp={base}/base", *options], cwd=root, check=False
    )
    assert done.returncode == 0
    found = json.loads(into.read_text())
    return {key: each for key, each in found.items() if "installed" not in key}


@pytest.mark.slow
def test_it_notices_a_value_that_is_held_and_a_file_that_is_not_written(
    client: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = witnessed(client, monkeypatch, double="value * 2", save=SAVING)
    assert witnessed(client, monkeypatch, double="value + value", save=SAVING) == first
    assert witnessed(client, monkeypatch, double="value * 3", save=SAVING) != first
    assert witnessed(client, monkeypatch, double="value * 2", save="pass") != first
