"""`likewise compare`, `likewise accept`, and how both show a comparison."""

from __future__ import annotations

import json
import os
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from likewise.cli.common import HOME, NotFound, emit, root

if TYPE_CHECKING:
    from likewise.library.comparison import Comparison, Group

LAST = "last-comparison.json"


def output_options(command: Any) -> Any:
    """How a comparison is shown."""
    for option in (
        click.option("--json", "form", flag_value="json", help="Print JSON."),
        click.option("--markdown", "form", flag_value="markdown", help="Print one page of Markdown."),
        click.option(
            "--github",
            "form",
            flag_value="github",
            help="Print annotations; the page goes to $GITHUB_STEP_SUMMARY where that is set.",
        ),
        click.option("--all", "everything", is_flag=True, help="Show every change and more examples."),
        click.option("--exit-zero", is_flag=True, help="End with 0 whatever was found."),
    ):
        command = option(command)
    return command


@click.command()
@click.argument("reference", metavar="A", type=click.Path(path_type=Path))
@click.argument("candidate", metavar="B", type=click.Path(path_type=Path))
@click.option(
    "--reference-again",
    type=click.Path(path_type=Path),
    multiple=True,
    help="Another recording of the reference's version: what varies between them does not count.",
)
@click.option(
    "--candidate-again", type=click.Path(path_type=Path), multiple=True, help="The same for the candidate."
)
@output_options
@click.pass_context
def compare(
    ctx: click.Context,
    reference: Path,
    candidate: Path,
    reference_again: tuple[Path, ...],
    candidate_again: tuple[Path, ...],
    form: str | None,
    everything: bool,
    exit_zero: bool,
) -> None:
    """Compare the library recordings A (reference) and B (candidate).

    Ends with 0 where nothing differs, and with 1 where something does.
    """
    from likewise.library.comparison import Side
    from likewise.library.comparison import compare as contrast
    from likewise.store import read

    found = contrast(
        Side(recording=read(reference), again=tuple(map(read, reference_again))),
        Side(recording=read(candidate), again=tuple(map(read, candidate_again))),
    )
    present(ctx, found, form=form, everything=everything, exit_zero=exit_zero)


def present(
    ctx: click.Context, found: Comparison, *, form: str | None, everything: bool, exit_zero: bool
) -> None:
    """Leave out what was accepted, keep the rest for `likewise accept`, and show it."""
    from likewise.library import acceptance, page

    shown = acceptance.without_accepted(found, acceptance.read(root()))
    _keep(shown)
    if form == "json":
        emit(page.as_data(shown))
    elif form == "markdown":
        click.echo(page.as_markdown(shown), nl=False)
    elif form == "github":
        for line in page.as_annotations(shown):
            click.echo(line)
        if summary := os.environ.get("GITHUB_STEP_SUMMARY"):
            with Path(summary).open("a", encoding="utf-8") as target:
                target.write(page.as_markdown(shown))
        else:
            click.echo(page.as_markdown(shown), nl=False)
    else:
        for line in page.as_lines(shown, everything=everything):
            click.echo(line)
    ctx.exit(1 if shown.groups and not exit_zero else 0)


def _keep(found: Comparison) -> None:
    folder = root() / HOME
    folder.mkdir(exist_ok=True)
    (folder / LAST).write_text(json.dumps([asdict(group) for group in found.groups]), encoding="utf-8")


def _last() -> list[Group]:
    from likewise.library.comparison import Example, Group, Manner

    path = root() / HOME / LAST
    if not path.is_file():
        raise NotFound(
            "there is no comparison to accept anything from",
            where=str(path),
            todo="Make one first: likewise compare A B, or likewise upgrade …",
        )
    return [
        Group(
            **{
                **each,
                "manner": Manner(each["manner"]),
                "examples": tuple(Example(**example) for example in each["examples"]),
                **{name: tuple(each[name]) for name in ("tests", "marks", "failing")},
            }
        )
        for each in json.loads(path.read_text(encoding="utf-8"))
    ]


@click.command()
@click.argument("wanted", nargs=-1, metavar="[ID|OPERATION]…")
@click.option("--all", "everything", is_flag=True, help="Accept every change of the last comparison.")
@click.option("--reason", default="", help="Why, for whoever reads the file.")
@click.option("--list", "listing", is_flag=True, help="Show what is accepted.")
@click.option("--forget", is_flag=True, help="Take acceptances of these operations back.")
def accept(wanted: tuple[str, ...], everything: bool, reason: str, listing: bool, forget: bool) -> None:
    """Approve changes of the last comparison, by the id in brackets or by operation.

    An approved change stays quiet until it changes again. Approvals are kept in likewise-accepted.json,
    which belongs into version control.
    """
    from likewise.library import acceptance

    known = acceptance.read(root())
    if listing:
        for each in known:
            click.echo(f"{each.operation}: {each.kind}: {each.reference} → {each.candidate}")
        return
    if forget:
        kept = [each for each in known if not everything and each.operation not in wanted]
        acceptance.write(root(), kept)
        click.echo(f"took back {len(known) - len(kept)} of {len(known)}")
        return
    if not wanted and not everything:
        raise NotFound("nothing to accept", todo="Name changes by their ids, or use --all.")
    groups = _last()
    chosen = [group for group in groups if everything or _is_wanted(group, wanted)]
    for name in wanted:
        if not any(_is_wanted(group, (name,)) for group in groups):
            names = ", ".join(f"{group.identity} {group.operation}" for group in groups[:8])
            raise NotFound(
                f"no change {name!r} in the last comparison", todo=f"There are: {names or 'none'}."
            )
    path = acceptance.write(root(), [*known, *(acceptance.accept(group, reason=reason) for group in chosen)])
    (root() / HOME / LAST).write_text(
        json.dumps([asdict(group) for group in groups if group not in chosen]), encoding="utf-8"
    )
    click.echo(f"accepted {len(chosen)}: {path}")


def _is_wanted(group: Group, wanted: tuple[str, ...]) -> bool:
    return any(
        (len(each) >= 4 and group.identity.startswith(each)) or group.operation == each for each in wanted
    )
