"""The one line of an error that says what is wrong, out of everything a tool printed around it. Pure, and linear.

Knows how compilers, test runners, interpreters, package managers and shells print errors. Reads only so much of a long
text: its beginning, its end, and in between the lines that speak of an error.
"""

import re
from collections.abc import Iterator, Sequence
from typing import Final

MAX_TEXT_CHARS = 200_000  # of a text; of a longer one, its beginning and its end
MAX_LINE_CHARS = 600
LINES_AT_EACH_END, MAX_LINES_BETWEEN = 200, 100  # lines at either end that are read, and in between at most

_ANSI = re.compile(r"\x1b(?:\[[0-9;?]{0,40}[ -/]?[@-~]|\][^\x07\x1b]{0,200}(?:\x07|\x1b\\)?|.)")
_UNSEEN = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202f\u2060-\u206f\ufeff]+")
_TAGS = re.compile(r"^(?:</?[a-z][\w-]{1,40}(?: [^<>]{0,200})?>\s*)+|(?:</[a-z][\w-]{1,40}>\s*)+$")
_BULLET = re.compile(r"^[\s│╷╵┃┆•⨯✗✘×✖❌⚠●○>»]+")
_PREFIXES = (
    re.compile(r"^\s{0,8}\d{1,7}(?:→|\t)\s*"),  # a numbered listing
    re.compile(r"^[A-Za-z][\w.-]{0,40}\s{1,20}\| "),  # a service of docker compose
    re.compile(r"^@[\w.-]{1,60}/[\w.-]{1,60}[: ][\w:-]{1,40}: +(?=\S)"),  # a package of a workspace, and its task
    re.compile(r"^npm (?:ERR!|error)\s+(?:code (?=E))?", re.IGNORECASE),
    re.compile(
        r"^\[?(?:\d{1,4}[-/]\d{1,3}[-/]\d{1,4}[T ])?\d{1,3}:\d{1,3}:\d{1,3}(?:[.,]\d{1,9})?"
        r"(?:Z|[+-]\d{1,3}:?\d{0,3})?\]?\s+"
    ),
    re.compile(r"^\[?\d{4}[-/.]\d{1,2}[-/.]\d{1,4}\]?[:,]?\s+(?=\S)"),  # a day without a time
    re.compile(r"^\[(?:ERROR|FATAL|CRITICAL|SEVERE|error|main|pid \d+|\d+)\]:?\s*"),
    re.compile(r"^\[[a-z_]\w{0,40}(?:\.\w{1,40}){1,6}\]:?\s+(?=\S)"),  # the name of a logger
    re.compile(r"^- (?=\S)"),
    re.compile(r"^(?:UTC|GMT|[A-Z]{3,4}T) (?=\[)"),
    re.compile(r"^(?:ERROR|ERRO|FATAL|CRITICAL|SEVERE)(?:\[\d+\])?\s+(?=[A-Za-z_\[])"),
    re.compile(r"^g?make(?:\[\d+\])?: (?:\*\*\* )?"),
    re.compile(r"^E {3,12}(?=\S)"),  # pytest
    re.compile(r"^(?:Uncaught|Unhandled) (?:\(in promise\) )?(?=[A-Z])"),
    re.compile(r'^Exception in thread "[^"]{0,80}"\s+'),
    re.compile(r"^= note: (?=\S+: )"),  # what the linker told cargo
    re.compile(r"^(?:Caused by|caused by): (?=\S)"),
    re.compile(r"^(?:e|w): (?=file:|/)"),  # kotlin
    re.compile(r"^(?:bash|sh|zsh|dash|ksh|\(eval\)|/bin/(?:ba|z|da)?sh):\s?(?:line )?(?:\d+: )?", re.IGNORECASE),
)
_LOCATION = re.compile(
    r"^(?P<file>(?:file://)?(?:[A-Za-z]:)?[^\s:()\[\]\"'`]{1,250})"
    r"(?::\[?\d+(?:[:,]\d+)?\]?(?::\d+)?|:\(\.[\w.]{1,40}\+0x[0-9a-f]{1,16}\)|\(\d+(?:,\d+)?\)|: line \d+)(?::|\s+-|"
    r"(?=\s))\s*(?=\S)"
)
_NO_LOCATION = re.compile(r"^\d|^https?:|@|^localhost$")
_RULED = re.compile(r"^\d+:\d+\s+(?P<level>error|warning)\s+(?P<said>.+?)(?:\s{2,}(?P<rule>\S+))?$")  # eslint

