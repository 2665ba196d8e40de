"""Films and sound of a session on the clock of its log, where the participant has consented.

`MediaRecording` reads the live pictures and sounds of a run (`sera.feeds`) and writes each into a
file of its own; `ConsentWatch` says whether that is allowed; `MatroskaFilm` and `WaveSound` are the
files, readable at every moment; a `Sidecar` beside each says when it began.
"""

from sera.study.media.check import media_problems
from sera.study.media.consent import ConsentWatch, is_yes, kept_consent
from sera.study.media.films import MatroskaFilm
from sera.study.media.recording import MediaRecording, MediaWanted
from sera.study.media.session import media_settings
from sera.study.media.sidecar import Sidecar, read_sidecars
from sera.study.media.sounds import WaveSound
from sera.study.media.tapes import MediaDiskFull

__all__ = [
    "ConsentWatch",
    "MatroskaFilm",
    "MediaDiskFull",
    "MediaRecording",
    "MediaWanted",
    "Sidecar",
    "WaveSound",
    "is_yes",
    "kept_consent",
    "media_problems",
    "media_settings",
    "read_sidecars",
]
