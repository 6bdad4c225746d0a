"""What a browser would make of a page that a test has as text."""

from __future__ import annotations

from html.parser import HTMLParser

ASKING = ("src", "href", "xlink:href", "srcset", "action", "data")
"""Attributes that a browser loads from; those that begin with `on` it runs."""


class Seen(HTMLParser):
    """What a browser would make of a page: its tags, its texts, and what it would ask for."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.asked: list[str] = []
        self.ids: list[str] = []
        self.tags: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        values = dict(attrs)
        self.asked += [
            f"{tag} {name}={value}"
            for name, value in attrs
            if name.startswith("on") or (name in ASKING and not str(value).startswith("#"))
        ]
        self.ids += [str(values["id"])] if "id" in values else []
        if tag not in ("meta", "input", "link", "br", "img"):
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def seen(html: str) -> Seen:
    parser = Seen()
    parser.feed(html)
    parser.close()
    assert parser.open == []
    return parser
