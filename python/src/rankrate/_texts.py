"""Lists of texts as arguments."""

from __future__ import annotations

from collections.abc import Iterable

Texts = Iterable[str]
TextLists = Iterable[Iterable[str]]


def as_texts(texts: Texts, name: str) -> list[str]:
    """The texts as a list.

    Raises:
        TypeError: They are one text, or one of them is no text.
    """
    if isinstance(texts, str):
        raise TypeError(f"{name} is one text: give a list of texts")
    listed = list(texts)
    for place, text in enumerate(listed):
        if not isinstance(text, str):
            raise TypeError(f"{name}[{place}] is no text but {text!r}")
    # Some arrays hold subclasses of str.
    return [str(text) for text in listed]


def as_text_lists(lists: TextLists, name: str) -> list[list[str]]:
    """The lists of texts as lists.

    Raises:
        TypeError: One of them is a text itself, or holds something else than texts.
    """
    if isinstance(lists, str):
        raise TypeError(f"{name} is one text: give a list of lists of texts")
    return [as_texts(texts, f"{name}[{place}]") for place, texts in enumerate(lists)]
