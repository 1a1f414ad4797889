from __future__ import annotations

import base64
import os
import pathlib
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple, Protocol, Union

from ._errors import InvalidArgument

FileInput = Union[str, "os.PathLike[str]", tuple[str, bytes]]
"""A file for a run: a path, or a name with the content."""


class FileCollection(Protocol):
    """Files for a run, as a list, a tuple or a set. A text is none: its `__contains__` takes only texts."""

    def __iter__(self) -> Iterator[FileInput]: ...

    def __contains__(self, file: object, /) -> bool: ...


FileInputs = FileCollection | Iterator[FileInput]
"""The files for a run: a list, or what else can be iterated over, but not one path."""


class NamedBytes(NamedTuple):
    name: str
    content: bytes


def read_files(files: FileInputs) -> list[NamedBytes]:
    is_one_file = isinstance(files, (str, bytes, Mapping)) or (isinstance(files, tuple) and _is_named_bytes(files))
    if is_one_file or not isinstance(files, Iterable):
        raise InvalidArgument(
            f"files is {_shown(files)}; accepted: a list of paths and (name, bytes), such as ['a.csv']"
        )
    return [_read(file, f"files[{index}]") for index, file in enumerate(files)]


def _read(file: FileInput, place: str) -> NamedBytes:
    if isinstance(file, tuple) and _is_named_bytes(file):
        return NamedBytes(*file)
    if isinstance(file, (str, os.PathLike)):
        path = pathlib.Path(file)
        return NamedBytes(path.name, path.read_bytes())
    raise InvalidArgument(f"{place} is {_shown(file)}; accepted: a path, or a tuple (name, bytes)")


def _is_named_bytes(value: tuple[object, ...]) -> bool:
    return len(value) == 2 and isinstance(value[0], str) and isinstance(value[1], (bytes, bytearray, memoryview))


def _shown(value: object) -> str:
    """A value for a message, without the content of files."""
    if isinstance(value, (bytes, bytearray, memoryview)):
        return f"{len(value)} bytes"
    if isinstance(value, Mapping):
        return f"a {type(value).__name__}"
    if isinstance(value, tuple):
        return f"({', '.join(map(_shown, value))})"
    text = repr(value)
    return text if len(text) <= 100 else f"{text[:99]}…"


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
