"""XML text to a tree of elements that know their line, safe on hostile input.

No document type, no entities, and bounds on depth, elements and attributes.
"""

from __future__ import annotations

import codecs
import os
import re
from dataclasses import dataclass, field
from typing import Any
from xml.etree.ElementTree import ParseError as XmlError

from defusedxml.common import DefusedXmlException
from defusedxml.ElementTree import DefusedXMLParser

from ..errors import ParseError
from .source import check_size, check_text, read_bytes

_FIRST_TAG = re.compile(rb"(?:\s+|<\?.*?\?>|<!--.*?-->)*+<([A-Za-z_][\w.-]*)", re.DOTALL)

MAX_DEPTH = 256
MAX_ELEMENTS = 250_000
MAX_ATTRIBUTES = 1000


@dataclass(eq=False)
class Element:
    """An XML element: tag, attributes, line of its start tag, the elements and text inside it."""

    tag: str
    attributes: dict[str, str]
    file: str
    line: int
    children: list[Element] = field(default_factory=list)
    text: str = ""

    def all(self, tag: str) -> list[Element]:
        """The elements of one tag directly inside this one."""
        return [child for child in self.children if child.tag == tag]

    def error(self, message: str) -> ParseError:
        """An error that points at this element."""
        return ParseError(message, self.file, self.line)


def foreign(root: Element) -> str:
    """The program of another format, to be added to an error."""
    return "; this is MuJoCo's format: ph.load reads it" if root.tag == "mujoco" else ""


def root_tag(path: str | os.PathLike[str]) -> str:
    """The tag of the first element of a file, or nothing where none is found."""
    found = _FIRST_TAG.match(read_bytes(path).removeprefix(codecs.BOM_UTF8))
    return found[1].decode() if found else ""


class _Builder:
    """Target of the parser: builds the tree without recursion."""

    def __init__(self, file: str) -> None:
        self.file, self.count = file, 0
        self.parser: Any = None
        self.root: Element | None = None
        self.stack: list[Element] = []
        self.texts: list[list[str]] = []

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        element = Element(tag, attributes, self.file, self.parser.CurrentLineNumber)
        self.count += 1
        if len(self.stack) >= MAX_DEPTH:
            raise element.error(f"elements are nested more than {MAX_DEPTH} deep")
        if self.count > MAX_ELEMENTS:
            raise element.error(f"more than {MAX_ELEMENTS} elements")
        if len(attributes) > MAX_ATTRIBUTES:
            raise element.error(f"an element with more than {MAX_ATTRIBUTES} attributes")
        if self.stack:
            self.stack[-1].children.append(element)
        else:
            self.root = element
        self.stack.append(element)
        self.texts.append([])

    def end(self, tag: str) -> None:
        self.stack.pop().text = "".join(self.texts.pop()).strip()

    def data(self, text: str) -> None:
        self.texts[-1].append(text)

    def close(self) -> Element | None:
        return self.root


def parse_xml(text: str | bytes, file: str) -> Element:
    """The root element of an XML text.

    Raises
    ------
    ParseError
        With the line, if the text is not well-formed, too large or has a document type.
    """
    data = text.encode("utf-8", "replace") if isinstance(text, str) else text
    check_size(data, file)
    check_text(data, file, "XML")
    builder = _Builder(file)
    encoding = "utf-8" if isinstance(text, str) else None
    parser: Any = DefusedXMLParser(target=builder, encoding=encoding, forbid_dtd=True)
    builder.parser = parser.parser
    try:
        parser.feed(data)
        root = parser.close()
    except XmlError as error:
        line = error.position[0]
        raise ParseError(f"not well-formed XML: {_reason(error)}", file, line) from None
    except DefusedXmlException:
        line = parser.parser.CurrentLineNumber
        raise ParseError(
            "a document type or entity declaration is not allowed here", file, line
        ) from None
    except (LookupError, ValueError) as error:
        if isinstance(error, ParseError):
            raise
        raise ParseError(f"cannot decode the file: {error}", file, 1) from None
    return root


def _reason(error: XmlError) -> str:
    return str(error).split(": line ")[0]
