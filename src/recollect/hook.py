"""The hook client: sends the input of an agent's command hook to the daemon, and prints the answer.

One file that imports only the standard library; `recollect hook` prints the command that imports it and runs `main`. It
also runs as a script (`python -S -I .../recollect/hook.py HOST [MOMENT]`, the command of earlier versions). If anything
goes wrong, it exits with 0, in time, and prints nothing: no agent fails or waits because of its memory. It decides
nothing and reads no JSON; an error is one line in `hook.log` beside the daemon's log, without content.

Most of its cost is starting Python. So it uses what is built into the interpreter (`posix`, not `os`), and imports the
rest only when needed. A timer of the kernel ends it at its deadline, whatever it waits for.

If no daemon runs, or none answers in time, the event is not lost: the agent goes on, and a courier, a process of its own,
delivers the event as soon as a daemon accepts it. The courier keeps it in memory only: nothing unredacted is written.
"""

import sys

if sys.platform == "win32":  # not supported: do nothing, silently
    sys.exit(0)

import _signal  # type: ignore[import-not-found]  # typeshed knows `signal` alone, which costs an `enum`
import _socket
import posix
import time

VERSION = "0.2.1"  # of the package that it came with
START = "start"  # the moment that waits until a daemon has started

START_S = 1.8  # the whole life of this process
OTHER_S = 0.4
END_S = 0.02  # of it, reserved for writing a log line
QUIET_S = 5.0  # after a time-out only a session's start asks: a hung daemon costs one delay, not one per turn
RESPAWN_S = 15.0  # after a failed start, the next one waits this long
REPLACE_S = 30.0  # so does the next replacement of an older daemon
POLL_S = 0.01
COURIER_S = 10.0  # the life of a courier that waits for a daemon to start
LATE_COURIER_S = 30.0  # the same after a time-out: the daemon runs and is busy
RETRY_S = 0.05  # between two attempts of a courier

MAX_COURIERS = 20
MAX_PAYLOAD_BYTES = 4_000_000  # the daemon accepts no more
MAX_ANSWER_BYTES = 1_000_000
MAX_LOG_BYTES = 200_000
MAX_SOCKET_PATH_BYTES = 100
CHUNK_BYTES = 65_536

IN_CI = (b"CI", b"TF_BUILD", b"JENKINS_URL", b"TEAMCITY_VERSION")  # all others set CI
# Empty files in the runtime folder; their age says when something happened last.
TIMED_OUT = b"hook.timed-out"
SPAWNED = b"hook.spawned"  # removed by the first hook that reaches the daemon
REPLACED = b"hook.replaced"
COURIER = b"hook.courier-%d"  # a courier locks one as its place in the line; the kernel frees it with the process

READING, STARTING, ASKING, ANSWERING = "reading", "starting the daemon", "asking", "answering"

# A shell's environment has API keys in it: the daemon gets only what it needs (client.DAEMON_ENV).
DAEMON_ENV = (b"HOME", b"PATH", b"LANG", b"TZ", b"TMPDIR")
DAEMON_ENV_PREFIXES = (b"LC_", b"XDG_", b"RECOLLECT_")
DAEMON_OWN_ENV = {b"MALLOC_ARENA_MAX": b"2"}  # client.DAEMON_OWN_ENV
NO_TRAP = posix.O_NOFOLLOW | posix.O_NONBLOCK  # refuse a link, and do not wait for a pipe's reader
LATE = b"Recollect-Late: 1\r\n"  # the answer is thrown away: its block is never shown


class HookFailed(Exception):
    """Why there is no answer; never has content of the event."""


