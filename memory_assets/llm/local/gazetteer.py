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
    listed = [(attribute, name) for attribute, name in _listed(faker.providers.person) if _LATIN_WORD.match(name)]
    first = frozenset(name for attribute, name in listed if "first" in attribute)
    return first, frozenset(name for attribute, name in listed if attribute.startswith("last"))


@lru_cache(maxsize=1)
def _pronouns() -> dict[str, frozenset[str]]:
    found: defaultdict[str, set[str]] = defaultdict(set)
    for attribute, name in _listed(faker.providers.person):
        if "first" in attribute and "male" in attribute:
            found[name].add("she" if "female" in attribute else "he")
    return {name: frozenset(pronouns) for name, pronouns in found.items()}


@lru_cache(maxsize=1)
def _places() -> frozenset[str]:
    kinds = {"countries", "states", "cities", "city_names"}
    listed = (name for attribute, name in _listed(faker.providers.address) if attribute in kinds)
    return frozenset(name for name in listed if name[:1].isupper() and name.isascii())


def _locales(package: ModuleType, language: str = "") -> Iterator[ModuleType]:
    for locale in sorted(module.name for module in pkgutil.iter_modules(package.__path__)):
        if language and locale.partition("_")[0] != language:
            continue
        yield import_module(f"{package.__name__}.{locale}")


def _listed(package: ModuleType) -> Iterator[tuple[str, str]]:
    """The words of all providers' lists, each with its list's name; some are mappings from a word to its weight."""
    for module in _locales(package):
        for attribute, value in sorted(vars(module.Provider).items()):
            if not attribute.startswith("_") and isinstance(value, (tuple, list, dict)):
                yield from ((attribute, word.strip()) for word in value if isinstance(word, str))
