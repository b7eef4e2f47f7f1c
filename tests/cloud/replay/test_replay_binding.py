"""Values are bound by place, and only where both sides made one up."""

from __future__ import annotations

from hashlib import md5

import pytest

from likewise.cloud.replay.binding import Binding
from likewise.model import Interaction, Operation, Outcome, Raised, Returned, Value

THEIRS = "7d07a151-c2a3-4be3-823c-c4387ce17be3"
MINE = "11aa22bb-c2a3-4be3-823c-0123456789ab"


def call(outcome: Outcome, *, name: str = "PutObject", **arguments: Value) -> Interaction:
    return Interaction(operation=Operation("s3", name), arguments=arguments, outcome=outcome)


def meet(
    binding: Binding, mine: Value, other: Value, *, name: str = "PutObject", **arguments: Value
) -> Value:
    sent = call(Returned(value=mine), name=name, **arguments)
    binding.send(sent)
    learned = binding.learn(candidate=sent, reference=Returned(value=other))
    assert isinstance(learned, Returned)
    return learned.value


def test_a_generated_value_goes_forward_and_comes_back() -> None:
    binding = Binding()
    assert meet(binding, {"id": MINE}, {"id": THEIRS}) == {"id": MINE}
    assert binding.forward(MINE) == THEIRS
    assert binding.forward(f"lease {MINE}, please") == f"lease {THEIRS}, please"
    assert binding.back(THEIRS) == MINE


def test_a_bound_token_inside_a_longer_word_stays() -> None:
    binding = Binding()
    meet(binding, {"VersionId": "a1b2c3d4e5"}, {"VersionId": "z9y8x7w6v5"})
    assert binding.forward("a1b2c3d4e5") == "z9y8x7w6v5"
    assert binding.forward("xa1b2c3d4e5") == "xa1b2c3d4e5"
    assert binding.forward("a1b2c3d4e5f") == "a1b2c3d4e5f"


def test_an_id_that_looks_like_a_status_rewrites_no_status() -> None:
    """Even where a server calls something `200`, numbers and other places stay what they are."""
    binding = Binding()
    meet(binding, {"VersionId": "200"}, {"VersionId": "417"})
    later = meet(binding, {"status": 200, "text": "x"}, {"status": 417, "text": "x"})
    assert later == {"status": 417, "text": "x"}


@pytest.mark.parametrize(
    ("mine", "other"),
    [
        ({"Code": "ConditionalCheckFailedException"}, {"Code": "TransactionCanceledException2"}),
        ({"Code": "ConditionalCheckFailed"}, {"Code": "ItemCollectionSizeLimitExceeded"}),
        ({"Size": "1234567"}, {"Size": "7654321"}),
        ({"N": "100001"}, {"N": "100002"}),
        ({"VersionId": "null"}, {"VersionId": "a1b2c3d4e5"}),
        ({"x-amz-checksum-crc32": "AAAAAA1234=="}, {"x-amz-checksum-crc32": "BBBBBB1234=="}),
        ({"NextMarker": "photos/b"}, {"NextMarker": "photos/c"}),
        ({"when": "2026-01-01T00:00:00Z"}, {"when": "2026-01-01T00:00:00.000Z"}),
        ({"n": 1234567}, {"n": 7654321}),
    ],
)
def test_what_means_something_stays_visible(mine: Value, other: Value) -> None:
    """Error codes, sizes, counters, the version of an unversioned object, checksums, names, formats."""
    assert meet(Binding(), mine, other) == other


def test_the_kind_of_an_error_is_never_translated() -> None:
    binding = Binding()
    candidate = call(Raised(kind="Error1234567890abcdef", message=f"no {MINE}"))
    learned = binding.learn(
        candidate=candidate, reference=Raised(kind="Error0987654321fedcba", message=f"no {THEIRS}")
    )
    assert learned == Raised(kind="Error0987654321fedcba", message=f"no {MINE}")


def test_items_in_another_order_stay_in_another_order() -> None:
    """What a client sent was made up by no server, however random it looks."""
    binding = Binding()
    meet(binding, None, None, id="user-1a2b3c4d5e")
    meet(binding, None, None, id="user-9f8e7d6c5b")
    mine: Value = [{"id": "user-1a2b3c4d5e"}, {"id": "user-9f8e7d6c5b"}]
    other: Value = [{"id": "user-9f8e7d6c5b"}, {"id": "user-1a2b3c4d5e"}]
    assert meet(binding, mine, other) == other


