from __future__ import annotations

import base64
import os
import pathlib
from collections.abc import Iterable
from typing import NamedTuple, Union

from ._errors import InvalidArgument

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
    """Writes a file. In a folder, it gets `name`, with sub-folders as in the name. Returns its path."""
    path = pathlib.Path(to)
    if path.is_dir():
        path = _make_place(path, name)
    path.write_bytes(content)
    return path


def _make_place(folder: pathlib.Path, name: str) -> pathlib.Path:
    """
    Makes the folders of `name` in a folder, and returns the path of the file in them. Raises `InvalidArgument` for a
    name that would leave the folder: by its parts, or because a part is a symbolic link.
    """
    parts = name.split("/")
    place = folder
    for number, part in enumerate(parts, 1):
        # On Windows, a part with a backslash or a drive has several parts.
        is_plain = pathlib.PurePath(part).parts == (part,) and part not in (".", "..") and "\0" not in part
        place = place / part
        if not is_plain or place.is_symlink():
            raise InvalidArgument(f"{name!r} would not be a file in {str(folder)!r}; pass the path of the file as `to`")
        if number < len(parts):
            place.mkdir(exist_ok=True)
    return place


def inline(file: NamedBytes) -> dict[str, str]:
    return {"filename": file.name, "content_base64": base64.b64encode(file.content).decode("ascii")}