_CLASS = (
    r"(?:[A-Za-z_][\w$]*[.:]{1,2}){0,12}(?:[A-Z]\w*)?(?:Error|Exception|Exit|Interrupt|Panic|Fault|Warning|Failure)"
)
_RAISED = re.compile(
    rf"^(?:{_CLASS}|[a-z_][\w]*(?:\.[\w]+){{1,8}}\.[A-Z]\w+)(?:\s?\[[\w-]+\]| \(\w+\))?(?::(?=\s|$)|$)"
)
_TRACE = re.compile(r"^Traceback \(most recent call last\)")
_FRAME = re.compile(r'^\s*(?:at\s+[\w$.<(/\[]|File "|goroutine \d|\.\.\. \d+ more|from \S+:\d+:in\b|-->\s|\d+\s*\|)')
_GO_TEST = re.compile(r"^\s*(?:=== (?:RUN|CONT|NAME|PAUSE)|--- (?P<end>FAIL|PASS|SKIP):)\s+(?P<test>\S+)")
_GO_PACKAGE = re.compile(r"^FAIL\s+(?P<name>[\w.-]+(?:/[\w.-]+)+)(?:\s+(?:\d|\[|\(cached)|\s*$)")
_PYTEST_NAME = re.compile(r"^_{3,}\s+(?P<test>[\w.:\[\]<>-]+)\s+_{3,}$")
_PYTEST_END = re.compile(r"^(?:FAILED|ERROR) \S+::(?P<test>[\w:\[\]<>-]+)(?: - (?P<said>.+))?")
_JEST_NAME = re.compile(r"^\s*(?:●\s+(?P<jest>\S.*)|FAIL\s+(?P<vitest>\S+ > .*))$")
_LOGFMT = re.compile(
    r'\b(?:error|err)=(?:"(?P<quoted>(?:[^"\\]|\\.){8,500})|(?P<bare>[^"\s].{8,500}?)(?=\s+\w+=\S|\s*$))'
)
_MESSAGE = re.compile(r'\b(?:msg|message)"?[=:]\s?"(?P<said>(?:[^"\\]|\\.){8,500})')
_PANICKED = re.compile(
    r"^thread '(?P<thread>[^']{0,80})'(?: \(\d+\))? panicked at (?:'(?P<said>.{1,400})', )?\S+:\d+:\d+:?$"
)

