"""Every regular expression of the package: those that importing it compiles, and those written into a function.

The first are caught as they are compiled, wherever they end up (a name, a table, a closure). The second are read
from the source and evaluated with their module's names; a name that only the function has is taken to be a short
text. So a pattern that is added later is found without being listed anywhere.
"""

from __future__ import annotations

import ast
import builtins
import importlib
import re
import sys
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

ANCHORED = frozenset({"match", "fullmatch"})
METHODS = ANCHORED | {"search", "sub", "subn", "split", "findall", "finditer"}
SUBSTITUTES = frozenset({"sub", "subn"})
UNBOUNDED = 1 << 30
A_TEXT = "Some text"
"""Stands for a value that only a run knows: such values are escaped or patterns that importing has compiled."""


@dataclass
class Found:
    """A pattern, where it is written, and whether it is ever looked for anywhere but at a text's beginning."""

    compiled: re.Pattern[Any]
    places: set[str] = field(default_factory=set)
    uses: dict[str, int] = field(default_factory=dict)
    """Each method that is called, and how long its text can be."""

    def add(self, use: str, bound: int) -> None:
        self.uses[use] = max(self.uses.get(use, 0), bound)

    @property
    def name(self) -> str:
        return ", ".join(sorted(self.places))


def collect(package: str, only: str = "") -> dict[tuple[Any, int], Found]:
    """All patterns of an importable package, by text and flags; ``only`` those of modules whose path holds it."""
    root = Path(importlib.import_module(package).__file__ or "").parent
    found: dict[tuple[Any, int], Found] = {}
    modules = _import_all(root, package, found)
    bound = _bound(modules)
    uses = _uses(root, package, modules)
    for one in found.values():
        names = bound.get(id(one.compiled), set())
        one.places |= names
        for name in names or {""}:
            for use, most in (uses.get(_key(name)) or {"search": UNBOUNDED}).items():
                one.add(use, most)
    for path in sorted(path for path in root.rglob("*.py") if path.stem != "__main__"):
        for one in _inline(path, modules[_module(path, root, package)], root, uses):
            known = found.setdefault((one.compiled.pattern, one.compiled.flags), one)
            known.places |= one.places
            for use, bound in one.uses.items():
                known.add(use, bound)
    return {key: one for key, one in found.items() if only in one.name}


def _module(path: Path, root: Path, package: str) -> str:
    parts = path.relative_to(root).with_suffix("").parts
    return ".".join((package, *(part for part in parts if part != "__init__")))


def _import_all(root: Path, package: str, found: dict[tuple[Any, int], Found]) -> dict[str, Any]:
    """Import every module anew, and note what is compiled on behalf of its lines."""
    for name in [name for name in sys.modules if name == package or name.startswith(f"{package}.")]:
        del sys.modules[name]
    original = re._compile  # type: ignore[attr-defined]

    def noting(pattern: Any, flags: Any) -> Any:
        compiled = original(pattern, flags)
        frame = sys._getframe(2)
        # A function of the package that compiles for a module's table does so for the table's line.
        while frame.f_code.co_name != "<module>" and frame.f_back and str(root) in frame.f_back.f_code.co_filename:
            frame = frame.f_back
        if str(root) in frame.f_code.co_filename:
            place = f"{Path(frame.f_code.co_filename).relative_to(root)}:{frame.f_lineno}"
            key = (compiled.pattern, compiled.flags)
            found.setdefault(key, Found(compiled)).places.add(place)
        return compiled

    re._compile = noting  # type: ignore[attr-defined]
    try:
        return {
            name: importlib.import_module(name)
            for name in sorted(_module(path, root, package) for path in root.rglob("*.py") if path.stem != "__main__")
        }
    finally:
        re._compile = original  # type: ignore[attr-defined]


def _bound(modules: Mapping[str, Any]) -> dict[int, set[str]]:
    """The names of modules under which a pattern stands by itself."""
    names: dict[int, set[str]] = defaultdict(set)
    for module in modules.values():
        for name, value in vars(module).items():
            if isinstance(value, re.Pattern):
                names[id(value)].add(f"{module.__name__}.{name}")
    return names


def _key(name: str) -> str:
    """Under which a name is used: a constant that others may import by itself, every other one in its own module."""
    last = name.rpartition(".")[2]
    return last if last.isupper() and not last.startswith("_") else name


