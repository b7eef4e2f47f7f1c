"""The catalogue of findings: as text, as Markdown, as one page of HTML."""

from __future__ import annotations

import html
import json
import re
from collections import defaultdict
from collections.abc import Iterator

from likewise.cloud.fuzz.catalogue.reproducers import STEM, concrete, file_name, script
from likewise.cloud.fuzz.findings import Finding
from likewise.cloud.fuzz.log import Campaigns
from likewise.report.words import SEVERITY, plural

MEANING = {
    "unsafe": "works on the candidate, would fail on the reference",
    "wrong result": "succeeds on both sides, differently",
    "false alarm": "fails on the candidate only",
    "misleading": "fails on both sides, differently",
}
PROOF = (
    "Each was seen, then reproduced twice from scratch on fresh names. "
    "A difference between two servers is a question, not a verdict."
)

_NAMES = re.compile(r"<([a-z]{2}|)>")
"""Names of a campaign as comparisons write them; a reader sees those of the reproducers."""


def grouped(findings: list[Finding]) -> dict[str, list[Finding]]:
    """Findings by operation, the operation with the most harmful one first."""
    groups: dict[str, list[Finding]] = defaultdict(list)
    for finding in sorted(findings, key=lambda each: each.rank):
        groups[f"{finding.service}.{finding.operation}"].append(finding)
    return dict(groups)


def text(found: Campaigns, *, limit: int | None = None) -> Iterator[str]:
    """The catalogue for a terminal, the most harmful first."""
    ranked = found.ranked()
    for finding in ranked[:limit]:
        where = f" at {finding.place}" if finding.place else ""
        yield f"{finding.implication.upper()}  {finding.service}.{finding.operation}: {finding.kind}{where}"
        reference, candidate = finding.sides
        yield f"    reference {_cut(reference)} | candidate {_cut(candidate)}"
        yield f"    {finding.how}"
        calls, times = plural(len(finding.sequence), "call"), plural(finding.confirmed, "time")
        yield f"    {calls}, confirmed {times}, {finding.hash}"
    if limit is not None and len(ranked) > limit:
        yield f"… and {len(ranked) - limit} more"
    if found.unstable:
        yield f"{plural(len(found.unstable), 'difference')} did not repeat: likewise discrepancies --json"


def _cut(value: str, limit: int = 90) -> str:
    flat = " ".join(_NAMES.sub(f"{STEM}\\1", value).split())
    return flat if len(flat) <= limit else flat[: limit - 1] + "…"


def markdown(found: Campaigns, *, title: str = "Discrepancies", full: int | None = None) -> str:
    """The catalogue by operation; the first `full` findings of the whole with their reproducers."""
    ranked = found.ranked()
    lines = [f"# {title}", ""]
    for header in targets(found):
        lines += [header, ""]
    lines += [
        f"{plural(len(ranked), 'finding')} in {plural(len(grouped(ranked)), 'operation')}. {PROOF}",
        "",
    ]
    lines += [*_summary(ranked), ""]
    with_script = {each.hash for each in (ranked if full is None else ranked[:full])}
    for operation, findings in grouped(ranked).items():
        lines += [f"## {operation}", ""]
        for finding in findings:
            lines += _entry(finding, with_script=finding.hash in with_script)
    return "\n".join(lines) + "\n"


def targets(found: Campaigns) -> list[str]:
    """Each service that was fuzzed, between which two targets."""
    seen = {
        (each.get("service", ""), each.get("candidate", ""), each.get("reference", ""))
        for each in found.headers
    }
    return [f"{service}: candidate {one}, reference {other}" for service, one, other in sorted(seen)]


def _counts(ranked: list[Finding]) -> dict[str, int]:
    """How many findings mean what."""
    counts = {str(kind): 0 for kind in SEVERITY}
    for finding in ranked:
        counts[finding.implication] += 1
    return counts


def _summary(ranked: list[Finding]) -> list[str]:
    rows = [f"| {kind} | {MEANING[kind]} | {number} |" for kind, number in _counts(ranked).items()]
    return ["| implication | meaning | findings |", "|---|---|---|", *rows]


def _entry(finding: Finding, *, with_script: bool) -> list[str]:
    where = f" at `{finding.place}`" if finding.place else ""
    lines = [
        f"### {finding.kind}{where} ({finding.implication}) `{finding.hash}`",
        "",
        f"- reference: `{_ticks(finding.sides[0])}`",
        f"- candidate: `{_ticks(finding.sides[1])}`",
        f"- {finding.manifestation}; likely cause: {finding.cause} ({_cut(finding.evidence, 160)})",
    ]
    if finding.condition:
        lines.append(f"- condition: {finding.condition}")
    if finding.also:
        lines.append(f"- so it is with {', '.join(finding.also)}")
    if not finding.public:
        lines.append("- not reached by the SDK's public methods")
    steps = " → ".join(call.told for call in finding.sequence)
    lines += [f"- {steps}", ""]
    if with_script:
        lines += [
            "<details><summary>reproducer</summary>",
            "",
            "```python",
            script(finding).rstrip(),
            "```",
            "",
            "</details>",
            "",
        ]
    else:
        calls = [f"{call.told}: {json.dumps(concrete(call.params))}" for call in finding.sequence]
        lines += ["```", *(_cut(call, 400) for call in calls), "```", ""]
    return lines


def _ticks(value: str) -> str:
    return _cut(value, 200).replace("`", "'")


def page(found: Campaigns, *, title: str = "Discrepancies") -> str:
    """The catalogue as one page of HTML that needs nothing else."""
    parts = [
        "<!doctype html><html lang=en><meta charset=utf-8>",
        f"<title>{html.escape(title)}</title>",
        "<style>body{font:16px/1.5 system-ui;max-width:60rem;margin:2rem auto;padding:0 1rem}"
        "pre{background:#f4f4f4;padding:1rem;overflow:auto}h3{font-size:1rem}td{padding-right:1rem}</style>",
        f"<h1>{html.escape(title)}</h1>",
        *(f"<p>{html.escape(each)}</p>" for each in targets(found)),
        f"<p>{plural(len(found.findings), 'finding')}, the most harmful first. {PROOF}</p>",
        "<table>",
        *(
            f"<tr><td>{kind}<td>{MEANING[kind]}<td>{number}"
            for kind, number in _counts(found.ranked()).items()
        ),
        "</table>",
    ]
    for operation, findings in grouped(found.ranked()).items():
        parts.append(f"<h2>{html.escape(operation)}</h2>")
        for finding in findings:
            parts.append(_section(finding))
    return "\n".join(parts) + "\n"


def _section(finding: Finding) -> str:
    where = f" at {finding.place}" if finding.place else ""
    reference, candidate = finding.sides
    steps = " → ".join(call.told for call in finding.sequence)
    rows = [
        f"<h3 id={finding.hash}>{html.escape(finding.kind + where)} ({finding.implication})</h3>",
        f"<p>reference: <code>{html.escape(_cut(reference, 200))}</code><br>",
        f"candidate: <code>{html.escape(_cut(candidate, 200))}</code><br>",
        f"{html.escape(finding.how)}<br>{html.escape(steps)}</p>",
        f"<details><summary>{html.escape(file_name(finding))}.py</summary>",
        f"<pre>{html.escape(script(finding))}</pre></details>",
    ]
    return "".join(rows)
