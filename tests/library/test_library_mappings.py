"""A mapping of the library that a client makes a dict of stays a mapping while it is recorded."""

from __future__ import annotations

import os

import pytest

pytest_plugins = ["pytester"]


def test_a_dict_of_a_librarys_mapping_is_what_it_is_without_the_recorder(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytester.makeini("[pytest]\naddopts = -p no:randomly -p no:asyncio\n")
    folder = pytester.mkdir("installed")
    (folder / "maps.py").write_text(
        "class Attributes:\n"
        "    def keys(self):\n        return ['colour', 'size']\n"
        "    def __iter__(self):\n        return iter(self.keys())\n"
        "    def __getitem__(self, key):\n        return key.upper()\n"
    )
    pytester.makepyfile(
        client="import maps\ndef plain():\n    return dict(maps.Attributes())\n",
        test_client="import client\ndef test_it():\n"
        "    assert client.plain() == {'colour': 'COLOUR', 'size': 'SIZE'}\n",
    )
    monkeypatch.setenv("PYTHONPATH", str(folder), prepend=os.pathsep)
    result = pytester.runpytest_subprocess("--likewise-library=maps", "--likewise-library-out=out.recording")
    result.assert_outcomes(passed=1)
