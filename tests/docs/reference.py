"""Writes docs/reference from the code itself: `make docs`. The tests check that it was done."""

import ast
import dataclasses
import inspect
import json
import re
import sys
import textwrap
from collections.abc import Iterator, Mapping
from datetime import datetime
from enum import StrEnum
from pathlib import Path
from typing import Any, get_args, get_origin

import click

from recollect.cli.formats.settings_file import meanings, toml_value
from recollect.cli.main import cli
from recollect.config import ADDITIVE, USER_ONLY
from recollect.daemon.boundary import NOT_FOUND, WRONG_METHOD, http_status
from recollect.daemon.guard import FOREIGN, LONG_HEADER, NO_TOKEN, WRONG_HOST
from recollect.daemon.openapi import ELSEWHERE, FAILURES, OPERATION_PATHS, ROUTES
from recollect.domain import errors
from recollect.domain.memory import Kind
from recollect.domain.search import Filters
from recollect.domain.settings import Settings
from recollect.mcp.schema import INSTRUCTIONS, MIN_TOKENS, TOOLS, Argument, Takes
from recollect.mcp.tools import ForTheUser, NotShown, OfAnotherProject, OptedOut, RecollectPaused, SwitchedOff

REFERENCE = Path(__file__).parents[2] / "docs" / "reference"
CONTRIBUTING = REFERENCE.parents[1] / "CONTRIBUTING.md"
MAP_BEGINS, MAP_ENDS = "<!-- map: written by `make docs` -->", "<!-- end of map -->"


def every_command() -> Iterator[click.Context]:
    """One context for every command and subcommand, in the order of `recollect --help`."""
    yield from _below(click.Context(cli, info_name="recollect", terminal_width=100, **cli.context_settings))


def _below(parent: click.Context) -> Iterator[click.Context]:
    group = parent.command
    if isinstance(group, click.Group):
        for name in group.list_commands(parent):
            command = group.get_command(parent, name)
            assert command is not None
            context = click.Context(command, info_name=name, parent=parent, terminal_width=100, max_content_width=100)
            yield context
            yield from _below(context)


def commands() -> str:
    """Every command with its help, as a terminal of 100 columns shows it."""
    pages = ["# Commands\n\nMade from the code by `make docs`. Exit codes: [exit-codes.md](exit-codes.md).\n"]
    for context in every_command():
        name = context.command_path.removeprefix("recollect ")
        pages.append(f"## {name}\n\n```\n{context.command.get_help(context)}\n```\n")
    return "\n".join(pages)


def settings() -> str:
    """Every setting with its default and meaning."""
    own = ", ".join(f"`[{section}]`" for section in USER_ONLY)
    added = ", ".join(f"`{name}`" for name in ADDITIVE)
    intro = f"""\
# Settings

Made from the code by `make docs`. How to set them, with an example: [settings](../how-to/settings.md).

A setting can come from four places. A later place overrides an earlier one:

1. the defaults below,
2. your own file, `~/.config/recollect/config.toml` (`$XDG_CONFIG_HOME` is respected),
3. the project's file, `.recollect.toml`: the nearest one from the folder up to the top of its working tree,
4. variables `RECOLLECT_SECTION__NAME`, for example `RECOLLECT_BUDGETS__TURN_TOKENS=400`; in a table of kinds
   `RECOLLECT_KINDS__THRESHOLD__DECISION=0.5`. The daemon uses the variables of the shell or host that started it.

`recollect config show` shows the value of each setting in a folder, and where the value comes from. Recollect refuses an
unknown section or setting and suggests a known one.

A project's file may also name the project (`project = "name"`). It cannot set {own}, because
a cloned repository must not decide what is shared, stored or running. It can only add to
{added}: Recollect uses the values of all files together.

A running daemon reads changed files again. If a project's file has a mistake, your own settings apply in that project. If
your own file has a mistake, its last good values apply. The daemon's log and every command that needs the settings say
what is wrong.
"""
    pages = [intro]
    for section in dataclasses.fields(Settings):
        part = getattr(Settings(), section.name)
        meaning = meanings(type(part))
        rows = [f"## [{section.name}]\n", "| setting | default | meaning |", "|---|---|---|"]
        for field in dataclasses.fields(part):
            default = _default(getattr(part, field.name))
            rows.append(f"| {field.name} | {default} | {meaning[field.name]} |")
        pages.append("\n".join(rows) + "\n")
    return "\n".join(pages)


