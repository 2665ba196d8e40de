"""Writes everything that other programs get of a study into one folder."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

from sera.study.data import Participation
from sera.study.export._elan_folder import ElanFolder
from sera.study.export.codebook import codebook_csv, codebook_markdown
from sera.study.export.column import Table
from sera.study.export.durations import Durations, durations_of
from sera.study.export.eaf import EafDocument, LinkedMedia, eaf_text
from sera.study.export.long import long_table
from sera.study.export.media_links import linked, media_of, media_stretches
from sera.study.export.recorded import Recorded, run_ids
from sera.study.export.safe_csv import csv_text
from sera.study.export.sav import SavCodes, SavNeeds, write_sav
from sera.study.export.tiers import tiers_of
from sera.study.export.wide import wide_table
from sera.study.measures import SessionLog
from sera.study.plan import StudyPlan
from sera.study.questionnaire import Questionnaire

CODEBOOK = "codebook"


@dataclass(frozen=True, slots=True)
class ExportWish:
    """What is wanted."""

    everything: bool = False
    """Also sessions that do not count: of other kinds, and of other fates."""
    streams: bool = False
    """Also messages that come many times a second."""
    byte_order_mark: bool = False
    sav: bool | None = None
    """The file for SPSS: True and False mean it, None: where what writes it is installed."""


@dataclass(slots=True)
class Export:
    """What was written."""

    simulated: bool
    files: list[Path] = field(default_factory=list)
    tables: dict[str, int] = field(default_factory=dict)
    """Rows by table."""
    notes: list[str] = field(default_factory=list)
    """What a reader has to know, one sentence each."""


def export(
    plan: StudyPlan,
    rows: Sequence[Participation],
    forms: Mapping[str, Questionnaire],
    recorded: Sequence[Recorded],
    folder: Path,
    *,
    wish: ExportWish,
    now: datetime,
) -> Export:
    """Write the tables of a study, their codebook and what else is wanted.

    Args:
        plan: of the study.
        rows: all rows of the study.
        forms: the questionnaires as the study uses them.
        recorded: logs and media, as far as there are any.
        folder: where it goes; files of an earlier export are replaced.
        wish: what is wanted.
        now: time on the wall, with its zone.

    Raises:
        SavNeeds: what writes files for SPSS is not installed.
        OSError: a file cannot be written.
    """
    chosen = [row for row in rows if wish.everything or counts(row)]
    made = _Writing(plan, chosen, forms, folder, wish=wish, now=now)
    wanted = {row.session for row in chosen}
    made.write([one for one in recorded if one.session in wanted])
    left = len({row.session for row in rows}) - len(wanted)
    if left:
        made.export.notes.append(
            f"{left} {'session does' if left == 1 else 'sessions do'} not count and "
            f"{'was' if left == 1 else 'were'} left out; --all takes every session, with its fate"
        )
    told = [
        f"{row.participant}, session {row.session}: {problem}"
        for row in chosen
        for problem in row.problems
    ]
    made.export.notes += dict.fromkeys(told)
    if not chosen:
        made.export.notes.append("no session counts yet: the tables have no rows")
    return made.export


def counts(row: Participation) -> bool:
    """Whether analyses take it: completed, and of the study or of a simulation as a whole."""
    return row.fate == "completed" and row.kind in ("study", "simulated")


class _Writing:
    def __init__(
        self,
        plan: StudyPlan,
        rows: Sequence[Participation],
        forms: Mapping[str, Questionnaire],
        folder: Path,
        *,
        wish: ExportWish,
        now: datetime,
    ) -> None:
        self._plan, self._rows, self._forms = plan, rows, forms
        self._folder, self._wish, self._now = folder, wish, now
        self.export = Export(simulated=any(row.simulated for row in rows))

    def write(self, recorded: Sequence[Recorded]) -> None:
        logs = [(one, one.log()) for one in recorded]
        durations: dict[tuple[str, int], Durations] | None = None
        if logs:
            durations = {
                (one.session, one.period): durations_of(log, self._forms, one.session)
                for one, log in logs
            }
        wide = wide_table(self._plan, self._rows, self._forms, durations)
        self._write_tables([wide, long_table(self._plan, logs, streams=self._wish.streams)])
        elan = ElanFolder(self._folder / "elan")
        for one in recorded:
            self._write_elan(elan, one)
        elan.close()
        self.export.files += elan.files
        self.export.notes += elan.notes
        self.export.notes += wide.notes

    def _write_tables(self, tables: Sequence[Table]) -> None:
        self._folder.mkdir(parents=True, exist_ok=True)
        mark = self._wish.byte_order_mark
        codes = None if self._wish.sav is False else self._write_sav(tables[0])
        for table in tables:
            names = [column.name for column in table.columns]
            self._file(f"{table.name}.csv", csv_text(names, table.rows, byte_order_mark=mark))
            self.export.tables[table.name] = len(table.rows)
        self._file(f"{CODEBOOK}.csv", codebook_csv(tables, codes, byte_order_mark=mark))
        told = codebook_markdown(
            self._plan.study.title, tables, codes, simulated=self.export.simulated
        )
        self._file(f"{CODEBOOK}.md", told)

    def _write_sav(self, table: Table) -> SavCodes | None:
        path = self._folder / "wide.sav"
        draft = path.with_name(f".{path.name}")
        label = f"SIMULATED {self._plan.study.title}"
        title = label if self.export.simulated else self._plan.study.title
        try:
            codes = write_sav(table, draft, title).for_codebook()
        except SavNeeds as error:
            if self._wish.sav:
                raise
            self.export.notes.append(f"there is no wide.sav: {error}")
            return None
        draft.replace(path)
        self.export.files.append(path)
        return codes

    def _file(self, name: str, text: str) -> None:
        path = self._folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        draft = path.with_name(f".{path.name}")
        draft.write_bytes(text.encode("utf-8", "replace"))
        draft.replace(path)  # a reader finds the old or the new one
        self.export.files.append(path)

    # -- ELAN -----------------------------------------------------------------------------

    def _write_elan(self, elan: ElanFolder, one: Recorded) -> None:
        for path in one.logs:
            log = SessionLog.from_file(path)
            number = path.parent.name if one.kind != "simulated" else str(one.period)
            name = f"{one.session}_{number}"
            elan.write(f"{name}.eaf", self._eaf(one, log, 0.0, []))
            if one.media is None:
                continue
            media = media_of(one.media, path, run_ids(one.session, path))
            for place, stretch in enumerate(media_stretches(media), start=1):
                own = f"{name}_media{place}.eaf"
                zero_s, links = linked(stretch, elan.folder / own)
                elan.write(own, self._eaf(one, log, zero_s, links))

    def _eaf(
        self, one: Recorded, log: SessionLog, zero_s: float, media: Sequence[LinkedMedia]
    ) -> str:
        document = EafDocument(
            tiers=tiers_of(self._plan, log, zero_s),
            media=media,
            date=self._now.isoformat(timespec="seconds"),
            properties={
                "sera_session": one.session,
                "sera_participant": one.participant,
                "sera_simulated": str(one.kind == "simulated").lower(),
                "sera_zero_s": f"{zero_s:.3f}",
            },
        )
        return eaf_text(document)
