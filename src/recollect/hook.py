"""The hook client: sends what an agent's command hook is given to the daemon, and prints what comes back.

One file of the standard library that imports nothing of ours: `python -S -I .../recollect/hook.py HOST [MOMENT]`.
Whatever goes wrong, it exits with 0, in time, and prints nothing: no agent fails or waits because of its memory. It
decides nothing and reads no JSON; what went wrong is one line of `hook.log` beside the daemon's log, without content.

Starting Python is most of what it costs: it takes what is built into the interpreter (`posix`, not `os`), and the rest
only where it is needed. Whatever it waits for, a timer of the kernel ends it at its deadline.

Where no daemon runs, or none answers in time, what happened is not lost: the agent goes on, and a courier, a process
of its own, hands it over as soon as a daemon takes it. It keeps it in memory alone: nothing is written down that is not
redacted.
"""

import sys

if sys.platform == "win32":  # not supported: print nothing and fail nothing
    sys.exit(0)

import _signal  # type: ignore[import-not-found]  # typeshed knows `signal` alone, which costs an `enum`
import _socket
import posix
import time

VERSION = "0.1.0"  # of the package that it came with
START = "start"  # the moment that waits for a daemon to come up

START_S = 1.8  # from the start of this process to its end
OTHER_S = 0.4
END_S = 0.02  # what is left of it to write a line and end
QUIET_S = 5.0  # after a time-out only a session's start is asked for: a hung daemon costs no delay per turn
RESPAWN_S = 15.0  # a daemon that never came is not started again within
REPLACE_S = 30.0  # nor is an older one replaced again within
POLL_S = 0.01
COURIER_S = 10.0  # what a courier lives at most that waits for a daemon to come up
LATE_COURIER_S = 30.0  # the same after a time-out: the daemon is there and busy
RETRY_S = 0.05  # between two tries of a courier

MAX_COURIERS = 20
MAX_PAYLOAD_BYTES = 4_000_000  # the daemon takes no more
MAX_ANSWER_BYTES = 1_000_000
MAX_LOG_BYTES = 200_000
MAX_SOCKET_PATH_BYTES = 100
CHUNK_BYTES = 65_536

IN_CI = (b"CI", b"TF_BUILD", b"JENKINS_URL", b"TEAMCITY_VERSION")  # others say CI too
# Files in the runtime folder: their age says when something happened last.
TIMED_OUT = b"hook.timed-out"
SPAWNED = b"hook.spawned"  # taken away by the first hook that finds the daemon there
REPLACED = b"hook.replaced"
COURIER = b"hook.courier-%d"  # its lock is a courier's place in the line; the kernel frees it with the process

READING, STARTING, ASKING, ANSWERING = "reading", "starting the daemon", "asking", "answering"

# A shell's environment holds API keys: the daemon gets what it needs and nothing else (client.DAEMON_ENV).
DAEMON_ENV = (b"HOME", b"PATH", b"LANG", b"TZ", b"TMPDIR")
DAEMON_ENV_PREFIXES = (b"LC_", b"XDG_", b"RECOLLECT_")
DAEMON_OWN_ENV = {b"MALLOC_ARENA_MAX": b"2"}  # client.DAEMON_OWN_ENV
NO_TRAP = posix.O_NOFOLLOW | posix.O_NONBLOCK  # neither a link to elsewhere nor a pipe that nobody reads
LATE = b"Recollect-Late: 1\r\n"  # nobody reads the answer: what it brings was never shown


class HookFailed(Exception):
    """Says why there is no answer, without any of its content."""


