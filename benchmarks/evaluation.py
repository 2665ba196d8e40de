"""`make bench-evaluation`: ERIK's published evaluation on 1 % of its samples, for docs/.

Runs what `sera evaluate erik` runs, puts the tables of its report into docs/benchmarks.md and the
pictures of the method `optimal` into docs/figures.
"""

from __future__ import annotations

import argparse
import re
import shutil
import sys
import tempfile
from pathlib import Path

from benchmarks.bus import ROOT, write_into
from sera.evaluation.erik import Wish, evaluate
from sera.evaluation.erik.run import Progress
from sera.kinematics.erik import METHODS

PICTURES = {
    "histograms-optimal.png": "erik-histograms.png",
    "normal-optimal.png": "erik-normal.png",
    "baselines-optimal.png": "erik-baselines.png",
}


def tables_of(report: str) -> str:
    """The report without title and pictures, its headings a level lower."""
    body = report[report.index("## ") :]
    body = re.sub(r"## Pictures\n.*?(?=## |\Z)", "", body, flags=re.DOTALL)
    return re.sub(r"^## ", "### ", body, flags=re.MULTILINE).strip()


def tell(progress: Progress) -> None:
    text = f"\rERIK {progress.job.name}: {progress.left_s:.0f} s left   "
    print(text, end="", file=sys.stderr, flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--fraction", type=float, default=0.01, help="of all samples")
    parser.add_argument("--floor", type=int, default=400, help="samples of the long search")
    parser.add_argument("--write", action="store_true", help="into docs/")
    arguments = parser.parse_args()
    command = (
        f"sera evaluate erik --method both --fraction {arguments.fraction:g} --dls "
        f"--floor {arguments.floor}"
    )
    wish = Wish(methods=METHODS, fraction=arguments.fraction, floor=arguments.floor, baselines=True)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        outcome = evaluate(wish, folder, command=command, watch=tell)
        report = outcome.report.read_text(encoding="utf-8")
        head = report.splitlines()[2]
        text = f"{head}\n\n{tables_of(report)}"
        print(text)
        if arguments.write:
            write_into(ROOT / "docs" / "benchmarks.md", text, mark="bench-evaluation")
            for source, target in PICTURES.items():
                shutil.copy(folder / source, ROOT / "docs" / "figures" / target)


if __name__ == "__main__":
    main()
