"""Names and docstrings of the package: one word per concept, plain openings."""

import ast
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

PACKAGE = Path(__file__).parents[2] / "src" / "recollect"
RIDDLES = ("nobody", "somebody", "whoever", "anybody")


def trees() -> Iterator[tuple[Path, ast.Module]]:
    for file in sorted(PACKAGE.rglob("*.py")):
        yield file.relative_to(PACKAGE), ast.parse(file.read_text())


def docstrings() -> Iterator[tuple[str, str]]:
    for file, tree in trees():
        for node in ast.walk(tree):
            if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
                yield f"{file}:{getattr(node, 'lineno', 1)}", ast.get_docstring(node) or ""


def test_a_class_name_exists_once_in_the_package() -> None:
    names = Counter(node.name for _, tree in trees() for node in ast.walk(tree) if isinstance(node, ast.ClassDef))
    assert [name for name, count in names.items() if count > 1] == []


def test_no_docstring_begins_with_what() -> None:
    assert [place for place, text in docstrings() if text.startswith("What ")] == []


def test_docstrings_name_who_acts() -> None:
    words = ((place, text.lower().replace(",", " ").replace(".", " ").split()) for place, text in docstrings())
    assert [place for place, said in words if set(RIDDLES) & set(said)] == []
