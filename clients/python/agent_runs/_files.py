from __future__ import annotations

import base64
import os
import pathlib
from collections.abc import Iterable
from typing import NamedTuple, Union

FileInput = Union[str, "os.PathLike[str]", tuple[str, bytes]]
"""A file for a run: a path, or a name with the content."""


class NamedBytes(NamedTuple):
    name: str
    content: bytes


def read_files(files: Iterable[FileInput]) -> list[NamedBytes]:
    return [NamedBytes(*file) if isinstance(file, tuple) else _read(pathlib.Path(file)) for file in files]


def _read(path: pathlib.Path) -> NamedBytes:
    return NamedBytes(path.name, path.read_bytes())


def write_bytes(to: str | os.PathLike[str], name: str, content: bytes) -> pathlib.Path:
    """Writes a file. In a folder, it gets `name`. Returns its path."""
    path = pathlib.Path(to)
    if path.is_dir():
        path /= pathlib.PurePath(name).name
    path.write_bytes(content)
    return path


def inline(file: NamedBytes) -> dict[str, str]:
    return {"filename": file.name, "content_base64": base64.b64encode(file.content).decode("ascii")}