class HookRun:
    def __init__(self) -> None:
        self.name = "hook"  # later the names of host and moment
        self.doing = READING
        self.state = self.runtime = b""  # folders, once known
        self.authority = b"Host: localhost\r\n"
        self.child = 0  # the daemon, if we started it
        self.path = self.payload = b""  # of the request, once known

    def run(self, arguments: list[str]) -> None:
        waits = len(arguments) > 1 and arguments[1] == START
        seconds = START_S if waits else OTHER_S
        self.set_deadline(seconds)
        self.state = state_folder(posix.environ)
        self.runtime = runtime_folder(posix.environ, self.state)
        if not arguments or not all(map(is_name, arguments)):
            raise HookFailed("the arguments must be the name of a host and of a moment")
        self.name = " ".join(arguments)
        payload = read_all(0, MAX_PAYLOAD_BYTES)
        if not payload.strip():
            raise HookFailed("standard input was empty")
        self.path, self.payload = b"/v1/hosts/" + arguments[0].encode(), mark_headless(payload, posix.environ)
        if not waits and self.is_recent(TIMED_OUT, QUIET_S):
            self.send_courier(LATE_COURIER_S)
            return
        connection = self.connect()
        if connection is None:
            self.start(START_S if waits else COURIER_S)
            if not waits:
                self.send_courier(COURIER_S)
                raise HookFailed("no daemon was running; the event is delivered when it is up")
            connection = self.wait_for_daemon()
        self.remove_mark(SPAWNED)
        self.wait_for_couriers(seconds / 4)
        self.answer(connection)

    def answer(self, connection: _socket.socket) -> None:
        status, version, body = exchange(connection, self.path, self.authority, self.payload)
        self.doing = ANSWERING
        self.remove_mark(TIMED_OUT)
        try:
            if status != b"200":
                raise HookFailed(f"the daemon answered {status.decode('ascii', 'replace')}")
            if not (body.startswith(b"{") and body.endswith(b"}")):
                raise HookFailed("the answer is not a JSON object")
            if body[1:-1].strip():
                write_all(1, body + b"\n")
        finally:
            # The new daemon ends the older one itself. An equal or newer daemon is never replaced.
            if is_older(version) and self.claim(REPLACED, REPLACE_S):
                start_daemon()

    def set_deadline(self, seconds: float) -> None:
        _signal.signal(_signal.SIGALRM, self.end_late)
        _signal.signal(_signal.SIGCHLD, _signal.SIG_DFL)
        for number in (_signal.SIGTERM, _signal.SIGINT, _signal.SIGHUP):
            _signal.signal(number, lambda *_: posix._exit(0))
        _signal.pthread_sigmask(_signal.SIG_SETMASK, ())  # a host may have blocked signals, for the daemon too
        # A shell that worked before it became this process makes us look too old: at least half of the time is ours.
        _signal.setitimer(_signal.ITIMER_REAL, seconds - min(age_s(), seconds / 2) - END_S)

    def end_late(self, *_: object) -> None:
        _signal.signal(_signal.SIGALRM, lambda *_: posix._exit(0))  # if the disk of the log hangs too
        _signal.setitimer(_signal.ITIMER_REAL, END_S)
        try:
            if self.doing == ASKING:
                self.claim(TIMED_OUT, 0)
            if self.payload and self.doing != ANSWERING:
                self.send_courier(LATE_COURIER_S)
                raise HookFailed("it took too long; the event is delivered later")
            raise HookFailed("it took too long")
        except BaseException as error:  # noqa: BLE001  # as in `main`
            self.log_error(error)
        finally:
            posix._exit(0)

    def connect(self) -> _socket.socket | None:
        """None: no daemon listens."""
        self.doing = ASKING  # a hung daemon may not even accept a connection
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
            return None  # of a killed daemon: another program may have taken over its port
        connection = _socket.socket(_socket.AF_INET, _socket.SOCK_STREAM)
        try:
            connection.connect(("127.0.0.1", int(port)))
        except ConnectionRefusedError:
            connection.close()
            return None
        self.authority = b"Host: 127.0.0.1:%s\r\nAuthorization: Bearer %s\r\n" % (port, token)
        return connection

    def start(self, within_s: float) -> None:
        """Start a daemon unless another hook did; HookFailed if that was longer than `within_s` ago."""
        self.doing = STARTING
        make_folder(self.runtime)
        if self.claim(SPAWNED, RESPAWN_S):
            self.child = start_daemon()
        elif not self.is_recent(SPAWNED, within_s):
            raise HookFailed("the last daemon did not start; daemon.log may say why")

    def wait_for_daemon(self) -> _socket.socket:
        while (connection := self.connect()) is None:
            self.doing = STARTING
            if self.child and posix.waitpid(self.child, posix.WNOHANG) != (0, 0):
                self.child = 0  # it failed, or another daemon was quicker and answers soon
                if not is_locked(self.runtime + b"/daemon.lock"):
                    then = time.time() - START_S  # so that the next hook does not wait for it
                    posix.utime(self.runtime + b"/" + SPAWNED, (then, then))
                    raise HookFailed("the daemon did not start; daemon.log may say why")
            time.sleep(POLL_S)
        return connection

    def send_courier(self, seconds: float) -> None:
        """Leave a process behind that delivers this event when a daemon accepts it, in the order of the events."""
        number, place = self.join_line()
        if posix.fork():
            return
        try:
            _signal.signal(_signal.SIGALRM, _signal.SIG_DFL)
            _signal.pthread_sigmask(_signal.SIG_SETMASK, ())  # we may be inside the handler of that signal
            _signal.setitimer(_signal.ITIMER_REAL, seconds)
            detach(keeping=place)
            if number:
                lock(self.courier_path(number - 1), waits=True)  # wait until the courier before us has ended
            while not self.hand_over():
                time.sleep(RETRY_S)
        finally:
            posix._exit(0)

    def hand_over(self) -> bool:
        """Deliver the event; False if no daemon runs yet, it is just ending, or it cannot write."""
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
        """Lock the place behind the last courier; return its number and the locked file, which the courier inherits."""
        for number in range(self.line_length(), MAX_COURIERS):
            place = lock(self.courier_path(number))
            if place is not None:  # otherwise another hook was quicker
                posix.utime(place)
                return number, place
        raise HookFailed("no daemon was running, and too many events wait for it already")

    def wait_for_couriers(self, seconds: float) -> None:
        """Let earlier events be delivered first, if that is soon."""
        if not self.is_recent(COURIER % 0, COURIER_S):
            return
        give_up = time.monotonic() + seconds
        while self.line_length() and time.monotonic() < give_up:
            time.sleep(POLL_S)

    def line_length(self) -> int:
        """Return how many places the line has, up to its last courier."""
        for number in range(MAX_COURIERS, 0, -1):
            if is_locked(self.courier_path(number - 1)):
                return number
        return 0

    def courier_path(self, number: int) -> bytes:
        return self.runtime + b"/" + COURIER % number

    def has_folder(self) -> bool:
        """HookFailed if it is not ours: in a shared temporary directory any user may have created it."""
        try:
            facts = posix.lstat(self.runtime)
        except FileNotFoundError:
            return False
        if facts.st_mode & 0o170000 != 0o040000 or facts.st_uid != posix.getuid():
            raise HookFailed("the folder of the socket belongs to another user, or is a link")
        return True

    def claim(self, name: bytes, seconds: float) -> bool:
        """Touch a mark; False if another hook did within the last seconds."""
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
        try:  # noqa: SIM105  # importing contextlib costs as much as the whole request
            posix.unlink(self.runtime + b"/" + name)
        except OSError:
            pass

    def log_error(self, error: BaseException) -> None:
        """Write one line, without content, unless there is no folder for it yet."""
        if not self.state:
            return
        if isinstance(error, HookFailed):
            reason = str(error)
        else:
            reason = getattr(error, "strerror", None) or type(error).__name__
        when = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
        path = (self.state if is_writable(self.state) else self.runtime) + b"/hook.log"
        try:
            descriptor = posix.open(path, posix.O_WRONLY | posix.O_APPEND | posix.O_CREAT | NO_TRAP, 0o600)
            if posix.fstat(descriptor).st_size > MAX_LOG_BYTES:
                posix.ftruncate(descriptor, 0)
            posix.write(descriptor, f"{when} {self.name}: {self.doing}: {reason}\n".encode())
        except OSError:
            pass


