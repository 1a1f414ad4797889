from __future__ import annotations

import base64
import contextlib
import dataclasses
import hashlib
import io
import os
import pathlib
from collections.abc import Iterable, Iterator, Mapping
from typing import IO, Any, Protocol, TypeGuard, Union

from ._errors import InvalidArgument

FileInput = Union[str, "os.PathLike[str]", IO[bytes], tuple[str, bytes | IO[bytes]]]
"""
A file for a run: a path, a binary file, or a name with the content or a binary file. Large ones are read while they are
sent. A binary file is read from where it stands, and not closed.
"""

_part = 256 * 1024
"""Bytes that are read at a time."""


class FileCollection(Protocol):
    """Files for a run, as a list, a tuple or a set. A text is none: its `__contains__` takes only texts."""

    def __iter__(self) -> Iterator[FileInput]: ...

    def __contains__(self, file: object, /) -> bool: ...


FileInputs = FileCollection | Iterator[FileInput]
"""The files for a run: a list, or what else can be iterated over, but not one path."""


@dataclasses.dataclass(frozen=True)
class Content:
    """A file for a run, which can be read several times, in parts."""

    name: str
    size: int
    source: bytes | pathlib.Path | IO[bytes]
    start: int = 0
    """Where the file begins in `source`."""

    def parts(self) -> Iterator[bytes]:
        """`size` bytes, or fewer if the file became shorter."""
        rest = self.size
        with self._opened() as file:
            while rest > 0 and (part := file.read(min(_part, rest))):
                rest -= len(part)
                yield part

    def sha256(self) -> str:
        digest = hashlib.sha256()
        for part in self.parts():
            digest.update(part)
        return digest.hexdigest()

    def inline(self) -> dict[str, str]:
        """The file as a request has it."""
        return {"filename": self.name, "content_base64": base64.b64encode(b"".join(self.parts())).decode("ascii")}

    @contextlib.contextmanager
    def _opened(self) -> Iterator[IO[bytes]]:
        if isinstance(self.source, bytes):
            yield io.BytesIO(self.source)
        elif isinstance(self.source, pathlib.Path):
            with self.source.open("rb") as file:
                yield file
        else:
            self.source.seek(self.start)
            yield self.source


def open_files(files: FileInputs) -> list[Content]:
    """The files, whose contents are not read yet."""
    is_one_file = isinstance(files, (str, bytes, Mapping)) or _is_named(files) or _is_file(files)
    if is_one_file or not isinstance(files, Iterable):
        raise InvalidArgument(
            f"files is {_shown(files)}; accepted: a list of paths and (name, bytes), such as ['a.csv']"
        )
    return [_open(file, f"files[{index}]") for index, file in enumerate(files)]


def _open(file: FileInput, place: str) -> Content:
    if _is_named(file):
        name, content = file
        return _content_of(name, content, place)
    if isinstance(file, (str, os.PathLike)):
        path = pathlib.Path(file)
        has_size = path.is_file() and path.stat().st_size > 0  # a pipe and the files of /proc have none
        if not has_size:
            return _content_of(path.name, path.read_bytes(), place)
        return Content(path.name, path.stat().st_size, path)
    if _is_file(file):
        own_name: object = getattr(file, "name", None)
        if isinstance(own_name, str):
            return _content_of(pathlib.Path(own_name).name, file, place)
        raise InvalidArgument(f"{place} is a file without a name; pass a tuple (name, file)")
    raise InvalidArgument(f"{place} is {_shown(file)}; accepted: a path, a binary file, or a tuple (name, bytes)")


def _content_of(name: str, content: bytes | IO[bytes], place: str) -> Content:
    if isinstance(content, (bytes, bytearray, memoryview)):
        return Content(name, len(bytes(content)), bytes(content))
    if isinstance(content, io.TextIOBase):
        raise InvalidArgument(f"{place} is a file in text mode; open it in binary mode: open(path, 'rb')")
    if not content.seekable():
        return _content_of(name, content.read(), place)
    start = content.tell()
    return Content(name, content.seek(0, os.SEEK_END) - start, content, start)


def _is_file(value: object) -> TypeGuard[IO[bytes]]:
    return hasattr(value, "read") and hasattr(value, "seekable")


def _is_named(value: object) -> TypeGuard[tuple[str, bytes | IO[bytes]]]:
    if not isinstance(value, tuple) or len(value) != 2 or not isinstance(value[0], str):
        return False
    content: Any = value[1]
    return isinstance(content, (bytes, bytearray, memoryview)) or _is_file(content)


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