class HookRun:
    """One run of the hook."""

    def __init__(self) -> None:
        self.name = "hook"  # then that of the host and of the moment
        self.doing = READING
        self.state = self.runtime = b""  # folders, once they are known
        self.authority = b"Host: localhost\r\n"
        self.child = 0  # the daemon, if we have started it
        self.path = self.payload = b""  # what is to be told, once it is known

    def run(self, arguments: list[str]) -> None:
        waits = len(arguments) > 1 and arguments[1] == START
        seconds = START_S if waits else OTHER_S
        self.set_deadline(seconds)
        self.state = state_folder(posix.environ)
        self.runtime = runtime_folder(posix.environ, self.state)
        if not arguments or not all(map(is_name, arguments)):
            raise HookFailed("it takes the name of a host and of a moment")
        self.name = " ".join(arguments)
        payload = read_all(0, MAX_PAYLOAD_BYTES)
        if not payload.strip():
            raise HookFailed("there was nothing on standard input")
        self.path, self.payload = b"/v1/hosts/" + arguments[0].encode(), mark_headless(payload, posix.environ)
        if not waits and self.is_recent(TIMED_OUT, QUIET_S):
            self.send_courier(LATE_COURIER_S)
            return
        connection = self.connect()
        if connection is None:
            self.start(START_S if waits else COURIER_S)
            if not waits:
                self.send_courier(COURIER_S)
                raise HookFailed("none was running; it is told when it is up")
            connection = self.wait_for_daemon()
        self.remove_mark(SPAWNED)
        self.wait_for_couriers(seconds / 4)
        self.answer(connection)

    def answer(self, connection: _socket.socket) -> None:
        status, version, body = exchange(connection, self.path, self.authority, self.payload)
        self.doing = ANSWERING
        self.remove_mark(TIMED_OUT)  # it answers again
        try:
            if status != b"200":
                raise HookFailed(f"the daemon answered {status.decode('ascii', 'replace')}")
            if not (body.startswith(b"{") and body.endswith(b"}")):
                raise HookFailed("the answer is no JSON object")
            if body[1:-1].strip():
                write_all(1, body + b"\n")
        finally:
            # It ends the older one by itself. Nobody ever replaces an equal or a newer one.
            if is_older(version) and self.claim(REPLACED, REPLACE_S):
                start_daemon()

    # ---- the deadline

    def set_deadline(self, seconds: float) -> None:
        _signal.signal(_signal.SIGALRM, self.end_late)
        _signal.signal(_signal.SIGCHLD, _signal.SIG_DFL)
        for number in (_signal.SIGTERM, _signal.SIGINT, _signal.SIGHUP):
            _signal.signal(number, lambda *_: posix._exit(0))
        _signal.pthread_sigmask(_signal.SIG_SETMASK, ())  # a host may have blocked them, for the daemon too
        # A shell that worked before it became this process makes us look older than we are: half of it is ours anyway.
        _signal.setitimer(_signal.ITIMER_REAL, seconds - min(age_s(), seconds / 2) - END_S)

    def end_late(self, *_: object) -> None:
        _signal.signal(_signal.SIGALRM, lambda *_: posix._exit(0))  # should the disk of the log hang as well
        _signal.setitimer(_signal.ITIMER_REAL, END_S)
        try:
            if self.doing == ASKING:
                self.claim(TIMED_OUT, 0)
            if self.payload and self.doing != ANSWERING:
                self.send_courier(LATE_COURIER_S)
                raise HookFailed("it took too long; it is told later")
            raise HookFailed("it took too long")
        except BaseException as error:  # noqa: BLE001  # as in `main`
            self.log_error(error)
        finally:
            posix._exit(0)

    # ---- the daemon

    def connect(self) -> _socket.socket | None:
        """None: there is no daemon."""
        self.doing = ASKING  # one that hangs may not even take a connection
        if not self.has_folder():
            return None
        connection = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM)
        try:
            connection.connect(self.runtime + b"/daemon.sock")
        except (FileNotFoundError, ConnectionRefusedError):
            connection.close()
            return self.connect_by_tcp()
        return connection

    def connect_by_tcp(self) -> _socket.socket | None:
        try:
            port, token = read_file(self.runtime + b"/daemon.tcp").split()
        except FileNotFoundError:
            return None
        if not is_locked(self.runtime + b"/daemon.lock"):
            return None  # left by a daemon that was killed: behind its port may be anybody
        connection = _socket.socket(_socket.AF_INET, _socket.SOCK_STREAM)
        try:
            connection.connect(("127.0.0.1", int(port)))
        except ConnectionRefusedError:
            connection.close()
            return None
        self.authority = b"Host: 127.0.0.1:%s\r\nAuthorization: Bearer %s\r\n" % (port, token)
        return connection

    def start(self, within_s: float) -> None:
        """Unless one is on its way, since no longer than that."""
        self.doing = STARTING
        make_folder(self.runtime)
        if self.claim(SPAWNED, RESPAWN_S):
            self.child = start_daemon()
        elif not self.is_recent(SPAWNED, within_s):
            raise HookFailed("the last one did not come up; daemon.log may say why")

    def wait_for_daemon(self) -> _socket.socket:
        """A session's start waits for the daemon to come up."""
        while (connection := self.connect()) is None:
            self.doing = STARTING
            if self.child and posix.waitpid(self.child, posix.WNOHANG) != (0, 0):
                self.child = 0  # it failed, or another one was quicker and is about to answer
                if not is_locked(self.runtime + b"/daemon.lock"):
                    then = time.time() - START_S  # nothing is on its way any more
                    posix.utime(self.runtime + b"/" + SPAWNED, (then, then))
                    raise HookFailed("it did not come up; daemon.log may say why")
            time.sleep(POLL_S)
        return connection

    # ---- couriers, one after the other in the order of what happened

    def send_courier(self, seconds: float) -> None:
        """Leaves a process behind that hands this over when a daemon takes it, and ends without a word."""
        number, place = self.join_line()
        if posix.fork():
            return
        try:
            _signal.signal(_signal.SIGALRM, _signal.SIG_DFL)
            _signal.pthread_sigmask(_signal.SIG_SETMASK, ())  # sent by the handler of that signal
            _signal.setitimer(_signal.ITIMER_REAL, seconds)
            detach(keeping=place)
            if number:
                lock(self.courier_path(number - 1), waits=True)  # who came before us has gone
            while not self.hand_over():
                time.sleep(RETRY_S)
        finally:
            posix._exit(0)

    def hand_over(self) -> bool:
        """False: there is no daemon yet, it ends just now, or it cannot write."""
        connection = self.connect()
        if connection is None:
            return False
        self.remove_mark(SPAWNED)
        try:
            status, _, _ = exchange(connection, self.path, self.authority + LATE, self.payload)
        except (OSError, HookFailed):
            return False
        return not status.startswith(b"5")

    def join_line(self) -> tuple[int, int]:
        """Its number behind the last courier, and the open file whose lock it is: the courier inherits it from us."""
        last = self.last_courier()
        for number in range(0 if last is None else last + 1, MAX_COURIERS):
            place = lock(self.courier_path(number))
            if place is not None:  # else another hook was quicker
                posix.utime(place)
                return number, place
        raise HookFailed("none was running, and too much waits for it already")

    def wait_for_couriers(self, seconds: float) -> None:
        """What happened before is told before, if that is soon."""
        if not self.is_recent(COURIER % 0, COURIER_S):
            return
        give_up = time.monotonic() + seconds
        while self.last_courier() is not None and time.monotonic() < give_up:
            time.sleep(POLL_S)

    def last_courier(self) -> int | None:
        return next(
            (number for number in range(MAX_COURIERS - 1, -1, -1) if is_locked(self.courier_path(number))), None
        )

    def courier_path(self, number: int) -> bytes:
        return self.runtime + b"/" + COURIER % number

    # ---- its folder

    def has_folder(self) -> bool:
        """In a shared temporary directory anybody may have made it: then nobody there is our daemon."""
        try:
            facts = posix.lstat(self.runtime)
        except FileNotFoundError:
            return False
        if facts.st_mode & 0o170000 != 0o040000 or facts.st_uid != posix.getuid():
            raise HookFailed("the folder of its socket belongs to another user, or is a link")
        return True

    def claim(self, name: bytes, seconds: float) -> bool:
        """Whether nobody did it within the last seconds; then we do."""
        path = self.runtime + b"/" + name
        try:
            posix.close(posix.open(path, posix.O_WRONLY | posix.O_CREAT | posix.O_EXCL | posix.O_NOFOLLOW, 0o600))
        except FileExistsError:
            if self.is_recent(name, seconds):
                return False
            posix.utime(path)
        return True

    def is_recent(self, name: bytes, seconds: float) -> bool:
        try:
            return 0 <= time.time() - posix.stat(self.runtime + b"/" + name).st_mtime < seconds
        except OSError:
            return False

    def remove_mark(self, name: bytes) -> None:
        try:  # noqa: SIM105  # contextlib alone would cost as much as the question
            posix.unlink(self.runtime + b"/" + name)
        except OSError:
            pass

    def log_error(self, error: BaseException) -> None:
        """One line, without content; where there is no folder for it yet, there is nobody to tell."""
        if not self.state:
            return
        said = str(error) if isinstance(error, HookFailed) else getattr(error, "strerror", None) or type(error).__name__
        when = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
        path = (self.state if is_writable(self.state) else self.runtime) + b"/hook.log"
        try:
            descriptor = posix.open(path, posix.O_WRONLY | posix.O_APPEND | posix.O_CREAT | NO_TRAP, 0o600)
            if posix.fstat(descriptor).st_size > MAX_LOG_BYTES:
                posix.ftruncate(descriptor, 0)
            posix.write(descriptor, f"{when} {self.name}: {self.doing}: {said}\n".encode())
        except OSError:
            pass


