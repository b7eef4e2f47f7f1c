"""What calls cost: the figures of the list, its classes, and a user's own file over it."""

from decimal import Decimal
from pathlib import Path

import pytest

from likewise.cloud import prices
from likewise.cloud.services import SERVICES
from likewise.model import ConfigurationError, Lost, Operation, Raised, Returned, TimedOut


@pytest.mark.parametrize(
    ("service", "name", "million"),
    [
        ("s3", "PutObject", "5"),
        ("s3", "ListObjectsV2", "5"),
        ("s3", "ListBuckets", "5"),
        ("s3", "CreateMultipartUpload", "5"),
        ("s3", "GetObject", "0.4"),
        ("s3", "HeadObject", "0.4"),
        ("s3", "DeleteObjects", "0"),
        ("s3", "AbortMultipartUpload", "0"),
        ("dynamodb", "PutItem", "0.625"),
        ("dynamodb", "TransactWriteItems", "1.25"),
        ("dynamodb", "Query", "0.125"),
        ("dynamodb", "CreateTable", "0"),
        ("dynamodb", "DeleteItem", "0.625"),
        ("blob", "BlockBlob_Upload", "5"),
        ("blob", "Blob_Download", "0.4"),
        ("blob", "BlockBlob_GetBlockList", "0.4"),
        ("blob", "Container_Create", "5"),
        ("blob", "Blob_Delete", "0"),
        ("blob", "Container_AcquireLease", "0.4"),
        ("queue", "Messages_Enqueue", "0.4"),
        ("queue", "Messages_Peek", "0.4"),
        ("table", "Table_InsertEntity", "0.036"),
    ],
)
def test_a_million_calls_cost_the_list_price(service: str, name: str, million: str) -> None:
    assert prices.price(Operation(service, name), 1_000_000).amount == Decimal(million)


def test_an_unknown_operation_costs_the_dearest_of_its_service() -> None:
    assert prices.price(Operation("dynamodb", "Invented")) == prices.price(
        Operation("dynamodb", "ExecuteTransaction")
    )
    assert prices.price(Operation("s3", "Invented")) == prices.price(Operation("s3", "PutObject"))


def test_an_unknown_service_costs_the_dearest_there_is() -> None:
    dearest = max(each.dearest.each for each in prices.default().lists.values())
    assert prices.price(Operation("invented", "Anything")).amount == dearest > 0


def test_every_operation_of_every_service_is_priced_by_a_pattern() -> None:
    """None falls through to the dearest class by accident."""
    for service in SERVICES:
        listed = prices.default().lists[service.name]
        for name in service.operations:
            found = listed.classify(name)
            assert any(prices.fnmatchcase(name, pattern) for pattern in found.operations), (
                f"{service.name}.{name}"
            )


def test_the_more_specific_pattern_wins_and_the_dearer_between_equals(tmp_path: Path) -> None:
    own = tmp_path / "own.toml"
    own.write_text(
        '[s3.classes.special]\nprice = 9\nper = 1\noperations = ["GetObject"]\n'
        '[s3.classes.cheap]\nprice = 0.1\nper = 1_000_000\noperations = ["Get*"]\n'
    )
    loaded = prices.load(own)
    assert loaded.price(Operation("s3", "GetObject")).amount == 9
    assert loaded.price(Operation("s3", "GetObjectAcl")).amount == Decimal("0.0004") / 1000


def test_units_scale_one_call() -> None:
    """A batch of 25 items is 25 write units."""
    one, batch = (prices.default().price(Operation("dynamodb", "BatchWriteItem"), units=u) for u in (1, 25))
    assert batch.amount == 25 * one.amount


def test_refused_calls_are_billed_once_the_caller_is_known() -> None:
    assert prices.is_billed(Returned(value=None))
    assert prices.is_billed(Raised(kind="NoSuchKey"))
    assert prices.is_billed(Raised(kind="AccessDenied"))
    assert prices.is_billed(Lost(reason="reset"))
    assert prices.is_billed(TimedOut(after=1.0))
    assert not prices.is_billed(Raised(kind="SignatureDoesNotMatch"))
    assert not prices.is_billed(Raised(kind="AuthenticationFailed"))


def test_a_file_of_the_users_changes_only_what_it_names(tmp_path: Path) -> None:
    own = tmp_path / "own.toml"
    own.write_text(
        'as_of = "2030-01-01"\ncurrency = "EUR"\n'
        '[s3]\nregion = "eu-central-1"\n[s3.classes.put]\nprice = 0.0054\n'
    )
    loaded = prices.load(own)
    changed = loaded.price(Operation("s3", "PutObject"), 1000)
    assert (changed.amount, changed.currency) == (Decimal("0.0054"), "EUR")
    assert loaded.price(Operation("s3", "GetObject"), 1000).amount == Decimal("0.0004")
    untouched = loaded.price(Operation("dynamodb", "PutItem"), 1_000_000)
    assert (untouched.amount, untouched.currency) == (Decimal("0.625"), "USD")
    assert "eu-central-1, 2030-01-01" in loaded.sources(["s3"])[0]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("[s3.classes.put]\npirce = 1\n", "Did you mean s3.classes.put.price?"),
        ("[s3]\nregoin = 'x'\n", "Did you mean s3.region?"),
        ("as_off = '2030-01-01'\n", "Did you mean as_of?"),
        ("[s3.classes.new]\nprice = 1\n", "has no per"),
        ("not toml", "cannot be read"),
    ],
)
def test_a_wrong_file_is_refused_with_what_to_do(tmp_path: Path, text: str, says: str) -> None:
    own = tmp_path / "own.toml"
    own.write_text(text)
    with pytest.raises(ConfigurationError, match=says.replace("?", r"\?")):
        prices.load(own)


def test_an_absent_file_is_not_an_empty_one(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="no such price file"):
        prices.load(tmp_path / "absent.toml")


def test_sources_name_page_region_and_date() -> None:
    (source,) = prices.default().sources(["dynamodb", "dynamodb", "invented"])
    assert "DynamoDB" in source
    assert "us-east-1" in source
    assert prices.default().lists["dynamodb"].as_of in source


@pytest.mark.parametrize(
    ("amount", "text"),
    [("0", "$0.00"), ("12.346", "$12.35"), ("0.5", "$0.500"), ("0.0000004", "$0.000000400"), ("1", "$1.00")],
)
def test_small_amounts_are_still_readable(amount: str, text: str) -> None:
    assert str(prices.Money(Decimal(amount))) == text


def test_money_adds_up_and_never_mixes_currencies() -> None:
    total = prices.default().total({Operation("s3", "PutObject"): 1000, Operation("s3", "GetObject"): 1000})
    assert total.amount == Decimal("0.0054")
    with pytest.raises(ValueError, match="cannot be added"):
        prices.Money(Decimal(1), "USD") + prices.Money(Decimal(1), "EUR")
