"""XML text to a tree of elements that know their line, safe on hostile input.

No document type, no entities, and bounds on depth, elements and attributes.  Names with a prefix
are names like any other, as in the programs that these files are for: a prefix needs no namespace.
"""

from __future__ import annotations

import codecs
import io
import os
import re
from dataclasses import dataclass, field
from typing import Any
from xml.sax import SAXParseException
from xml.sax.handler import ContentHandler
from xml.sax.xmlreader import AttributesImpl, InputSource

from defusedxml.common import DefusedXmlException
from defusedxml.expatreader import DefusedExpatParser

from ..errors import ParseError
from .source import check_size, check_text, read_bytes

_FIRST_TAG = re.compile(rb"(?:\s+|<\?.*?\?>|<!--.*?-->)*+<([A-Za-z_][\w.-]*)", re.DOTALL)

MAX_DEPTH = 256
MAX_ELEMENTS = 250_000
MAX_ATTRIBUTES = 1000
NAMESPACE = "xmlns"


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


_FORMATS = {
    "mujoco": ("MuJoCo's format", ".xml or .mjcf"), "robot": ("a URDF", ".urdf"),
    "sdf": ("an SDF", ".sdf"), "MOBY": ("Moby's format", ".xml"),
    "OpenSimDocument": ("an OpenSim model", ".osim"),
}  # fmt: skip
"""What a root says that a file is, and how names of such files end."""


def foreign(root: Element) -> str:
    """Of what other format a file is, and how that is read, to be added to an error."""
    if root.tag not in _FORMATS:
        return ""
    what, ending = _FORMATS[root.tag]
    return f"; this is {what}: ph.load reads it from a file name that ends in {ending}"


def root_tag(path: str | os.PathLike[str]) -> str:
    """The tag of the first element of a file, or nothing where none is found."""
    found = _FIRST_TAG.match(read_bytes(path).removeprefix(codecs.BOM_UTF8))
    return found[1].decode() if found else ""


class _Builder(ContentHandler):
    """Handler of the parser: builds the tree without recursion."""

    def __init__(self, file: str) -> None:
        super().__init__()
        self.file, self.count = file, 0
        self.locator: Any = None
        self.root: Element | None = None
        self.stack: list[Element] = []
        self.texts: list[list[str]] = []

    @property
    def line(self) -> int:
        """Where the parser is."""
        return self.locator.getLineNumber()

    def setDocumentLocator(self, locator: Any) -> None:
        self.locator = locator

    def startElement(self, name: str, attrs: AttributesImpl[str]) -> None:
        attributes = {key: value for key, value in attrs.items()
                      if key.partition(":")[0] != NAMESPACE}  # fmt: skip
        element = Element(name, attributes, self.file, self.line)
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

    def endElement(self, name: str) -> None:
        self.stack.pop().text = "".join(self.texts.pop()).strip()

    def characters(self, content: str) -> None:
        self.texts[-1].append(content)


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
    source, parser = InputSource(), DefusedExpatParser(forbid_dtd=True)
    source.setByteStream(io.BytesIO(data))
    if isinstance(text, str):
        source.setEncoding("utf-8")
    parser.setContentHandler(builder)
    try:
        parser.parse(source)
    except SAXParseException as error:
        why = f"not well-formed XML: {error.getMessage()}"
        raise ParseError(why, file, error.getLineNumber()) from None
    except DefusedXmlException:
        raise ParseError(
            "a document type or entity declaration is not allowed here", file, builder.line
        ) from None
    except (LookupError, ValueError) as error:
        if isinstance(error, ParseError):
            raise
        raise ParseError(f"cannot decode the file: {error}", file, 1) from None
    assert builder.root is not None
    return builder.root