# ---- places: the same rule as in the daemon (config.places)


def mark_headless(payload: bytes, env: dict[bytes, bytes]) -> bytes:
    """Says so where nobody sits: in CI, or where a script began the agent. The event's own word comes last and wins."""
    in_ci = any(env.get(name, b"").lower() not in (b"", b"0", b"false") for name in IN_CI)
    if not in_ci and not env.get(b"CLAUDE_CODE_ENTRYPOINT", b"").startswith(b"sdk"):
        return payload
    begin, brace, rest = payload.partition(b"{")
    is_object = brace and not begin.strip() and not rest.lstrip().startswith(b"}")
    return b'{"headless": true, ' + rest if is_object else payload


def state_folder(env: dict[bytes, bytes]) -> bytes:
    given = env.get(b"XDG_STATE_HOME", b"")
    return join(given, b"recollect") if given.startswith(b"/") else join(home(env), b".local/state/recollect")


def runtime_folder(env: dict[bytes, bytes], state: bytes) -> bytes:
    given = env.get(b"XDG_RUNTIME_DIR", b"")
    folder = join(given, b"recollect") if given.startswith(b"/") and is_folder(given) else state
    if len(folder) + len(b"/daemon.sock") <= MAX_SOCKET_PATH_BYTES and is_writable(folder):
        return folder
    from hashlib import sha256

    name = b"recollect-%d-%s" % (posix.getuid(), sha256(folder).hexdigest()[:12].encode())
    given = env.get(b"TMPDIR", b"")
    return join(given if given.startswith(b"/") else b"/tmp", name)