def mark_headless(payload: bytes, env: dict[bytes, bytes]) -> bytes:
    """Mark the event in CI, or if a script started the agent. Put first: the event's own field comes later and wins."""
    in_ci = any(env.get(name, b"").lower() not in (b"", b"0", b"false") for name in IN_CI)
    if not in_ci and not env.get(b"CLAUDE_CODE_ENTRYPOINT", b"").startswith(b"sdk"):
        return payload
    begin, brace, rest = payload.partition(b"{")
    is_object = brace and not begin.strip() and not rest.lstrip().startswith(b"}")
    return b'{"headless": true, ' + rest if is_object else payload


def state_folder(env: dict[bytes, bytes]) -> bytes:
    """This and the next functions follow the same rules as paths.py."""
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
            raise HookFailed("HOME is not an absolute path")
        return given
    if given is not None:
        return b"/"
    import pwd

    return pwd.getpwuid(posix.getuid()).pw_dir.encode("utf-8", "surrogateescape")


def join(folder: bytes, name: bytes) -> bytes:
    """Spell a path as `pathlib` does: the runtime folder's name is a hash of it."""
    root = b"/" if folder.startswith(b"/") else b""
    parts = [part for part in folder.split(b"/") if part not in (b"", b".")]
    return root + b"/".join([*parts, name])


