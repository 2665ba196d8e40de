"""Copy three.js and urdf-loader into the console, so that its pages need no other host.

    npm install three urdf-loader        # in a scratch folder
    python tools/vendor_console.py SCRATCH/node_modules

The console's content security policy forbids inline import maps, so bare imports (`'three'`) are
rewritten to relative paths; and the Collada loader, which no body of ours needs, is left out.
Everything else is copied as it was published.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import sys
from pathlib import Path

VENDOR_FOLDER = Path(__file__).parent.parent / "sera" / "console" / "vendor"

COPIES = {
    "three/build/three.core.js": "three/three.core.js",
    "three/build/three.module.js": "three/three.module.js",
    "three/examples/jsm/controls/OrbitControls.js": "three/OrbitControls.js",
    "three/examples/jsm/math/ConvexHull.js": "three/ConvexHull.js",
    "three/examples/jsm/geometries/ConvexGeometry.js": "three/ConvexGeometry.js",
    "three/examples/jsm/loaders/STLLoader.js": "three/STLLoader.js",
    "urdf-loader/src/URDFLoader.js": "urdf-loader/URDFLoader.js",
    "urdf-loader/src/URDFClasses.js": "urdf-loader/URDFClasses.js",
}
"""Published file (below node_modules) to ours (below vendor)."""
IMPORTED = {
    "three": "three/three.module.js",
    "three/examples/jsm/loaders/STLLoader.js": "three/STLLoader.js",
    "../math/ConvexHull.js": "three/ConvexHull.js",
}
"""Import as it is written to the file of ours that it means."""
COLLADA_IMPORT = "import { ColladaLoader } from 'three/examples/jsm/loaders/ColladaLoader.js';\n"
COLLADA_USE = re.compile(
    r" else if \(/\\\.dae\$/i\.test\(path\)\) \{\s*"
    r"const loader = new ColladaLoader\(manager\);\s*"
    r"loader\.load\([^\n]*\n\s*\}"
)
README = """# What the console brings along

These files are other people's work, under their own licences, copied here so that the console asks
no other host for anything. `python tools/vendor_console.py FOLDER/node_modules` makes this folder
anew from the packages that `npm install three urdf-loader` downloads.

| folder | package | version | licence | home |
|---|---|---|---|---|
| `three/` | `three` | {three} | MIT | threejs.org |
| `urdf-loader/` | `urdf-loader` | {urdf_loader} | Apache-2.0 | github.com/gkjohnson/urdf-loaders |

## What was changed

- Files that are imported as `'three'` or from its `examples/` are imported by relative paths
  (`{relative}`): the content security policy allows no inline import map.
- `three/`: files of `build/` and `examples/jsm/` lie in one folder. Nothing else was changed.
- `urdf-loader/URDFLoader.js`: the Collada loader, its import and its branch in
  `defaultMeshLoader`, was taken out. Nothing else was changed.
"""


def main(arguments: list[str]) -> int:
    """Copy and rewrite; returns the exit code."""
    if len(arguments) != 1:
        print(__doc__)
        return 2
    packages = Path(arguments[0])
    try:
        vendor(packages, VENDOR_FOLDER)
    except (OSError, ValueError) as error:
        print(f"nothing was changed or only a part: {error}", file=sys.stderr)
        return 1
    return 0


def vendor(packages: Path, folder: Path) -> None:
    """Fill the folder from packages as npm installs them.

    Raises:
        ValueError: a file no longer looks as this expects; says which.
    """
    texts = {
        ours: _rewritten((packages / published).read_text(encoding="utf-8"), published, ours)
        for published, ours in COPIES.items()
    }
    for ours, text in texts.items():
        place = folder / ours
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text, encoding="utf-8")
    shutil.copyfile(packages / "three" / "LICENSE", folder / "three" / "LICENSE")
    _copy_licence(packages / "urdf-loader", folder / "urdf-loader" / "LICENSE")
    versions = {
        name.replace("-", "_"): json.loads((packages / name / "package.json").read_text())[
            "version"
        ]
        for name in ("three", "urdf-loader")
    }
    told = README.format(relative="'../three/three.module.js'", **versions)
    (folder / "README.md").write_text(told, encoding="utf-8")


def _rewritten(text: str, published: str, ours: str) -> str:
    if published.endswith("URDFLoader.js"):
        shorter = COLLADA_USE.sub("", text.replace(COLLADA_IMPORT, ""))
        if re.search(r"new ColladaLoader|import \{ ColladaLoader", shorter):
            raise ValueError(
                f"{published} uses the Collada loader in another way: adapt COLLADA_USE"
            )
        text = shorter

    def relative(match: re.Match[str]) -> str:
        wanted = match["wanted"]
        if wanted not in IMPORTED:
            if not wanted.startswith("./") or "/" in wanted[2:]:
                raise ValueError(f"{published} imports {wanted!r}: add it to COPIES and IMPORTED")
            return match[0]
        path = os.path.relpath(IMPORTED[wanted], Path(ours).parent)
        return f"{match['before']}'{path if path.startswith('.') else f'./{path}'}'"

    return re.sub(
        r"(?P<before>^(?:import\b|export\b|\})[^'\"\n]*\bfrom\s+)['\"](?P<wanted>[^'\"]+)['\"]",
        relative,
        text,
        flags=re.MULTILINE,
    )


def _copy_licence(package: Path, place: Path) -> None:
    """The package names its licence without bringing the text along."""
    if (package / "LICENSE").exists():
        shutil.copyfile(package / "LICENSE", place)
    elif not place.exists():
        raise ValueError(
            f"{package} has no LICENSE: put the text of the Apache License 2.0 into {place} once"
        )


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