def _uses(root: Path, package: str, modules: Mapping[str, Any]) -> dict[str, dict[str, int]]:
    """What is done with each name of the package, and with how much text: a pattern's methods, ``search`` if handed
    on.
    """
    uses: dict[str, dict[str, int]] = defaultdict(dict)
    for path in root.rglob("*.py"):
        module = _module(path, root, package)
        tree = ast.parse(path.read_text(encoding="utf-8"))
        calls = {id(node.func): node for node in ast.walk(tree) if isinstance(node, ast.Call)}
        asked = {id(node.value): node for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
        for node in ast.walk(tree):
            if isinstance(node, ast.Name | ast.Attribute) and isinstance(node.ctx, ast.Load):
                name = node.id if isinstance(node, ast.Name) else node.attr
                method = asked.get(id(node))
                use = "search" if method is None else method.attr
                if use in METHODS:
                    call = calls.get(id(method))
                    bound = _bound_of(call.args[use in SUBSTITUTES :], modules.get(module)) if call else UNBOUNDED
                    known = uses[_key(f"{module}.{name}")]
                    known[use] = max(known.get(use, 0), bound)
    return uses


def _bound_of(given: Sequence[ast.expr], module: Any) -> int:
    """How long the text of a call can be: what it is cut to where the call says so (``text[:MAX_LINE]``)."""
    if not given or not isinstance(given[0], ast.Subscript) or not isinstance(given[0].slice, ast.Slice):
        return UNBOUNDED
    upper = given[0].slice.upper
    try:
        value = eval(compile(ast.Expression(upper), "<bound>", "eval"), dict(vars(module))) if upper else None  # noqa: S307
    except NameError:
        return UNBOUNDED
    return value if isinstance(value, int) and value > 0 else UNBOUNDED


class _Names(dict[str, Any]):
    """A module's names; every other one is a text."""

    text: str | bytes = A_TEXT

    def __missing__(self, name: str) -> Any:
        if hasattr(builtins, name):
            raise KeyError(name)
        return self.text


def _compiled(written: ast.expr, flags: Sequence[ast.expr], names: _Names) -> re.Pattern[Any]:
    try:
        text = _value(written, names)
    except TypeError:
        names.text = A_TEXT.encode()
        text = _value(written, names)
    return re.compile(text, _value(flags[0], names) if flags else 0)


def _value(expression: ast.expr, names: _Names) -> Any:
    return eval(compile(ast.Expression(expression), "<pattern>", "eval"), names)  # noqa: S307


def _inline(path: Path, module: Any, root: Path, uses: Mapping[str, Mapping[str, int]]) -> Iterator[Found]:
    """The patterns that functions of a module write into their calls of ``re``."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    functions = (node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.Lambda))
    assigned = {
        id(node.value): target.id
        for node in ast.walk(tree)
        if isinstance(node, ast.Assign)
        for target in node.targets
        if isinstance(target, ast.Name)
    }
    for node in {id(inner): inner for function in functions for inner in ast.walk(function)}.values():
        if not (isinstance(node, ast.Call) and node.args and isinstance(node.func, ast.Attribute)):
            continue
        called = node.func
        if not (
            isinstance(called.value, ast.Name) and called.value.id == "re" and called.attr in METHODS | {"compile"}
        ):
            continue
        given = [keyword.value for keyword in node.keywords if keyword.arg == "flags"]
        place = {"compile": 1, "sub": 4, "subn": 4, "split": 3}.get(called.attr, 2)
        given += node.args[place : place + 1]
        try:
            compiled = _compiled(node.args[0], given, _Names(vars(module), __builtins__=builtins))
        except Exception as error:  # noqa: BLE001
            where = f"{path.relative_to(root)}:{node.lineno}"
            raise AssertionError(
                f"{where}: a pattern that no test can see ({error}); compile it in the module."
            ) from error
        found = Found(compiled, {f"{path.relative_to(root)}:{node.lineno}"})
        if called.attr == "compile":
            known = uses.get(_key(f"{module.__name__}.{assigned[id(node)]}")) if id(node) in assigned else None
        else:
            known = {called.attr: _bound_of(node.args[1 + (called.attr in SUBSTITUTES) :], module)}
        for use, bound in (known or {"search": UNBOUNDED}).items():
            found.add(use, bound)
        yield found
