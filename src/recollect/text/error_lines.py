"""Find the one line of a tool's output that says what is wrong. Pure, and linear.

It knows how compilers, test runners, interpreters, package managers and shells print errors. Of a long text it reads
the beginning, the end, and some lines in between that mention an error.
"""

import re
from collections.abc import Iterator, Sequence

MAX_TEXT_CHARS = 200_000  # a longer text is cut in the middle
MAX_LINE_CHARS = 600
LINES_AT_EACH_END, MAX_LINES_BETWEEN = 200, 100  # that are read

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
    re.compile(r"^= note: (?=\S+: )"),  # the linker's message, in the output of cargo
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
_PROBLEM_WORD = re.compile(
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
# Messages that fit any failure, unless they name a thing.
_COMMONPLACE = re.compile(
    r"(?:error:? )?(?:no such file or directory|(?:permission|access) denied|file not found|not found|"
    r"connection refused|internal server error|bad request|unauthorized|forbidden|operation not permitted|broken pipe|"
    r"invalid argument|syntax error|unexpected end of (?:file|input)|out of memory|no space left on device|"
    r"resource busy)",
    re.IGNORECASE,
)
_ERROR_WORD = re.compile(r"error|exception|fatal|panic|fail|traceback|cannot|denied|refused|not found", re.IGNORECASE)

_WORD = re.compile(r"[a-z][a-z'_-]*[a-z]")
_RECIPE = re.compile(r"\[[^\]]{0,200}\] error ", re.IGNORECASE)  # make: something above has failed
_STATUS = re.compile(r"\bstatus [a-j]{3}\b|\b[45]\d\d\b")
_SAYS_NOTHING = frozenset(
    """
    a about above abort aborted after an and are as assert assertion assertionerror at be because build by called
    check code command compile compilation complete completed core could crashed did didn't do does dumped due
    during ended err error errored errors exception execution exit exited fail failed failing failure failures fatal
    fault finished for found from full further had has have in info information internal interrupt interrupted is it
    job keyboardinterrupt kill killed line lines log logs make making message more ms no non non-zero nonzero not
    occurred of off on one operation or out output panic passed please problem problems process program recipe
    request retry returned run running script sec second seconds see segmentation server sigkill signal sigterm
    something status step stop stopped successfully systemexit target task tasks terminated test tests that the
    there this time time-out timed timeout timeouterror timeoutexpired times to too took tool try trying unexpected
    unexpectedly unknown unsuccessful was went were while with wrong yarn you your zero again ago all already been
    details executed expired limit min minutes npm shell bash subprocess calledprocesserror exceeded waiting
    """.split()
)

_RAISED_RANK, _FIRST_RANK, _LABELLED_RANK, _LOCATED_RANK = 8, 7, 6, 5
_LEVEL_RANK, _PROBLEM_RANK, _ANY_RANK, _EMPTY_RANK = 4, 3, 2, 1


def error_line(text: str) -> str:
    """Return the line cleaned, without its location; of a failed test, with the test's name. Empty: no line found."""
    lines = list(_read(text))
    # A failed test comes with its name: without it, two failed comparisons look the same.
    found = _from_traceback(lines) or _from_go_test(lines) or _from_pytest(lines) or _from_jest(lines)
    found = found or _from_cause(lines)
    if not found:
        found, rank = _best(lines)
        if rank <= _PROBLEM_RANK:
            found = _name_failed_go_test(lines) or found
    return " ".join(found.split())


def says_nothing(line: str) -> bool:
    """Return True if it only says that something failed: an exit code, a time-out, a signal."""
    if _RECIPE.match(line) or _ONLY_ENDED.search(line) or _COMMONPLACE.fullmatch(line.strip(" .:!")):
        return True
    return all(word.strip("'_-") in _SAYS_NOTHING for word in _WORD.findall(line.lower())) and not _STATUS.search(line)


def _read(text: str) -> Iterator[str]:
    if len(text) > MAX_TEXT_CHARS:
        text = f"{text[: MAX_TEXT_CHARS // 2]}\n{text[-MAX_TEXT_CHARS // 2 :]}"
    text = text.replace(" npm ERR! ", "\nnpm ERR! ").replace(" npm error ", "\nnpm error ")
    lines = text.splitlines()
    if len(lines) > 2 * LINES_AT_EACH_END:
        middle = lines[LINES_AT_EACH_END:-LINES_AT_EACH_END]
        errors = [line for line in middle if _ERROR_WORD.search(line[:MAX_LINE_CHARS])]
        lines = [*lines[:LINES_AT_EACH_END], *errors[:MAX_LINES_BETWEEN], *lines[-LINES_AT_EACH_END:]]
    for line in lines:
        visible = _UNSEEN.sub(" ", _ANSI.sub("", line[: 2 * MAX_LINE_CHARS]))[:MAX_LINE_CHARS].rstrip()
        if visible:
            yield visible


def _from_traceback(lines: Sequence[str]) -> str:
    """Python: the line below the frames. The last traceback counts: the program ended with it."""
    starts = [number for number, line in enumerate(lines) if _TRACE.match(_message(line))]
    if not starts:
        return ""
    indent = _indent(lines[starts[-1]])
    for line in lines[starts[-1] + 1 :]:
        message = _message(line)
        if _indent(line) <= indent and not _FRAME.match(message):
            return message if _RAISED.match(message) else ""
    return ""


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def _from_go_test(lines: Sequence[str]) -> str:
    name = ""
    for line in lines:
        if test := _GO_TEST.match(line):
            name = "" if test["end"] in ("PASS", "SKIP") else test["test"]
        elif name and line[:1].isspace():
            location = _LOCATION.match(line.strip())
            if location and location["file"].endswith(("_test.go", "testing.go")):
                return f"{name}: {_message(line)}"
    return ""


def _name_failed_go_test(lines: Sequence[str]) -> str:
    """Where no line says why it failed: the innermost test, else the package."""
    tests = [test["test"] for test in map(_GO_TEST.match, lines) if test and test["end"] == "FAIL"]
    if tests:
        return f"{max(tests, key=lambda name: name.count('/'))} failed"
    for package in map(_GO_PACKAGE.match, lines):
        if package:
            return f"package {package['name'].rpartition('/')[2]} failed ({package['name']})"
    return ""


def _from_pytest(lines: Sequence[str]) -> str:
    name = ""
    for line in lines:
        if header := _PYTEST_NAME.match(line):
            name = header["test"]
        elif line.startswith("E  "):
            return _with_test_name(name or _first_pytest_name(lines), _message(line))
        elif (summary := _PYTEST_END.match(line)) and summary["said"]:
            return _with_test_name(summary["test"], summary["said"])
    return ""


def _first_pytest_name(lines: Sequence[str]) -> str:
    return next((summary["test"] for summary in map(_PYTEST_END.match, lines) if summary), "")


def _with_test_name(name: str, message: str) -> str:
    return f"{name}: {message}" if name and _ASSERTS.search(message) else message


def _from_jest(lines: Sequence[str]) -> str:
    name = ""
    for line in lines:
        if header := _JEST_NAME.match(line):
            name = (header["jest"] or header["vitest"]).strip()
        elif name and not _FRAME.match(line):
            message = _message(line)
            if _ASSERTS.search(message) or _RAISED.match(message):
                return _with_test_name(name, message)
    return ""


def _from_cause(lines: Sequence[str]) -> str:
    """Java: the innermost cause. A Rust panic in two lines: its message."""
    causes = [line for line in lines if line.lstrip().startswith("Caused by: ")]
    if causes:
        return _message(causes[-1])
    for number, line in enumerate(lines):
        if panic := _PANICKED.match(line.strip()):
            following = "".join(map(_message, lines[number + 1 : number + 2]))
            message = f"panicked: {panic['said'] or following}"
            return f"{panic['thread']} {message}" if _ASSERTS.search(following or message) else message
    return ""


def _best(lines: Sequence[str]) -> tuple[str, int]:
    """Return the first of the highest-ranked lines with its rank; of lines that mention no error, the last."""
    best, best_rank = "", 0
    for number, line in enumerate(lines):
        message, has_location = _strip(line)
        if not message or _NOISE.match(message) or _FRAME.match(line):
            continue
        rank = _rank(line, message, has_location)
        if rank > best_rank or rank == best_rank == _ANY_RANK:
            best, best_rank = _complete(message, lines[number + 1 : number + 4]), rank
    return best, best_rank


def _rank(line: str, message: str, has_location: bool) -> int:
    if _EMPTY.match(message) or says_nothing(message):
        return _EMPTY_RANK
    if _RAISED.match(message):
        return _RAISED_RANK if ":" in message else _LOCATED_RANK
    if _FIRST.match(message) or _CODE.match(message):
        return _FIRST_RANK
    if _LABELLED.match(message):
        return _LABELLED_RANK
    if has_location:
        return _PROBLEM_RANK if _WARNS.match(message) else _LOCATED_RANK
    if _LEVEL.search(line) or _LOGFMT.search(line):
        return _LEVEL_RANK
    return _PROBLEM_RANK if _PROBLEM_WORD.search(message) else _ANY_RANK


def _complete(message: str, following: Sequence[str]) -> str:
    """Add a line from below, where the message names only the kind of error."""
    if _CODE.match(message):
        return _complete_npm(message, following)
    if message.endswith(":") and _RAISED.match(message):  # rspec, elixir: the class, then its message
        return f"{message} {next(filter(None, map(_message, following)), '')}".strip()
    if message.endswith("cannot find symbol"):
        for line in following:
            if line.strip().startswith("symbol:"):
                return f"{message} {line.strip()}"
    return message


def _complete_npm(code: str, following: Sequence[str]) -> str:
    """npm: the code, then what it is about; of a tree that cannot be resolved, which package asks for it."""
    about = next((line for line in map(_message, following) if len(line) > 8 and not _NOISE.match(line)), "")
    message = about if about.startswith(code) else f"{code} {about}".strip()
    if message.startswith("ERESOLVE"):
        for line in following:
            if "While resolving: " in line:
                return f"{message}: {_message(line)}"
    return message


def _message(line: str) -> str:
    return _strip(line)[0]


def _strip(line: str) -> tuple[str, bool]:
    """Return the message of a line, and whether a location in a file came before it."""
    message, has_location = _TAGS.sub("", _BULLET.sub("", line.strip())).strip(), False
    if ruled := _RULED.match(message):
        return f"{ruled['said']} {ruled['rule'] or ''}".strip(), ruled["level"] == "error"
    for _ in range(4):
        before = message
        for prefix in _PREFIXES:
            message = prefix.sub("", message, count=1)
        if rest := _after_location(message):
            message, has_location = rest, True
        if message == before:
            break
    if logged := _LOGFMT.search(message):
        message = logged["quoted"] or logged["bare"]
    elif _LEVEL.search(message) and (logged := _MESSAGE.search(message)):
        message = logged["said"]
    return message.strip(), has_location


def _after_location(message: str) -> str:
    """Return the text after `file:line:column:`; empty: it does not start with a location."""
    location = _LOCATION.match(message)
    if location is None or _NO_LOCATION.search(location["file"]):
        return ""
    if not re.search(r"[./\\]|^[A-Z]\w+file$", location["file"]):
        return ""
    return message[location.end() :]
