"""docs/run-a-study.md, followed to the letter: from an empty folder to a report."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

PAGE = Path(__file__).parents[2] / "docs" / "run-a-study.md"


def test_the_page_leads_from_an_empty_folder_to_a_report(place: Any) -> None:
    text = PAGE.read_text(encoding="utf-8")
    conditions, study = re.findall(r"```toml\n(.*?)```", text, re.DOTALL)
    made = place.sera("new", "workspace", "lab")
    assert made.returncode == 0, made.stderr
    place.folder /= "lab"
    assert place.sera("new", "scenario", "greeting").returncode == 0
    scenario = place.folder / "scenarios" / "greeting" / "scenario.toml"
    with scenario.open("a", encoding="utf-8") as file:
        file.write(f"\n{conditions}")
    scenario.with_name("study.toml").write_text(study, encoding="utf-8")

    listed = place.sera("list", "scenarios")
    assert listed.returncode == 0, listed.stderr
    assert "greeting" not in listed.stderr, "the files of the page have no findings"
    played = place.sera("study", "simulate", "greeting", "--participants", 4)
    assert played.returncode == 0, played.stderr
    assert "Looks at people" in played.stdout
    reported = place.sera("study", "report", "greeting")
    assert reported.returncode == 0, reported.stderr
    files = {Path(line).name: Path(line) for line in reported.stdout.splitlines()}
    assert {"report.html", "report.pdf", "data.csv"} <= set(files)
    page = (place.folder / files["report.html"]).read_text(encoding="utf-8")
    assert "SIMULATED" in page
    assert "A robot that looks" in page
    tables = place.sera("study", "export", "greeting", "--out", "tables")
    assert tables.returncode == 0, tables.stderr
    assert {"wide.csv", "long.csv", "codebook.md", "wide.sav"} <= {
        path.name for path in (place.folder / "tables").iterdir()
    }


def test_every_command_of_the_page_exists_with_its_options(place: Any) -> None:
    text = PAGE.read_text(encoding="utf-8")
    commands = [
        line.partition("#")[0].split()
        for block in re.findall(r"```sh\n(.*?)```", text, re.DOTALL)
        for line in block.splitlines()
        if line.startswith("sera ")
    ]
    assert len(commands) > 10
    for words in commands:
        options = [word for word in words if word.startswith("--")]
        names = [word for word in words[1:] if re.fullmatch(r"[a-z]+", word)]
        depth = 2 if names[0] in ("study", "new") else 1
        helped = place.sera(*names[:depth], "--help")
        assert helped.returncode == 0, words
        for option in options:
            assert option in helped.stdout, words