def home(env: dict[bytes, bytes]) -> bytes:
    given = env.get(b"HOME")
    if given:
        if not given.startswith(b"/"):  # the daemon works in another folder than the host
            raise HookFailed("HOME is no whole path")
        return given
    if given is not None:
        return b"/"
    import pwd

    return pwd.getpwuid(posix.getuid()).pw_dir.encode("utf-8", "surrogateescape")


def join(folder: bytes, name: bytes) -> bytes:
    """As a `Path` is written: its hash names a folder."""
    root = b"/" if folder.startswith(b"/") else b""
    return root + b"/".join([part for part in folder.split(b"/") if part not in (b"", b".")] + [name])


def is_writable(folder: bytes) -> bool:
    """Asked of the folder itself or, as long as it is not there, of the one that it would be made in."""
    while not posix.access(folder, posix.F_OK) and len(folder) > 1:
        folder = folder.rpartition(b"/")[0] or b"/"
    return posix.access(folder, posix.W_OK)


def is_folder(path: bytes) -> bool:
    try:
        return posix.stat(path).st_mode & 0o170000 == 0o040000
    except OSError:
        return False


def make_folder(path: bytes) -> None:
    try:
        posix.mkdir(path, 0o700)
    except FileExistsError:
        pass
    except FileNotFoundError:
        make_folder(path.rpartition(b"/")[0])
        posix.mkdir(path, 0o700)


def is_locked(path: bytes) -> bool:
    """The lock is held for life: nothing else says that a daemon lives."""
    import fcntl

    try:
        descriptor = posix.open(path, posix.O_RDONLY | posix.O_NOFOLLOW)
    except FileNotFoundError:
        return False
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        posix.close(descriptor)
    return False


def lock(path: bytes, *, waits: bool = False) -> int | None:
    """The open file that holds it; None: somebody else has it. It goes on in a process that is forked from this one."""
    import fcntl

    descriptor = posix.open(path, posix.O_RDWR | posix.O_CREAT | posix.O_NOFOLLOW | posix.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | (0 if waits else fcntl.LOCK_NB))
    except BlockingIOError:
        posix.close(descriptor)
        return None
    return descriptor


def read_file(path: bytes) -> bytes:
    descriptor = posix.open(path, posix.O_RDONLY | posix.O_NOFOLLOW)
    try:
        return posix.read(descriptor, CHUNK_BYTES)
    finally:
        posix.close(descriptor)


def read_all(descriptor: int, most: int) -> bytes:
    """Up to its end, also where it is too much: a host that cannot write all of it may fail."""
    received, size = bytearray(), 0
    while True:
        try:
            chunk = posix.read(descriptor, CHUNK_BYTES)
        except BlockingIOError:  # a host may give us a pipe that does not wait
            time.sleep(POLL_S)
            continue
        if not chunk:
            break
        size += len(chunk)
        received += chunk if size <= most else b""
    if size > most:
        raise HookFailed(f"there is more to read than {most} bytes")
    return bytes(received)


def write_all(descriptor: int, said: bytes) -> None:
    while said:
        said = said[posix.write(descriptor, said) :]


