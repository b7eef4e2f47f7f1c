"""A call on Azure that the account key did not sign shares no evidence with those of the owner."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from azure.core.credentials import AzureNamedKeyCredential
from azure.data.tables import TableClient, generate_table_sas
from azure.storage.blob import (
    ContainerClient,
    UserDelegationKey,
    generate_blob_sas,
    generate_container_sas,
)
from azure.storage.queue import QueueClient, generate_queue_sas

from likewise.cloud.marks import WRONG_SECRET
from likewise.cloud.recorder.guests import ALTERED, ELSEWHERE

OWN, WRONG = "b3duLWtleQ==", "d3Jvbmc="
EMPTY = b'<?xml version="1.0"?><EnumerationResults><Blobs/><NextMarker/></EnumerationResults>'
SOON = datetime.now(UTC) + timedelta(hours=1)


@pytest.fixture
def account(make_http: Any, monkeypatch: pytest.MonkeyPatch) -> str:
    def answer(method: str, path: str, *_: object) -> tuple[int, dict[str, str], bytes]:
        kind = "application/json" if "rows" in path else "application/xml"
        return 200, {"Content-Type": kind}, b'{"value": []}' if "rows" in path else EMPTY

    url = f"{make_http(answer).url}/acme"
    monkeypatch.setenv(
        "AZURE_STORAGE_CONNECTION_STRING", f"AccountName=acme;AccountKey={OWN};BlobEndpoint={url}"
    )
    return url


@pytest.fixture
def studio(account: str, make_studio: Any) -> Any:
    return make_studio(expected_endpoints=frozenset({account.removesuffix("/acme")}), interpreter=None)


def who(studio: Any, body: Callable[[], object]) -> list[object]:
    """How the callers of a test identified themselves."""
    return [call.arguments.get("identity", "") for call in studio.record("t", body).interactions]


def key(value: str) -> dict[str, str]:
    return {"account_name": "acme", "account_key": value}


def listed(url: str, credential: Any = None) -> None:
    list(ContainerClient(url, "box", credential=credential, retry_total=0).list_blobs())


@pytest.mark.parametrize(("value", "whose"), [(OWN, ""), (WRONG, WRONG_SECRET)])
def test_the_key_of_the_account_makes_an_owner_and_another_one_a_stranger(
    studio: Any, account: str, value: str, whose: str
) -> None:
    def body() -> None:
        listed(account, key(value))
        QueueClient(account, "line", credential=key(value), retry_total=0).peek_messages()
        table = TableClient(account, "rows", credential=AzureNamedKeyCredential("acme", value), retry_total=0)
        list(table.list_entities())

    assert who(studio, body) == [whose] * 3


def test_nobody_is_a_stranger_where_the_environment_has_no_key(
    make_studio: Any, account: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("AZURE_STORAGE_CONNECTION_STRING")
    studio = make_studio(expected_endpoints=frozenset({account.removesuffix("/acme")}), interpreter=None)
    assert who(studio, lambda: listed(account, key(WRONG))) == [""]
    assert who(studio, lambda: listed(account, "sv=2021-12-02&sp=r&sig=made%2Fup")) == ["shared access"]


def test_who_says_nothing_of_himself_is_anonymous(studio: Any, account: str) -> None:
    assert who(studio, lambda: listed(account)) == ["anonymous"]


def box(value: str = OWN, name: str = "box") -> str:
    return generate_container_sas("acme", name, value, permission="rl", expiry=SOON)


@pytest.mark.parametrize(
    ("token", "whose"),
    [
        (box, "shared access"),
        (lambda: box(WRONG), WRONG_SECRET),
        (lambda: box(name="other"), ALTERED),
        (lambda: box().replace("sp=rl", "sp=rwl"), ALTERED),
        (lambda: f"sv=2021-12-02&sp=rl&sr=c&se={SOON:%Y-%m-%d}&sig=made%2Fup", ELSEWHERE),
    ],
    ids=["good", "wrong key", "for something else", "altered", "made up"],
)
def test_a_token_is_good_only_as_it_was_signed_for_what_it_was_signed(
    studio: Any, account: str, token: Callable[[], str], whose: str
) -> None:
    assert who(studio, lambda: listed(account, token())) == [whose]


def test_a_token_signed_for_a_user_by_a_key_that_a_server_lent_is_no_strangers(
    studio: Any, account: str
) -> None:
    lent = UserDelegationKey()
    lent.signed_oid = lent.signed_tid = "me"
    lent.signed_start = lent.signed_expiry = "2030-01-01T00:00:00Z"
    lent.signed_service, lent.signed_version, lent.value = "b", "2021-12-02", WRONG
    token = generate_container_sas("acme", "box", user_delegation_key=lent, permission="rl", expiry=SOON)
    assert who(studio, lambda: listed(account, token)) == ["shared access"]


def test_tokens_for_single_things_and_of_other_services_are_good_as_well(studio: Any, account: str) -> None:
    def body() -> None:
        blob = generate_blob_sas("acme", "box", "a/b c", account_key=OWN, permission="r", expiry=SOON)
        container = ContainerClient(account, "box", credential=blob, retry_total=0)
        with pytest.raises(ValueError, match="Content-Range"):
            container.get_blob_client("a/b c").download_blob()
        line = generate_queue_sas("acme", "line", OWN, permission="p", expiry=SOON)
        QueueClient(account, "line", credential=line, retry_total=0).peek_messages()
        rows = generate_table_sas(
            AzureNamedKeyCredential("acme", OWN),
            "rows",
            permission="r",
            expiry=SOON,
            start_pk="a",
            end_pk="b",
        )
        list(TableClient.from_table_url(f"{account}/rows?{rows}", retry_total=0).list_entities())

    assert who(studio, body) == ["shared access"] * 3