_NOISE = re.compile(
    r"^(?:```|~~~|`[^`]*`$|=== |--- (?:PASS|SKIP)|PASS\b|ok\s|\^+|~+|note:|help:|hint:|warning:|Tool use:|"
    r"stack backtrace|"
    r"During handling of|The above exception|A complete log|This is (?:probably )?not? a|There is likely|"
    r"errno -?\d|syscall |path /|cwd |spawn |If you are behind|Run `|For more information|Caused by:$|"
    r"Require stack:|node:internal|throw err|Node\.js v|Failed at the |Aborting|exit status)",
)
_EMPTY = re.compile(
    r"^(?:exit (?:code|status)|exited|(?-i:FAIL|FAILED)\b|npm (?:ERR!|error)|\[[^\]]{0,200}\] Error \d|ELIFECYCLE|"
    r"Task :\S+ FAILED|"
    r"(?:error: )?(?:could not compile|aborting due to|process didn't exit|linking with|(?:test|build|"
    r"command) failed\b.{0,20}$)|collect2: |"
    r"\d+ (?:errors?|warnings?|problems?|issues?|failed)\b|found \d+|tests?:\s+\d|test suites?:\s|={3,}|"
    r"compilation failed|BUILD FAIL|FAILURE: Build|Execution failed for task|Error: Process completed|"
    r"The command .{0,200} (?:failed|returned)|"
    r"Lifecycle script|# Unhandled error between)",
    re.IGNORECASE,
)
_FIRST = re.compile(
    r"^(?:error\[\w+\]:|panic:|fatal error:|(?:error|fatal) (?:TS|CS|C|LNK|MSB|AVRO)?\d{2,6}:|TS\d{4}:|"
    r"No rule to make target|undefined reference to |(?:\S+/)?ld: cannot find |"
    r"CONFLICT \(|! \[(?:remote )?rejected\])"
)
_LABELLED = re.compile(
    r"^(?:[\w./-]{1,40}: ){0,2}(?:\w+ )?(?:ERROR|FATAL|CRITICAL|PANIC|Error|error|fatal|Fatal|FATAL ERROR)"
    r"(?: (?:response )?from \w+)?(?: \(\w+\))?:\s*\S|^HTTP/\d\S{0,2} [45]\d\d\b"
)
_LEVEL = re.compile(
    r"\b(?:ERROR|FATAL|CRITICAL|SEVERE|level=(?:error|fatal)|\"level\":\s?\"(?:error|fatal))\b", re.IGNORECASE
)
_SPEAKS = re.compile(
    r"\b(?:errors?|fail(?:ed|ure|s)?|fatal|cannot|can't|could ?n[o']t|could not|unable|undefined|undeclared|denied|"
    r"refused|"
    r"rejected|invalid|illegal|missing|unexpected|no such|not found|not exist|unknown|unsupported|not supported|"
    r"unresolved|"
    r"timed? ?out|exceeded|exhausted|conflicts?|mismatch|unauthori[sz]ed|forbidden|expected|must|unused|malformed|"
    r"corrupt\w*|"
    r"overflow|panic\w*|aborted|crash\w*|no space|out of memory|too (?:many|long|large)|not properly|incompatible|"
    r"not (?:defined|allowed|permitted|a function|implemented|installed|available|loaded)|got|want)\b",
    re.IGNORECASE,
)
_ASSERTS = re.compile(
    r"^(?:AssertionError|assert\b|expect\(|Expected|AssertionFailedError|Failed:)|\bassertion\b.{0,80} failed\b"
)
_WARNS = re.compile(r"(?:warning|note|info|style)\b")
_CODE = re.compile(r"E(?:[A-Z]{4,20}|\d{3})$")
_ONLY_ENDED = re.compile(
    r"\b(?:command|script|process|task|job|step|hook)\b.{0,60}\b(?:failed|exited|ended) with (?:exit )?(?:code|status)",
    re.I,
)
# Said of anything, as long as it does not say of what.
_COMMONPLACE = re.compile(
    r"(?:error:? )?(?:no such file or directory|(?:permission|access) denied|file not found|not found|"
    r"connection refused|internal server error|bad request|unauthorized|forbidden|operation not permitted|broken pipe|"
    r"invalid argument|syntax error|unexpected end of (?:file|input)|out of memory|no space left on device|"
    r"resource busy)",
    re.IGNORECASE,
)
_TELLING = re.compile(r"error|exception|fatal|panic|fail|traceback|cannot|denied|refused|not found", re.IGNORECASE)

_WORD = re.compile(r"[a-z][a-z'_-]*[a-z]")
_RECIPE = re.compile(r"\[[^\]]{0,200}\] error ", re.IGNORECASE)  # of make: that something above has failed
_STATUS = re.compile(r"\bstatus [a-j]{3}\b|\b[45]\d\d\b")
_SAYS_NOTHING: Final = frozenset(
    "a about above abort aborted after an and are as assert assertion assertionerror at be because build by called "
    "check code "
    "command compile compilation complete completed core could crashed did didn't do does dumped due during ended "
    "err error "
    "errored errors exception execution exit exited fail failed failing failure failures fatal fault finished for "
    "found from "
    "full further had has have in info information internal interrupt interrupted is it job keyboardinterrupt kill "
    "killed line "
    "lines log logs make making message more ms no non non-zero nonzero not occurred of off on one operation or out "
    "output "
    "panic passed please problem problems process program recipe request retry returned run running script sec "
    "second seconds "
    "see segmentation server sigkill signal sigterm something status step stop stopped successfully systemexit "
    "target task "
    "tasks terminated test tests that the there this time time-out timed timeout timeouterror timeoutexpired times "
    "to too took "
    "tool try trying unexpected unexpectedly unknown unsuccessful was went were while with wrong yarn you your zero "
    "again ago all already been details executed expired limit min minutes npm shell bash subprocess "
    "calledprocesserror exceeded waiting".split()
)

_RAISED_RANK, _FIRST_RANK, _LABELLED_RANK, _LOCATED_RANK, _LEVEL_RANK, _SPEAKS_RANK, _ANY_RANK, _EMPTY_RANK = range(
    8, 0, -1
)


