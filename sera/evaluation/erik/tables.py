"""report.md: the document's tables 6.8 and 6.9 with our figures, its own beside them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from sera.evaluation.erik.report import REPORT_TEXT
from sera.evaluation.erik.skeletons import ORIENTATIONS, PUBLISHED_ERRORS, TOTAL_SAMPLES

_NOTES = f"""\
- Samples are pairs of a posture and one of {ORIENTATIONS:,} target orientations; all together
  {TOTAL_SAMPLES:,}, the sum of Table 6.8 (the document's text has 239,245,243, which is no multiple
  of {ORIENTATIONS:,}).
- The postures are the document's: the union of sweeps with 1 to n steps gives its counts exactly.
  Its {ORIENTATIONS:,} orientations are not known to the last one: here they are the union of sweeps
  with 1 to 13 steps of yaw, pitch and roll, 129 of its 7,738 left out.
- The posture error is weighted by 0.2 here, as in the document's Table 6.9 (its combined error is
  the sum of the other two columns); `posture_error` of the solver is not weighted.
- Iterations of `optimal` are passes of refinement plus one, of `published` as in the document.
- Times of the document are of an i7-7700HQ, as it converted them itself.
"""


def write_text(folder: Path, data: Mapping[str, Any], pictures: Sequence[Path]) -> Path:
    """Write the report; `pictures` are shown in it."""
    path = folder / REPORT_TEXT
    path.write_text(as_text(data, pictures), encoding="utf-8")
    return path


def as_text(data: Mapping[str, Any], pictures: Sequence[Path] = ()) -> str:
    """The whole report."""
    machine = data["machine"]
    made_by = (
        f"`{data['command']}` · SERA {data['sera']} · {machine['processor']}, "
        f"{machine['cores']} cores · Python {machine['python']}, numba {machine['numba']}"
    )
    parts = [
        "# Evaluation of ERIK",
        made_by,
        "## Iterations (Table 6.8)",
        iterations_table(data),
        "## Time of a sample (Table 6.8)",
        times_table(data),
        "## Errors (Table 6.9)",
        errors_table(data),
    ]
    if data["floors"]:
        parts += ["## Distance from the floor", floor_table(data)]
    if data["projections"]:
        parts += ["## All samples on this machine", projection_text(data)]
    if pictures:
        parts += ["## Pictures", *(f"![{path.stem}]({path.name})" for path in pictures)]
    parts += ["## Notes", _NOTES.rstrip()]
    return "\n\n".join(parts) + "\n"


def table(heads: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """A table in Markdown."""
    lines = [f"| {' | '.join(heads)} |", f"|{'---|' * len(heads)}"]
    lines += [f"| {' | '.join(map(str, row))} |" for row in rows]
    return "\n".join(lines)


def iterations_table(data: Mapping[str, Any]) -> str:
    """Table 6.8, its first half."""
    rows = []
    for row in data["results"]:
        ours, theirs = row["iterations"], row["published"]
        published = (
            f"1 · {theirs['iterations_most']} · {theirs['iterations_mean']} · "
            f"{theirs['iterations_deviation']}"
            if theirs
            else "-"
        )
        solved, whole = row["samples_solved"], row["all_samples"]
        rows.append(
            (
                row["skeleton"],
                row["axes"],
                row["method"],
                f"{row['postures']:,}",
                f"{solved:,} of {whole:,}",
                f"{ours['least']} · {ours['most']} · {ours['mean']:.2f} · {ours['deviation']:.2f}",
                published,
            )
        )
    heads = ("skeleton", "axes", "method", "postures", "samples", "min · max · mean · S.D.")
    return table((*heads, "document"), rows)


def times_table(data: Mapping[str, Any]) -> str:
    """Table 6.8, its second half."""
    rows = []
    for row in data["results"]:
        batch, single, theirs = row["batch"], row["single_solves"], row["published"]
        alone = (
            f"{single['least_us']:.0f} · {single['median_us']:.0f} · {single['mean_us']:.0f} · "
            f"{single['deviation_us']:.0f} · {single['p99_us']:.0f} · {single['most_us']:.0f}"
            if single
            else "-"
        )
        published = (
            f"{theirs['time_least_ms']:g} · {theirs['time_mean_ms']:g} · "
            f"{theirs['time_deviation_ms']:g} · {theirs['time_most_ms']:g}"
            if theirs
            else "-"
        )
        in_batch = (
            f"{batch['cpu_us_a_sample_in_the_quickest_chunk']:.1f} · "
            f"{batch['cpu_us_a_sample']:.1f} · "
            f"{batch['cpu_us_a_sample_in_the_slowest_chunk']:.1f}"
        )
        rows.append((row["skeleton"], row["method"], in_batch, alone, published))
    heads = (
        "skeleton",
        "method",
        "in batches, µs of processor time: quickest chunk · mean · slowest chunk",
        "single solves, µs: min · p50 · mean · S.D. · p99 · max",
        "document, ms: min · mean · S.D. · max",
    )
    return table(heads, rows)


def errors_table(data: Mapping[str, Any]) -> str:
    """Table 6.9, for all skeletons."""
    rows: list[tuple[object, ...]] = []
    for row in data["results"]:
        errors = row["errors"]
        cells = [_moments(each["mean"], each["deviation"]) for each in errors.values()]
        over = errors["combined"]["above_threshold"] / max(row["samples_counted"], 1)
        highest = " · ".join(f"{each['most']:.4f}" for each in errors.values())
        name = f"{row['skeleton']} {row['method']}"
        rows.append((name, *cells, highest, f"{100 * over:.2f} %"))
    for name, moments in PUBLISHED_ERRORS.items():
        cells = [_moments(*pair) for pair in vars(moments).values()]
        rows.append((f"*C {name}, document*", *cells, "-", "-"))
    heads = ("", "combined: mean (S.D.)", "orientation", "weighted posture", "highest of each")
    return table((*heads, "combined above 0.04"), rows)


def _moments(mean: float, deviation: float) -> str:
    return f"{mean:.6f} ({deviation:.6f})"


def floor_table(data: Mapping[str, Any]) -> str:
    """How near `optimal` comes to the best there is."""
    rows = [
        (
            row["skeleton"],
            f"{row['samples']:,}",
            f"{row['floor']:.6f}",
            f"{row['optimal']:.6f}",
            f"{row['ratio']:.4f}",
            f"{row['bar']:.6f}: {'met' if row['met'] else 'MISSED'}",
            f"{row['largest_gap']:.5f}",
            row["solver_better"],
        )
        for row in data["floors"]
    ]
    heads = (
        "skeleton",
        "samples",
        "floor",
        "`optimal` on the same samples",
        "ratio",
        "bar: 1.03 · floor + 0.0002",
        "largest gap of a sample",
        "samples on which `optimal` beat the search",
    )
    return (
        "The floor is the mean of the least combined error that a long search finds for each "
        "sample, or that `optimal` has, where that is less.\n\n" + table(heads, rows)
    )


def projection_text(data: Mapping[str, Any]) -> str:
    """How long all samples would take."""
    rows = [
        (each["method"], each["cores"], f"{each['wall_h']:.2f} h", f"{each['cpu_h']:.2f} h")
        for each in data["projections"]
    ]
    heads = ("method", "cores", "at the pace of this run", "processor time ÷ cores")
    return f"All {TOTAL_SAMPLES:,} samples, projected:\n\n" + table(heads, rows)