def test_generated_values_in_another_order_stay_in_another_order() -> None:
    binding = Binding()
    meet(binding, {"UploadId": "mine-1a2b3c4d"}, {"UploadId": "their-1a2b3c4d"})
    meet(binding, {"UploadId": "mine-5e6f7a8b"}, {"UploadId": "their-5e6f7a8b"})
    mine: Value = [{"UploadId": "mine-1a2b3c4d"}, {"UploadId": "mine-5e6f7a8b"}]
    other: Value = [{"UploadId": "their-5e6f7a8b"}, {"UploadId": "their-1a2b3c4d"}]
    assert meet(binding, mine, other) == [{"UploadId": "mine-5e6f7a8b"}, {"UploadId": "mine-1a2b3c4d"}]
    assert binding.forward("mine-1a2b3c4d") == "their-1a2b3c4d"


def test_two_values_that_are_one_on_one_side_only_do_not_look_alike() -> None:
    binding = Binding()
    meet(binding, {"ETag": "mine-1a2b3c4d"}, {"ETag": "their-1a2b3c4d"})
    assert meet(binding, {"ETag": "mine-1a2b3c4d"}, {"ETag": "their-5e6f7a8b"}) == {"ETag": "their-5e6f7a8b"}
    assert binding.forward("mine-1a2b3c4d") == "their-5e6f7a8b"


def test_where_a_list_goes_on_may_be_said_anew_by_one_side_only() -> None:
    """As before by the candidate, in a new way by the reference; the latest goes forward, both come back."""
    binding = Binding()
    for theirs in ("their-1a2b3c4d", "their-5e6f7a8b"):
        listed = meet(binding, {"NextContinuationToken": "mine"}, {"NextContinuationToken": theirs})
        assert listed == {"NextContinuationToken": "mine"}
        assert binding.forward("mine") == theirs
        echo = {"ContinuationToken": "mine"}, {"ContinuationToken": theirs}
        assert meet(binding, *echo, after="mine") == {"ContinuationToken": "mine"}


def test_a_list_that_does_not_go_on_does_not_look_like_one_that_does() -> None:
    binding = Binding()
    meet(binding, {"NextContinuationToken": "mine"}, {"NextContinuationToken": "their-1a2b3c4d"})
    later = {"NextContinuationToken": "their-5e6f7a8b"}
    assert meet(binding, {"NextContinuationToken": "mine"}, later, after="mine") == later


def test_an_etag_that_follows_from_the_content_must_repeat() -> None:
    """Requests quote the live one, but that it is another one shows."""
    binding = Binding()
    tag = md5(b"content").hexdigest()
    sent = call(Returned(value={"etag": f'"{tag}"'}))
    binding.send(sent, b"content")
    other = Returned(value={"etag": '"0x8DA252214849810"'})
    assert binding.learn(candidate=sent, reference=other) == other
    assert binding.forward(f'"{tag}"') == '"0x8DA252214849810"'


def test_clocks_are_read_at_their_place_and_not_bound() -> None:
    binding = Binding()
    mine, other = "Sun, 15 Nov 2026 22:28:59 GMT", "Mon, 16 Nov 2026 23:00:01 GMT"
    assert meet(binding, {"Date": mine, "n": 1794781573.5}, {"Date": other, "n": 1794781999.25}) == {
        "Date": mine,
        "n": 1794781573.5,
    }
    assert binding.forward(mine) == mine


def test_a_time_that_the_client_chose_must_repeat() -> None:
    binding = Binding()
    chosen, other = "2030-01-01T00:00:00Z", "2031-01-01T00:00:00Z"
    assert meet(binding, {"until": chosen}, {"until": other}, until=chosen) == {"until": other}


def test_an_etag_that_is_a_time_is_bound_whole() -> None:
    binding = Binding()
    mine = "W/\"datetime'2026-11-15T22%3A28%3A59.1234567Z'\""
    other = "W/\"datetime'2026-11-15T22%3A30%3A01.7654321Z'\""
    assert meet(binding, {"odata.etag": mine}, {"odata.etag": other}) == {"odata.etag": mine}
    assert binding.forward(mine) == other


def test_an_id_that_the_client_chose_must_repeat() -> None:
    """A reference that puts one of its own in its place behaves differently."""
    binding = Binding()
    assert meet(binding, {"id": MINE}, {"id": THEIRS}, id=MINE) == {"id": THEIRS}
    assert binding.forward(MINE) == MINE