def error_codes() -> str:
    """Every error that `pipe` and the daemon answer with."""
    intro = """\
# Errors

Made from the code by `make docs`. `pipe` and the daemon answer `{"error": {"code", "message"}}`; the message says what
happened and what to do. The status is that of an [answer over HTTP](api.md).

| code | status | meaning |
|---|---|---|
"""
    kinds = [kind for _, kind in inspect.getmembers(errors, inspect.isclass) if issubclass(kind, errors.RecollectError)]
    rows = {kind.code: (http_status(kind), str(inspect.getdoc(kind)).splitlines()[0]) for kind in kinds}
    refusals = (FOREIGN, LONG_HEADER, NO_TOKEN, WRONG_HOST, NOT_FOUND, WRONG_METHOD)
    rows |= {refusal.code: (refusal.status.value, refusal.message) for refusal in refusals}
    rows["internal"] = (500, "A bug in Recollect. The daemon's log has the details.")
    rows["ending"] = (503, "Only over MCP: the daemon is stopping. Ask again.")
    return intro + "".join(f"| {code} | {status} | {says} |\n" for code, (status, says) in sorted(rows.items()))


def tools() -> str:
    """Every tool of an agent, with its arguments, and the errors that are theirs alone."""
    intro = """\
# Tools

Made from the code by `make docs`. An agent gets these tools over MCP: [how to connect it](../how-to/mcp.md), [how Recollect
answers](../explanation/on-demand.md). The server gives the agent these instructions:
"""
    pages = [intro, "\n".join(f"> {line}" for line in INSTRUCTIONS.splitlines()) + "\n"]
    for tool in TOOLS.values():
        rows = [f"## {tool.name}\n", f"{tool.says}\n", "| argument | takes | |", "|---|---|---|"]
        rows += [
            f"| {name}{_star(argument)} | {_takes(argument)} | {argument.says} |"
            for name, argument in tool.arguments.items()
        ]
        pages.append("\n".join(rows) + "\n")
    errors_said = """\
\\* must be given.

## Errors

A failed call has a result with `isError`, a text that says what to do next, and structured content `{"code", "message"}`.
The code is one of [errors](errors.md), such as `bad_request` or `invalid_value` for wrong arguments, or of the table below. A message that is
not a readable tool call gets a JSON-RPC error: -32700 not JSON, -32600 not a request, -32601 unknown method, -32602 wrong
`params`, -32603 the daemon stopped, hangs or cannot be reached (from the stdio bridge).
"""
    own = [
        f"| {kind.code} | {inspect.getdoc(kind)} |"
        for kind in (NotShown, OfAnotherProject, OptedOut, RecollectPaused, SwitchedOff, ForTheUser)
    ]
    return "\n".join([*pages, errors_said, "| code | meaning |", "|---|---|", *own]) + "\n"


def _star(argument: Argument) -> str:
    return "\\*" if argument.required else ""


def _takes(argument: Argument) -> str:
    values = ", ".join(argument.choices)
    match argument.takes:
        case Takes.LIST:
            return f"a list of {values or 'strings'}"
        case Takes.NUMBER:
            return f"{MIN_TOKENS} or more"
        case Takes.FLAG:
            return "true or false"
        case _:
            return values or "a string"


def api() -> str:
    """Every path of the daemon, and what its body takes."""
    failures = {**FAILURES, **ELSEWHERE}
    pages = [
        """\
# HTTP API

Made from the code by `make docs`. Plugins, hooks, the command line and scripts of one user use this API. The daemon answers on
its unix socket, which `recollect status` shows. If [a port is set](../explanation/daemon.md), it also answers on 127.0.0.1
with a token. Agents use MCP: `/mcp`, and `/v1/mcp` for the stdio bridge ([how to connect them](../how-to/mcp.md)).

```
curl --unix-socket ~/.local/state/recollect/daemon.sock http://localhost/v1/recall \\
  --data '{"query": "how do we deploy", "folder": "/home/me/shop"}'
```

The same request on 127.0.0.1, with `[daemon] port = 7733`. `recollect status` shows the file of the token:

```
curl http://127.0.0.1:7733/v1/recall -H "Authorization: Bearer $(cat ~/.local/state/recollect/token)" \\
  --data '{"query": "how do we deploy", "folder": "/home/me/shop"}'
```

`folder` is the folder of the request. It decides the project and the settings. `GET /v1/openapi.json` has the types of all
answers under `components`. A memory has the form of an [export](records.md), and `forgotten_at`. An
`outcome` is an object with a `type`; for some types it has more fields, such as the change to `undo`. A time may be a day
(00:00 UTC) or lack seconds and zone (UTC): `2026-05-31`, `2026-05-31T14:00`. A kind may also be the
[name of another tool](kinds.md). You may leave out a field that is not marked as needed. Unknown fields are refused. Only
the paths of plugins (`/v1/hosts/{host}` to `/v1/answer`) ignore them, because a plugin may have another version.

The daemon answers a refused request with `{"error": {"code", "message"}}`. [errors.md](errors.md) lists the codes.

| status | meaning |
|---|---|
"""
        + "".join(f"| {status} | {says} |\n" for status, says in sorted(failures.items()))
    ]
    pages += [
        f"## {path.method} {path.path}\n\n{path.says}\n\n{_fields(path.asks)}".rstrip() + "\n"
        for path in (*ROUTES, *OPERATION_PATHS)
    ]
    return "\n".join(pages)


