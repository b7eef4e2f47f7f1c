"""What a team asserts about tables; each test says in its name what the reference does otherwise."""

from typing import Any

import pytest
from azure.core import MatchConditions
from azure.core.exceptions import HttpResponseError, ResourceExistsError
from azure.data.tables import UpdateMode


def entity(mark: str, row: str, **more: Any) -> dict[str, Any]:
    return {"PartitionKey": mark, "RowKey": row, **more}


def test_deleted_slowly(tables: Any, entities: Any) -> None:
    tables.delete_table(entities.table_name)
    tables.create_table(entities.table_name)


def test_other_type(entities: Any, mark: str) -> None:
    entities.create_entity(entity(mark, "a", amount=5))
    assert entities.get_entity(mark, "a")["amount"] == 5


def test_other_code(entities: Any, mark: str) -> None:
    entities.create_entity(entity(mark, "a"))
    with pytest.raises(ResourceExistsError, match="EntityAlreadyExists"):
        entities.create_entity(entity(mark, "a"))


def test_other_message(entities: Any, mark: str) -> None:
    with pytest.raises(HttpResponseError, match="does not exist"):
        entities.get_entity(mark, "absent")


def test_page_size(entities: Any, mark: str) -> None:
    for row in "abc":
        entities.create_entity(entity(mark, row))
    assert len([list(page) for page in entities.query_entities(f"PartitionKey eq '{mark}'").by_page()]) == 1


def test_starting_over(entities: Any, mark: str) -> None:
    for row in "abc":
        entities.create_entity(entity(mark, row))
    pages = entities.query_entities(f"PartitionKey eq '{mark}'", results_per_page=2).by_page()
    assert [[each["RowKey"] for each in next(pages)] for _ in range(2)] == [["a", "b"], ["c"]]


def test_query_order(entities: Any, mark: str) -> None:
    for row in "abc":
        entities.create_entity(entity(mark, row))
    assert [each["RowKey"] for each in entities.query_entities(f"PartitionKey eq '{mark}'")] == [
        "a",
        "b",
        "c",
    ]


def test_batch_refused(entities: Any, mark: str) -> None:
    entities.submit_transaction([("create", entity(mark, row)) for row in "abc"])


def test_condition_ignored(entities: Any, mark: str) -> None:
    entities.create_entity(entity(mark, "a", amount=1))
    first = entities.get_entity(mark, "a").metadata["etag"]
    entities.update_entity(entity(mark, "a", amount=2), mode=UpdateMode.REPLACE)
    with pytest.raises(HttpResponseError):
        entities.update_entity(
            entity(mark, "a", amount=3),
            mode=UpdateMode.REPLACE,
            etag=first,
            match_condition=MatchConditions.IfNotModified,
        )


def test_merge_swallowed(entities: Any, mark: str) -> None:
    entities.create_entity(entity(mark, "a", amount=1))
    entities.update_entity(entity(mark, "a", colour="red"), mode=UpdateMode.MERGE)
    assert entities.get_entity(mark, "a").get("colour") == "red"


def test_field_missing(entities: Any, mark: str) -> None:
    entities.create_entity(entity(mark, "a", colour="red"))
    assert "colour" in entities.get_entity(mark, "a")


def test_innocent_entities(entities: Any, mark: str) -> None:
    entities.create_entity(entity(mark, "a", amount=5, colour="red"))
    entities.submit_transaction([("upsert", entity(mark, row)) for row in "ab"])
    assert len(list(entities.query_entities(f"PartitionKey eq '{mark}'"))) == 2
