"""Write the catalogue of a pair of servers: a campaign, every reproducer run on fresh servers, a page.

    python benchmarks/fuzz/catalogue.py [--budget 1500] [--seed 1] [SERVICE:CANDIDATE:REFERENCE…]

A page and a log go to docs/findings. Only what its own generated script shows again is listed; the log holds
the same findings for benchmarks/fuzz/reproduce.py and for `likewise discrepancies`.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from pathlib import Path

from pairs import order_for
from reproduce import reproduced

from likewise.cloud.fuzz.catalogue.pages import markdown
from likewise.cloud.fuzz.log import read
from likewise.cloud.fuzz.session import run_worker

FINDINGS = Path(__file__).parents[2] / "docs" / "findings"
PAIRS = (
    "s3:moto:ministack",
    "s3:moto:seaweedfs",
    "s3:moto:localstack",
    "s3:moto:s3rver",
    "dynamodb:moto:ministack",
    "dynamodb:moto:dynalite",
)


def main() -> None:
    """Write the pages one after the other."""
    parser = argparse.ArgumentParser()
    parser.add_argument("pairs", nargs="*", default=PAIRS)
    parser.add_argument("--budget", type=int, default=1500)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--into", type=Path, default=FINDINGS)
    options = parser.parse_args()
    for pair in options.pairs:
        print(json.dumps(write(pair, options.budget, options.seed, options.into)), flush=True)


def write(pair: str, budget: int, seed: int, folder: Path) -> dict[str, object]:
    """One pair."""
    service, candidate, reference = pair.split(":")
    with tempfile.TemporaryDirectory() as scratch:
        log = Path(scratch) / "log.jsonl"
        run_worker(order_for(pair, seed=seed, budget=budget, log=log))
        found = read([log])
        shown = reproduced(found.ranked(), service, candidate, reference)
        lines = [line for line in log.read_text().splitlines() if _is_kept(json.loads(line), shown)]
    name = pair.replace(":", "-")
    (folder / f"{name}.jsonl").write_text("\n".join(lines) + "\n")
    kept = read([folder / f"{name}.jsonl"])
    command = f"likewise fuzz {service} --candidate {candidate} --reference {reference}"
    title = f"{service}: {candidate} against {reference}"
    page = markdown(kept, title=title, full=0)
    again = f"benchmarks/fuzz/reproduce.py {service} --candidate {candidate} --reference {reference}"
    intro = (
        f"\nFound by `{command} --budget {budget} --seed {seed}`; all of it was shown again, on fresh "
        f"servers, by the generated scripts: `python {again} docs/findings/{name}.jsonl`.\n"
    )
    head, _, rest = page.partition("\n\n")
    (folder / f"{name}.md").write_text(f"{head}\n{intro}\n{rest}")
    return {"pair": pair, "found": len(found.findings), "shown": len(shown), "calls": found.sent}


def _is_kept(data: dict[str, object], shown: set[str]) -> bool:
    if data["type"] == "finding":
        finding = data["finding"]
        return isinstance(finding, dict) and finding["hash"] in shown
    return data["type"] == "campaign"


if __name__ == "__main__":
    main()
