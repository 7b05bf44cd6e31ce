"""Names of people, places and months as many countries write them. The one place that touches Faker.

Its lists are read as data: who is called so is probably a person, wherever a name is. They are
evidence among other evidence (see kinds): Paris is a city and a person, Grace a person and a word.
"""

from __future__ import annotations

import pkgutil
import re
from collections import defaultdict
from collections.abc import Iterator
from functools import lru_cache
from importlib import import_module
from types import ModuleType

import faker.providers.address
import faker.providers.date_time
import faker.providers.person

_LATIN_WORD = re.compile(r"[A-ZÀ-ÖØ-ÞĀ-Ž][A-Za-zÀ-ÖØ-öø-ÿĀ-žșț]+(?:[-'’][^\W\d_]+)*$")


def is_given_name(word: str) -> bool:
    """Whether somebody's first name is written like this."""
    return word in _people()[0]


def pronoun_of(given_name: str) -> str | None:
    """ "he" or "she", where all who are called so are listed as one of both; None where the lists leave it open."""
    pronouns = _pronouns().get(given_name, frozenset())
    return next(iter(pronouns)) if len(pronouns) == 1 else None


def is_surname(word: str) -> bool:
    """Whether somebody's surname is written like this."""
    return word in _people()[1]


def is_place(name: str) -> bool:
    """Whether a country, a state or a larger city is written like this."""
    return name in _places()


@lru_cache(maxsize=8)
def months_of(language: str) -> dict[str, int]:
    """The months of a language, in all its countries, in small letters: "jänner" is 1 in German."""
    return {
        name.lower(): int(number)
        for module in _locales(faker.providers.date_time, language)
        for number, name in getattr(module.Provider, "MONTH_NAMES", {}).items()
    }


@lru_cache(maxsize=8)
def weekdays_of(language: str) -> dict[str, int]:
    """The days of the week in a language, in small letters, Monday 0: "sonnabend" is 5 in German where it is listed."""
    return {
        name.lower(): (int(number) - 1) % 7
        for module in _locales(faker.providers.date_time, language)
        for number, name in getattr(module.Provider, "DAY_NAMES", {}).items()
    }


@lru_cache(maxsize=1)
def _people() -> tuple[frozenset[str], frozenset[str]]:
    first: set[str] = set()
    last: set[str] = set()
    for module in _locales(faker.providers.person):
        for attribute, names in _lists(module):
            if "first" in attribute:
                first.update(names)
            elif attribute.startswith("last"):
                last.update(names)
    return frozenset(filter(_LATIN_WORD.match, first)), frozenset(filter(_LATIN_WORD.match, last))


@lru_cache(maxsize=1)
def _pronouns() -> dict[str, frozenset[str]]:
    found: defaultdict[str, set[str]] = defaultdict(set)
    for module in _locales(faker.providers.person):
        for attribute, names in _lists(module):
            if "first" in attribute and "male" in attribute:
                for name in names:
                    found[name].add("she" if "female" in attribute else "he")
    return {name: frozenset(pronouns) for name, pronouns in found.items()}


@lru_cache(maxsize=1)
def _places() -> frozenset[str]:
    found: set[str] = set()
    for module in _locales(faker.providers.address):
        for attribute, names in _lists(module):
            if attribute in {"countries", "states", "cities", "city_names"}:
                found.update(names)
    return frozenset(name for name in found if name[:1].isupper() and name.isascii())


def _locales(package: ModuleType, language: str = "") -> Iterator[ModuleType]:
    for locale in sorted(module.name for module in pkgutil.iter_modules(package.__path__)):
        if language and locale.partition("_")[0] != language:
            continue
        yield import_module(f"{package.__name__}.{locale}")


def _lists(module: ModuleType) -> Iterator[tuple[str, list[str]]]:
    """The provider's lists of words; some are mappings from a word to its weight."""
    for attribute, value in sorted(vars(module.Provider).items()):
        if not attribute.startswith("_") and isinstance(value, (tuple, list, dict)):
            yield attribute, [word.strip() for word in value if isinstance(word, str)]