def _fields(kind: Any) -> str:
    if not (isinstance(kind, type) and dataclasses.is_dataclass(kind)):
        return "" if kind is None else "The body is what the host's hook was given, as a JSON object.\n"
    meaning = {name: said for one in reversed(inspect.getmro(kind)[:-1]) for name, said in meanings(one).items()}
    rows = ["| field | type | default | meaning |", "|---|---|---|---|"]
    taken = dataclasses.fields(kind)
    if any(field.type is Filters for field in taken):
        meaning |= meanings(Filters)
        taken = tuple(
            one for field in taken for one in (dataclasses.fields(Filters) if field.type is Filters else [field])
        )
    for field in taken:
        says = re.sub(r"\bNone\b", "null", meaning.get(field.name, ""))
        rows.append(f"| {field.name} | {_type(field.type)} | {_field_default(field)} | {says} |")
    return "\n".join(rows) + "\n"


_WORDS = {str: "text", bool: "true or false", int: "whole number", float: "number", datetime: "time, as ISO 8601"}


def _type(kind: Any) -> str:
    """In the words of JSON."""
    kind = getattr(kind, "__supertype__", kind)  # a name for a plain type
    if kind is Kind:
        return "[kind](kinds.md)"
    if isinstance(kind, type) and issubclass(kind, StrEnum):
        return " or ".join(f"`{value}`" for value in kind)
    inside = [one for one in get_args(kind) if one not in (type(None), ...)]
    match get_origin(kind):
        case None:
            return _WORDS[kind]
        case origin if origin in (list, tuple, frozenset):
            return f"list of {_type(inside[0])}"
        case origin if origin is dict:
            return "object"
        case _:  # or nothing
            return _type(inside[0])


def _field_default(field: "dataclasses.Field[Any]") -> str:
    if field.default is not dataclasses.MISSING:
        return "" if field.default in (None, (), frozenset()) else f"`{json.dumps(field.default)}`"
    return "" if field.default_factory is not dataclasses.MISSING else "needed"


PAGES = {
    "commands.md": commands,
    "settings.md": settings,
    "errors.md": error_codes,
    "api.md": api,
    "tools.md": tools,
}


def package_map() -> str:
    """Every folder of the package with its modules, for CONTRIBUTING."""
    package = REFERENCE.parents[1] / "src" / "recollect"
    lines = [f"recollect/  {', '.join(_modules(package))}"]
    for init in sorted(package.rglob("*/__init__.py")):
        folder = init.parent.relative_to(package)
        indent = "  " * len(folder.parts)
        about = (ast.get_docstring(ast.parse(init.read_text())) or "").split("\n")[0]
        lines.append(f"{indent}{folder.name}/  {about}")
        lines += textwrap.wrap(
            ", ".join(_modules(init.parent)), 116, initial_indent=f"{indent}    ", subsequent_indent=f"{indent}    "
        )
    return "\n".join(lines)


def _modules(folder: Path) -> list[str]:
    return sorted(file.stem for file in folder.glob("*.py") if file.stem != "__init__")


def contributing(text: str) -> str:
    """CONTRIBUTING with the map as it should be."""
    before, _, rest = text.partition(MAP_BEGINS)
    _, _, after = rest.partition(MAP_ENDS)
    return f"{before}{MAP_BEGINS}\n```\n{package_map()}\n```\n{MAP_ENDS}{after}"


def _default(value: Any) -> str:
    if isinstance(value, Mapping):
        return ", ".join(f"{kind} {toml_value(entry)}" for kind, entry in value.items())
    if isinstance(value, tuple):
        return ", ".join(f"`{entry}`" for entry in value)
    return toml_value(value)


if __name__ == "__main__":
    for page, write in PAGES.items():
        (REFERENCE / page).write_text(write())
        sys.stdout.write(f"{page}\n")
    CONTRIBUTING.write_text(contributing(CONTRIBUTING.read_text()))
