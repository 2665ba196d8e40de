"""The sheet of all curves can be drawn."""

from __future__ import annotations

from pathlib import Path

from sera.animation.signals import _gallery


def test_the_gallery_draws_every_signal(tmp_path: Path):
    path = tmp_path / "signals.png"
    _gallery.draw_gallery(path)
    assert path.read_bytes().startswith(b"\x89PNG")
    folder = Path(_gallery.__file__).parent
    source = (folder / "_gallery.py").read_text()
    for file in folder.glob("[a-z]*.py"):
        assert f"signals.{file.stem} import" in source
