"""Cases of the published form on real servers: each verdict is the one that a person gives after looking."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner
from corpus_cases import CorpusCase
from corpus_cases_aws import AWS_CASES, MAKE, PUT
from corpus_cases_azure import AZURE_CASES
from corpus_cases_clients import CLIENT_CASES
from corpus_cases_requests import REQUEST_CASES

from likewise.cli import main
from likewise.cloud import targets
from likewise.cloud.fuzz.corpus.cases import Agrees, Case, Differs, NotComparable, Verdict
from likewise.cloud.fuzz.corpus.reading import read_corpora
from likewise.cloud.fuzz.corpus.replay import Player
from likewise.cloud.targets import Running
from likewise.model import Role

ANSWERS = Path(
    os.environ.get("LIKEWISE_CLOUD_ANSWERS") or Path(__file__).parents[4] / "shared" / "cloud-answers"
)
JUDGEMENTS = Path(__file__).parent / "judgements.json"
VERDICTS = {Agrees: "agrees", Differs: "differs", NotComparable: "not comparable"}


@pytest.fixture(scope="module")
def running() -> Iterator[list[Running]]:
    running: list[Running] = []
    for name in ("moto", "azurite"):
        spec = targets.find(name)
        if targets.locate(spec, targets.default_cache()) is None:
            pytest.skip(f"{name} is not installed: {targets.install_command(spec)}")
        running.append(targets.start(spec, role=Role.CANDIDATE))
    yield running
    for each in running:
        each.stop()


@pytest.fixture(scope="module")
def player(running: list[Running]) -> Player:
    return Player(running)


@pytest.mark.server
@pytest.mark.parametrize(
    "written", [*AWS_CASES, *AZURE_CASES, *CLIENT_CASES, *REQUEST_CASES], ids=lambda written: written.id
)
def test_each_shape_of_a_case_is_judged_right(player: Player, tmp_path: Path, written: CorpusCase) -> None:
    file = tmp_path / "cases.json"
    full = {"ok": None, "status": None, "error_code": None, "message": None, **written.said}
    row = {"id": "c", "service": written.service, "sequence": written.sequence, "real_cloud": full}
    file.write_text(json.dumps([row]))
    (case,) = read_corpora([file])
    found = player.verdict(case)
    assert (VERDICTS[type(found)], written.words in found.reason) == (written.verdict, True), found
    again = player.verdict(case)
    assert type(again) is type(found), "what the first play left behind changed the second"


@pytest.mark.server
@pytest.mark.slow
@pytest.mark.skipif(not ANSWERS.is_dir(), reason="the sample of published answers is not there")
def test_the_published_sample_is_judged_as_by_hand(player: Player) -> None:
    expected = json.loads(JUDGEMENTS.read_text())
    cases = read_corpora(sorted(ANSWERS.glob("*.json")))
    found = {verdict.case: VERDICTS[type(verdict)] for verdict in player.verdicts(cases)}
    assert found == expected


@pytest.mark.server
def test_the_command_prints_one_row_for_each_case(running: list[Running], tmp_path: Path) -> None:
    moto = f"s3+{running[0].endpoint('s3')}"
    file, known = tmp_path / "cases.json", tmp_path / "known.txt"
    rows = [
        {"id": "one", "service": "s3", "sequence": [MAKE], "real_cloud": {"ok": True, "status": 200}},
        {"id": "two", "service": "s3", "sequence": [MAKE], "real_cloud": {"ok": True, "status": 299}},
        {"id": "three", "service": "azure-blob", "sequence": [], "real_cloud": {"ok": True}},
    ]
    file.write_text(json.dumps(rows))
    run = CliRunner().invoke(main, ["corpus", "check", str(file), "--candidate", moto, "--json"])
    assert run.exit_code == 0, run.output
    first, second, third = json.loads(run.stdout)["cases"]
    assert first == {
        "id": "one",
        "verdict": "agrees",
        "reason": "both: success (200)",
        "implication": None,
        "message_differs": False,
    }
    assert (second["id"], second["verdict"], second["implication"]) == ("two", "differs", "WRONG_RESULT")
    assert (third["id"], third["verdict"], third["implication"]) == ("three", "not comparable", None)
    arguments = ["corpus", "check", str(file), "--candidate", moto, "--baseline", str(known)]
    assert CliRunner().invoke(main, arguments).exit_code == 1
    known.write_text("two\n")
    assert CliRunner().invoke(main, arguments).exit_code == 0


@pytest.mark.server
def test_what_met_an_ended_candidate_is_played_on_a_new_one(
    running: list[Running], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "cases.json"
    real = {"ok": True, "status": 200}
    rows = [{"id": name, "service": "s3", "sequence": [MAKE, PUT], "real_cloud": real} for name in "abc"]
    file.write_text(json.dumps(rows))
    judge, seen = Player.verdict, []

    def verdict(self: Player, case: Case) -> Verdict:
        seen.append(case.id)
        if seen == ["a", "b"]:
            self._running[0].stop()
        return judge(self, case)

    monkeypatch.setattr(Player, "verdict", verdict)
    run = CliRunner().invoke(main, ["corpus", "check", str(file), "--candidate", "moto", "--json"])
    assert run.exit_code == 0, run.output
    assert [row["verdict"] for row in json.loads(run.stdout)["cases"]] == 3 * ["agrees"]
    assert seen == ["a", "b", "b", "c"]