def error_line(text: str) -> str:
    """Cleaned, without where it happened; of a failed test, with the name of the test. Empty: there is no line."""
    lines = list(_read(text))
    found = _of_traceback(lines) or _of_test(lines) or _of_cause(lines)
    if not found:
        found, rank = _best(lines)
        if rank <= _SPEAKS_RANK:
            found = _failed_go_test(lines) or found
    return " ".join(found.split())


def says_nothing(line: str) -> bool:
    """Whether it only says that something failed: an exit code, a time-out, a signal."""
    if _RECIPE.match(line) or _ONLY_ENDED.search(line) or _COMMONPLACE.fullmatch(line.strip(" .:!")):
        return True
    return all(word.strip("'_-") in _SAYS_NOTHING for word in _WORD.findall(line.lower())) and not _STATUS.search(line)


def _read(text: str) -> Iterator[str]:
    if len(text) > MAX_TEXT_CHARS:
        text = f"{text[: MAX_TEXT_CHARS // 2]}\n{text[-MAX_TEXT_CHARS // 2 :]}"
    text = text.replace(" npm ERR! ", "\nnpm ERR! ").replace(" npm error ", "\nnpm error ")
    lines = text.splitlines()
    if len(lines) > 2 * LINES_AT_EACH_END:
        telling = [
            line for line in lines[LINES_AT_EACH_END:-LINES_AT_EACH_END] if _TELLING.search(line[:MAX_LINE_CHARS])
        ]
        lines = [*lines[:LINES_AT_EACH_END], *telling[:MAX_LINES_BETWEEN], *lines[-LINES_AT_EACH_END:]]
    for line in lines:
        seen = _UNSEEN.sub(" ", _ANSI.sub("", line[: 2 * MAX_LINE_CHARS]))[:MAX_LINE_CHARS].rstrip()
        if seen:
            yield seen


def _of_traceback(lines: Sequence[str]) -> str:
    """Of Python: what stands below the frames. Of several, the last, which is what the program ended with."""
    begun = [number for number, line in enumerate(lines) if _TRACE.match(_plain(line))]
    if not begun:
        return ""
    first = lines[begun[-1]]
    indent = len(first) - len(first.lstrip())
    for line in lines[begun[-1] + 1 :]:
        raised = _plain(line)
        if len(line) - len(line.lstrip()) <= indent and not _FRAME.match(raised):
            return raised if _RAISED.match(raised) else ""
    return ""


def _of_test(lines: Sequence[str]) -> str:
    """The first failure of a test, with the name of the test: without it, two failed comparisons look the same."""
    return _of_go_test(lines) or _of_pytest(lines) or _of_jest(lines)


def _of_go_test(lines: Sequence[str]) -> str:
    name = ""
    for line in lines:
        if seen := _GO_TEST.match(line):
            name = "" if seen["end"] in ("PASS", "SKIP") else seen["test"]
        elif (
            name
            and line[:1].isspace()
            and (at := _LOCATION.match(line.strip()))
            and at["file"].endswith(("_test.go", "testing.go"))
        ):
            return f"{name}: {_plain(line)}"
    return ""


def _failed_go_test(lines: Sequence[str]) -> str:
    """Where no line says why: the innermost one."""
    failed = [seen["test"] for line in lines if (seen := _GO_TEST.match(line)) and seen["end"] == "FAIL"]
    if failed:
        return f"{max(failed, key=lambda test: test.count('/'))} failed"
    package = next((seen["name"] for line in lines if (seen := _GO_PACKAGE.match(line))), "")
    return f"package {package.rpartition('/')[2]} failed ({package})" if package else ""


def _of_pytest(lines: Sequence[str]) -> str:
    name = ""
    for line in lines:
        if named := _PYTEST_NAME.match(line):
            name = named["test"]
        elif line.startswith("E  "):
            said = _plain(line)
            name = name or next((end["test"] for one in lines if (end := _PYTEST_END.match(one))), "")
            return f"{name}: {said}" if name and _ASSERTS.search(said) else said
        elif (ended := _PYTEST_END.match(line)) and ended["said"]:
            return f"{ended['test']}: {ended['said']}" if _ASSERTS.search(ended["said"]) else ended["said"]
    return ""


