"""A call that was signed with other keys than the suite's, or another session's, is a stranger's."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from likewise.cloud.marks import WRONG_SECRET, key_mark
from likewise.cloud.recorder.strangers import Strangers


@pytest.mark.parametrize(
    ("keys", "whose"),
    [
        (("mine", "secret", "token"), ""),
        (("mine", "guess", "token"), WRONG_SECRET),
        (("mine", "secret", "expired"), WRONG_SECRET),
        (("mine", "secret", None), WRONG_SECRET),
        (("other", "secret", "token"), f"keys {key_mark('other')}"),
    ],
)
def test_keys_and_session_together_tell_whose_a_call_is(
    monkeypatch: pytest.MonkeyPatch, keys: tuple[str, str, str | None], whose: str
) -> None:
    for name, value in (
        ("ACCESS_KEY_ID", "mine"),
        ("SECRET_ACCESS_KEY", "secret"),
        ("SESSION_TOKEN", "token"),
    ):
        monkeypatch.setenv(f"AWS_{name}", value)
    strangers = Strangers()
    names = ("access_key", "secret_key", "token")
    strangers._note(SimpleNamespace(**dict(zip(names, keys, strict=True))), "abc")
    assert strangers.of({"authorization": "AWS4-HMAC-SHA256 Signature=abc"}) == whose