def exchange(connection: _socket.socket, path: bytes, authority: bytes, payload: bytes) -> tuple[bytes, bytes, bytes]:
    """The status, the daemon's version and the body of an answer that came whole."""
    head = b"POST %s HTTP/1.1\r\n%sContent-Type: application/json\r\nContent-Length: %d\r\nConnection: close\r\n\r\n"
    connection.sendall(head % (path, authority, len(payload)) + payload)
    received = b""
    while b"\r\n\r\n" not in received:
        received += receive_more(connection, received)
    said, _, body = received.partition(b"\r\n\r\n")
    first, *lines = said.split(b"\r\n")
    if not first.startswith(b"HTTP/1.1 "):
        raise HookFailed("the answer is no HTTP")
    headers = {name.strip().lower(): value.strip() for name, _, value in (line.partition(b":") for line in lines)}
    length = headers.get(b"content-length", b"")
    if not length.isdigit() or len(length) > 9 or int(length) > MAX_ANSWER_BYTES:
        raise HookFailed("the answer has no length, or is too long")
    while len(body) < int(length):
        body += receive_more(connection, body)
    connection.close()
    return first.split(b" ")[1], headers.get(b"recollect-version", b""), body[: int(length)].strip()


def receive_more(connection: _socket.socket, received: bytes) -> bytes:
    chunk = connection.recv(CHUNK_BYTES)
    if not chunk or len(received) > MAX_ANSWER_BYTES:
        raise HookFailed("the answer is not whole, or too long")
    return chunk


# ---- this process, and that of the daemon


def age_s() -> float:
    """How long this process is there, as the kernel has it; where it does not tell, what it has computed so far."""
    try:
        ticks = int(read_file(b"/proc/self/stat").rpartition(b")")[2].split()[19])  # its start, since the machine's
        return max(0.0, time.clock_gettime(time.CLOCK_BOOTTIME) - ticks / posix.sysconf("SC_CLK_TCK"))
    except (OSError, ValueError, IndexError, AttributeError):
        return time.process_time()


def start_daemon() -> int:
    """Not ended with the agent that we belong to, and without its keys."""
    env = posix.environ
    kept = {name: env[name] for name in env if name in DAEMON_ENV or name.startswith(DAEMON_ENV_PREFIXES)}
    child = posix.fork()
    if child:
        return child
    try:
        detach()
        posix.execve(sys.executable, [sys.executable, "-m", "recollect.daemon"], kept | DAEMON_OWN_ENV)
    finally:
        posix._exit(127)


def detach(*, keeping: int | None = None) -> None:
    """A process of its own: no terminal, no open files of whoever started it but this one, nobody's folder."""
    posix.setsid()
    posix.chdir("/")
    while keeping is not None and keeping <= 2:  # a host has closed that one
        keeping = posix.dup(keeping)
    nothing = posix.open("/dev/null", posix.O_RDWR)
    for descriptor in (0, 1, 2):
        posix.dup2(nothing, descriptor)
        posix.set_inheritable(descriptor, True)  # a host may have closed one of them: then it is `nothing`
    posix.closerange(3, keeping or 3)
    posix.closerange((keeping or 2) + 1, descriptor_limit())


def descriptor_limit() -> int:
    """Linux closes any range in one call. macOS needs a call for each number: there, stop at the highest open one."""
    if sys.platform != "darwin":
        return 1 << 20
    return max(map(int, posix.listdir("/dev/fd"))) + 1


def is_older(version: bytes) -> bool:
    """Than this one, by the leading numbers (client.is_older). One that cannot be read is nobody's business."""
    theirs, ours = leading_numbers(version), leading_numbers(VERSION.encode())
    return theirs is not None and ours is not None and theirs < ours


def leading_numbers(version: bytes) -> list[int] | None:
    found = []
    for part in version.split(b"."):
        digits = part[: len(part) - len(part.lstrip(b"0123456789"))]
        if digits:
            found.append(int(digits[:9]))
        if digits != part or not digits:
            break
    if not found:
        return None
    while found and found[-1] == 0:  # 1.2 and 1.2.0 are the same
        found.pop()
    return found


def is_name(text: str) -> bool:
    """What can stand in an address and in a log."""
    return text.isascii() and text.replace("-", "").replace("_", "").isalnum() and len(text) <= 40


def main() -> None:
    call = HookRun()
    try:
        call.run(sys.argv[1:])
    except BaseException as error:  # noqa: BLE001  # one of the four places: the agent must not notice
        call.log_error(error)
    finally:
        posix._exit(0)


if __name__ == "__main__":
    main()