def _of_jest(lines: Sequence[str]) -> str:
    name = ""
    for line in lines:
        if named := _JEST_NAME.match(line):
            name = (named["jest"] or named["vitest"]).strip()
        elif name and not _FRAME.match(line) and (said := _plain(line)):
            if _ASSERTS.search(said):
                return f"{name}: {said}"
            if _RAISED.match(said):
                return said
    return ""


def _of_cause(lines: Sequence[str]) -> str:
    """Of Java: the innermost cause. Of a Rust panic in two lines: what it said."""
    causes = [_plain(line) for line in lines if line.lstrip().startswith("Caused by: ")]
    if causes:
        return causes[-1]
    for number, line in enumerate(lines):
        if panicked := _PANICKED.match(line.strip()):
            following = _plain(lines[number + 1]) if number + 1 < len(lines) else ""
            said = f"panicked: {panicked['said'] or following}"
            return f"{panicked['thread']} {said}" if _ASSERTS.search(following or said) else said
    return ""


def _best(lines: Sequence[str]) -> tuple[str, int]:
    """The first of those that say it best, and how well; where none says anything, the last one."""
    best, best_rank = "", 0
    for number, line in enumerate(lines):
        said, is_located = _stripped(line)
        if not said or _NOISE.match(said) or _FRAME.match(line):
            continue
        rank = _rank(line, said, is_located)
        if rank > best_rank or rank == best_rank == _ANY_RANK:
            best, best_rank = _whole(said, lines[number + 1 : number + 4]), rank
    return best, best_rank


def _rank(line: str, said: str, is_located: bool) -> int:
    if _EMPTY.match(said) or says_nothing(said):
        return _EMPTY_RANK
    if _RAISED.match(said):
        return _RAISED_RANK if ":" in said else _LOCATED_RANK
    if _FIRST.match(said) or _CODE.match(said):
        return _FIRST_RANK
    if _LABELLED.match(said):
        return _LABELLED_RANK
    if is_located:
        return _SPEAKS_RANK if _WARNS.match(said) else _LOCATED_RANK
    if _LEVEL.search(line) or _LOGFMT.search(line):
        return _LEVEL_RANK
    return _SPEAKS_RANK if _SPEAKS.search(said) else _ANY_RANK


def _whole(said: str, following: Sequence[str]) -> str:
    """With the line below, where the first half says only what kind of error it is."""
    if _CODE.match(said):  # npm: the code, then what it is about
        below = next((below for line in following if len(below := _plain(line)) > 8 and not _NOISE.match(below)), "")
        told = below if below.startswith(said) else f"{said} {below}".strip()
        for line in following:  # a tree that cannot be resolved: which package asks for it
            if told.startswith("ERESOLVE") and "While resolving: " in line:
                return f"{told}: {_plain(line)}"
        return told
    if said.endswith(":") and _RAISED.match(said):  # rspec, elixir: the class, then what it says
        below = next((below for line in following if (below := _plain(line))), "")
        return f"{said} {below}".strip()
    symbol = next((line.strip() for line in following if line.strip().startswith("symbol:")), "")
    return f"{said} {symbol}" if said.endswith("cannot find symbol") and symbol else said


def _plain(line: str) -> str:
    """A line without what stands around its message."""
    return _stripped(line)[0]


def _stripped(line: str) -> tuple[str, bool]:
    """The same, and whether a place in a file stood before it."""
    said, is_located = _TAGS.sub("", _BULLET.sub("", line.strip())).strip(), False
    if ruled := _RULED.match(said):
        return f"{ruled['said']} {ruled['rule'] or ''}".strip(), ruled["level"] == "error"
    for _ in range(4):
        before = said
        for prefix in _PREFIXES:
            said = prefix.sub("", said, count=1)
        if behind := _located(said):
            said, is_located = behind, True
        if said == before:
            break
    if logged := _LOGFMT.search(said):
        said = logged["quoted"] or logged["bare"]
    elif _LEVEL.search(said) and (logged := _MESSAGE.search(said)):
        said = logged["said"]
    return said.strip(), is_located


def _located(said: str) -> str:
    """What stands behind `file:line:column:`; empty: it does not begin with a place."""
    at = _LOCATION.match(said)
    if at is None or _NO_LOCATION.search(at["file"]) or not re.search(r"[./\\]|^[A-Z]\w+file$", at["file"]):
        return ""
    return said[at.end() :]