def is_writable(folder: bytes) -> bool:
    """Check the folder or, if it does not exist yet, the nearest folder above it."""
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
    """A daemon or courier has its lock as long as it lives; nothing else proves that it lives."""
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
    """Return the locked file; None if another process has the lock. A forked process keeps it."""
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
    """Read to the end, even if it is too much: a host that cannot write everything may fail."""
    received, size = bytearray(), 0
    while True:
        try:
            chunk = posix.read(descriptor, CHUNK_BYTES)
        except BlockingIOError:  # a host may give us a pipe in non-blocking mode
            time.sleep(POLL_S)
            continue
        if not chunk:
            break
        size += len(chunk)
        if size <= most:
            received += chunk
    if size > most:
        raise HookFailed(f"the input is longer than {most} bytes")
    return bytes(received)


def write_all(descriptor: int, output: bytes) -> None:
    while output:
        output = output[posix.write(descriptor, output) :]


def exchange(connection: _socket.socket, path: bytes, authority: bytes, payload: bytes) -> tuple[bytes, bytes, bytes]:
    """Send the request; return the status, the daemon's version and the body of a complete answer."""
    head = b"POST %s HTTP/1.1\r\n%sContent-Type: application/json\r\nContent-Length: %d\r\nConnection: close\r\n\r\n"
    connection.sendall(head % (path, authority, len(payload)) + payload)
    received = b""
    while b"\r\n\r\n" not in received:
        received += receive_more(connection, received)
    header, _, body = received.partition(b"\r\n\r\n")
    first, *lines = header.split(b"\r\n")
    if not first.startswith(b"HTTP/1.1 "):
        raise HookFailed("the answer is not HTTP")
    headers = {}
    for line in lines:
        name, _, value = line.partition(b":")
        headers[name.strip().lower()] = value.strip()
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
        raise HookFailed("the answer is incomplete, or too long")
    return chunk


def age_s() -> float:
    """Return the age of this process as the kernel knows it; without /proc (macOS), the processor time it used."""
    try:
        ticks = int(read_file(b"/proc/self/stat").rpartition(b")")[2].split()[19])  # its start, in ticks since boot
        return max(0.0, time.clock_gettime(time.CLOCK_BOOTTIME) - ticks / posix.sysconf("SC_CLK_TCK"))
    except (OSError, ValueError, IndexError, AttributeError):
        return time.process_time()


def start_daemon() -> int:
    """Start a daemon that outlives the agent and gets none of its keys."""
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
    """Become a process of our own: no terminal, the root folder, no inherited files except `keeping`."""
    posix.setsid()
    posix.chdir("/")
    while keeping is not None and keeping <= 2:  # the host had closed that descriptor
        keeping = posix.dup(keeping)
    nothing = posix.open("/dev/null", posix.O_RDWR)
    for descriptor in (0, 1, 2):
        posix.dup2(nothing, descriptor)
        posix.set_inheritable(descriptor, True)  # a host may have closed one: then it is `nothing`
    posix.closerange(3, keeping or 3)
    posix.closerange((keeping or 2) + 1, descriptor_limit())


def descriptor_limit() -> int:
    """Linux closes any range in one call. macOS needs a call for each number: there, stop at the highest open one."""
    if sys.platform != "darwin":
        return 1 << 20
    return max(map(int, posix.listdir("/dev/fd"))) + 1


def is_older(version: bytes) -> bool:
    """Compare the leading numbers with this version's, as client.is_older does. An unreadable version is not older."""
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
    """Check that a name is safe in an address and in a log."""
    return text.isascii() and text.replace("-", "").replace("_", "").isalnum() and len(text) <= 40


def main() -> None:
    call = HookRun()
    try:
        call.run(sys.argv[1:])
    except BaseException as error:  # noqa: BLE001  # the agent must not notice any error
        call.log_error(error)
    finally:
        posix._exit(0)


if __name__ == "__main__":
    main()
