"""Checks a built manual: its links, anchors and pictures, and the files of the repository that pages name.

Links of the documents beside it, such as the README, are checked as well.

    python3 docs/build/check.py target/manual
"""

from __future__ import annotations

import re
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

ROOT = Path(__file__).resolve().parents[2]
SOURCES = ROOT / "docs/src"
# What a path in the repository begins with; `data/` and the like belong to the reader.
FOLDERS = "app|bench|crates|docs|end2end|migrations|python|scripts|server|style|testdata|tests|xtask"
REPOSITORY_PATH = re.compile(rf"`((?:{FOLDERS})/[\w./-]+|[A-Z]+\.md|rankrate\.example\.toml|Containerfile|justfile)`")


class Page(HTMLParser):
    """The links and anchors of a page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.links: list[str] = []
        self.anchors: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Keep the links and anchors of a tag."""
        for name, value in attrs:
            if value is not None and name in ("href", "src"):
                self.links.append(value)
            if value is not None and name == "id":
                self.anchors.add(value)


def main() -> None:
    """Print each fault, and exit with 1 if there are any."""
    book = Path(sys.argv[1]).resolve()
    faults = [*link_faults(book), *source_faults(), *document_faults()]
    for fault in faults:
        print(fault, file=sys.stderr)
    if faults:
        sys.exit(f"the manual has {len(faults)} faults")


def link_faults(book: Path) -> list[str]:
    """Links to pages, files and anchors that are not in the book."""
    # The page for printing repeats all others, with links as they are there.
    paths = [path for path in book.rglob("*.html") if path.name not in ("print.html", "404.html", "toc.html")]
    pages = {path: Page(path.read_text(encoding="utf-8")) for path in paths}
    if not pages:
        return [f"{book} has no pages"]
    faults = []
    for path, page in pages.items():
        for link in page.links:
            address = urlsplit(link)
            if address.scheme or address.netloc:
                continue
            target = (path.parent / unquote(address.path)).resolve() if address.path else path
            here = path.relative_to(book)
            if not target.is_relative_to(book) or not target.exists():
                faults.append(f"{here}: there is no {link}")
            elif address.fragment and target in pages and unquote(address.fragment) not in pages[target].anchors:
                faults.append(f"{here}: {link} has no such place")
    return faults


def source_faults() -> list[str]:
    """Files of the repository that pages name and that do not exist, and pages that the book leaves out."""
    faults = []
    summary = (SOURCES / "SUMMARY.md").read_text(encoding="utf-8")
    for path in sorted(SOURCES.rglob("*.md")):
        here = path.relative_to(SOURCES)
        if here.name != "SUMMARY.md" and f"({here.as_posix()})" not in summary:
            faults.append(f"{here} is not in SUMMARY.md")
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            for name in REPOSITORY_PATH.findall(line):
                if not (ROOT / name).exists():
                    faults.append(f"{here}:{number}: there is no {name} in the repository")
    return faults


def document_faults() -> list[str]:
    """Links of the documents beside the manual to files that do not exist."""
    faults = []
    for path in [*sorted(ROOT.glob("*.md")), ROOT / "python/README.md"]:
        for link in re.findall(r"\]\((?!\w+:|#)([^)\s#]+)", path.read_text(encoding="utf-8")):
            if not (path.parent / link).exists():
                faults.append(f"{path.relative_to(ROOT)}: there is no {link}")
    return faults


if __name__ == "__main__":
    main()
