"""Bodies for pages: what a robot looks like and how it moves, as URDF with shapes.

`GET /console/api/bodies/<robot>` describes any robot of the workspace (see `_description`);
`GET /console/api/bodies/<robot>/urdf` is its URDF as a file. Computed in a child process and kept
in memory until a file of the body changes. Nothing is imported here, since the child need not know
how pages are served.
"""
