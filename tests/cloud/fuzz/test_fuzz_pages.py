"""The catalogue reads well: names as in the reproducers, counts with their nouns."""

from __future__ import annotations

from sample_findings import sample_finding

from likewise.cloud.fuzz.catalogue.pages import markdown, page, text
from likewise.cloud.fuzz.log import Campaigns


def test_a_reader_sees_the_names_that_the_reproducer_uses() -> None:
    finding = sample_finding(reference="arn:aws:s3:*:*:<bm>/<>", candidate="None", confirmed=1)
    found = Campaigns(findings={finding.hash: finding})
    for shown in ("\n".join(text(found)), markdown(found), page(found)):
        assert "arn:aws:s3:*:*:likewisebm/likewise" in shown
    assert "    1 call, confirmed 1 time, " in "\n".join(text(found))
