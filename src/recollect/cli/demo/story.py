"""The story of the demo: a bakery's ordering API, in what its hosts and its user said. Data, and no clock."""

from collections.abc import Iterator
from datetime import UTC, date, datetime

from recollect.domain.event import (
    Asked,
    Compacted,
    Compacting,
    Event,
    Prompt,
    Reply,
    SessionEnded,
    SessionStarted,
    StartSource,
    ToolFailed,
    ToolSucceeded,
)
from recollect.domain.memory import (
    UNIVERSAL,
    Anchor,
    Draft,
    Kind,
    MessageId,
    ProjectId,
    Role,
    Scope,
    ScopeLevel,
    SessionId,
    Source,
)
from recollect.domain.session import Note, Summary

Happening = Event | Draft  # a draft: the user teaches it with `recollect remember`

TITLE = "A bakery's ordering API: one day, two sessions"
PROJECT = ProjectId("git:example.org/bakery/orders")
HERE, PYTHON = Scope.project(PROJECT), Scope(ScopeLevel.LANGUAGE, "python")
MORNING, EVENING = SessionId("morning"), SessionId("evening")
WARM, WARM_UP = MessageId("warm"), "Which columns does the invoice export have?"
TODAY = date(2026, 3, 26)
KNOWN_ERROR = "TypeError: can't subtract offset-naive and offset-aware datetimes"

PICKUP = """
def reserve(db: Connection, slot: Slot, order: Order) -> None:
    taken = db.scalar("select count(*) from reservations where slot = %s", slot.id)
    db.execute("select 1 from slots where id = %s for update", slot.id)
    if taken >= slot.holds:
        raise SlotFull(slot, next_free=next_free(db, slot))
    db.execute("insert into reservations (slot, orders) values (%s, %s)", slot.id, order.id)


def minutes_left(slot: Slot) -> float:
    return (slot.starts_at - datetime.now()).total_seconds() / 60
"""
PAYMENTS = """
def on_webhook(db: Connection, event: PaymentEvent) -> None:
    order = orders.by_payment(db, event.payment)
    mail.send_receipt(order)
    if not db.execute("insert into payment_events (id) values (%s) on conflict do nothing", event.id):
        return
    orders.mark_paid(db, order, at=event.created)
"""
CHECKOUT = '''
CLOSES = time(18, 0)


def countdown(day: date, now: datetime) -> timedelta:
    """Until orders for this day close, the evening before."""
    return datetime.combine(day - timedelta(days=1), CLOSES, tzinfo=SHOP) - now
'''


def winter() -> list[Draft]:
    """Too old for the start of a session; found by whoever asks for it."""
    return [
        _taught(
            _time(12, 0, month=1, day=12),
            Kind.ERROR_PATTERN,
            "Postgres gives pickup times a zone, datetime.now() has none: use orders/clock.py.",
            title=KNOWN_ERROR,
        ),
        _taught(
            _time(12, 0, month=2, day=3),
            Kind.DECISION,
            "Pickup slots are counted in Postgres under a row lock; counters in Redis drifted after restarts.",
        ),
        _taught(
            _time(12, 0, month=2, day=5),
            Kind.DECISION,
            "A pickup slot holds 12 orders on Saturday and 8 on other days, when one person serves.",
        ),
        _taught(
            _time(12, 0, month=2, day=11),
            Kind.DECISION,
            "A payment webhook is applied once, by the provider's event id: it retries for three days.",
        ),
        _taught(
            _time(12, 0, month=2, day=17),
            Kind.RESEARCH,
            "The receipt printer drops what comes after 48 characters of a line; wrap before printing.",
        ),
    ]


def morning() -> Iterator[Happening]:
    yield SessionStarted(session=MORNING, at=_time(9, 0), project=PROJECT, language="python")
    yield _prompt(MORNING, 9, 2, "Show allergens to buyers, and stop orders too late to bake.")
    yield _reply(MORNING, 9, 20, "Both work. A late order gets a 409 with the next free day.")
    yield _taught(_time(9, 30), Kind.PREFERENCE, "Answer briefly; show diffs, not files.", scope=UNIVERSAL)
    yield _taught(_time(9, 31), Kind.RULE, "Type hints everywhere; no bare except.", scope=PYTHON)
    yield _taught(_time(9, 32), Kind.RULE, "Prices are never changed by a migration.")
    yield _taught(
        _time(9, 40), Kind.DECISION, "Orders close at 18:00 the day before, because the ovens are loaded at three."
    )
    yield _taught(
        _time(9, 45),
        Kind.DECISION,
        "Allergens are an enum, not free text: the label printer needs the official names.",
    )
    yield _taught(
        _time(9, 50),
        Kind.FILE_CONTEXT,
        "src/orders/pricing.py does all rounding, half up to five cents; nothing else may round.",
        anchors=(Anchor("src/orders/pricing.py"),),
    )
    yield SessionEnded(
        session=MORNING,
        at=_time(12, 10),
        notes=tuple(
            map(
                Note.parse,
                (
                    "impl: allergens on the product page; 409 for late orders",
                    "dec: no pre-orders by phone in the app before Easter",
                    "block: the staging printer is offline until Friday",
                    "next: stop Saturday's pickup slots from being overbooked",
                ),
            )
        ),
        summary=Summary(
            asked="allergens, and no late orders",
            ended="Both work. A late order gets a 409 with the next free day.",
            done=("allergen labels", "closing time"),
            files=("src/orders/checkout.py", "src/orders/labels.py"),
        ),
    )


def evening() -> Iterator[Happening]:
    yield SessionStarted(session=EVENING, at=_time(18, 30), project=PROJECT, language="python")
    yield _prompt(EVENING, 18, 31, "Saturday's pickup slots get overbooked. Where do we count?")
    yield _read(18, 32, "src/orders/pickup.py", PICKUP)
    yield _reply(EVENING, 18, 33, "In Postgres, but reserve() counts before it takes the row lock.")
    yield _prompt(EVENING, 18, 34, "continue")
    yield _reply(EVENING, 18, 41, "The lock comes first now; of two buyers in a test one gets a 409.")
    yield _prompt(EVENING, 18, 44, "The provider retried a payment webhook: two receipts went out.")
    yield _read(18, 45, "src/orders/payments.py", PAYMENTS)
    yield _reply(EVENING, 18, 52, "The receipt went out before the event id was checked. Swapped.")
    yield _prompt(EVENING, 18, 55, "Now draw a line chart of bread sales by weekday, for the owner.")
    yield _reply(EVENING, 19, 2, "It is on the admin page, as plain SVG. Running the tests.")
    yield from _failures()
    yield _taught(
        _time(19, 12),
        Kind.DECISION,
        "Orders now close at 20:00 the day before, because the ovens are loaded at five now.",
    )
    yield _prompt(EVENING, 19, 13, "We bake later from now on: adapt the countdown at checkout.")
    yield _read(19, 14, "src/orders/checkout.py", CHECKOUT)
    yield _reply(EVENING, 19, 20, "The countdown ends at 20:00, and so do its test and the 409.")
    yield Compacting(session=EVENING, at=_time(19, 21))
    yield Compacted(session=EVENING, at=_time(19, 22))
    yield SessionStarted(session=EVENING, at=_time(19, 22), source=StartSource.COMPACT)
    yield _prompt(EVENING, 19, 24, "Once more the pickup slots: could the counters still drift?")
    yield _reply(EVENING, 19, 28, "No: they are counted under the lock. Now a test receipt.")
    yield Asked(session=EVENING, at=_time(19, 29), query="characters per line of the receipt printer")
    yield _reply(EVENING, 19, 31, "48 fit on a line; the name of the slot is wrapped now.")
    yield SessionEnded(
        session=EVENING,
        at=_time(19, 40),
        notes=tuple(
            map(
                Note.parse,
                (
                    "impl: slots lock before they count; one receipt per payment event",
                    "next: tell the regulars that orders close at 20:00",
                ),
            )
        ),
    )


def _failures() -> Iterator[Happening]:
    """One that is known, though its file, line and code were others in winter, and one that is not."""
    yield ToolFailed(
        session=EVENING,
        at=_time(19, 3),
        tool="bash",
        input={"command": "pytest tests/test_pickup.py"},
        message=MessageId("evening-1902"),
        call="call-1",
        error="Traceback (most recent call last):\n"
        '  File "/home/mina/orders/src/orders/pickup.py", line 141, in minutes_left\n'
        "    return (slot.starts_at - datetime.now()).total_seconds() / 60\n"
        f"{KNOWN_ERROR}",
    )
    yield _reply(EVENING, 19, 5, "minutes_left() uses the clock of orders/clock.py now.")
    yield ToolFailed(
        session=EVENING,
        at=_time(19, 6),
        tool="bash",
        input={"command": "pytest tests/test_chart.py"},
        message=MessageId("evening-1905"),
        call="call-2",
        error="ModuleNotFoundError: No module named 'pygal'",
    )
    yield _reply(EVENING, 19, 9, "The test reads the SVG now, without a library; all pass.")


def _time(hour: int, minute: int, *, month: int = 3, day: int = 26) -> datetime:
    return datetime(2026, month, day, hour, minute, tzinfo=UTC)


def _prompt(session: SessionId, hour: int, minute: int, text: str) -> Prompt:
    return Prompt(session=session, at=_time(hour, minute), message=_message(session, hour, minute), text=text)


def _reply(session: SessionId, hour: int, minute: int, text: str) -> Reply:
    return Reply(session=session, at=_time(hour, minute), message=_message(session, hour, minute), text=text)


def _read(hour: int, minute: int, path: str, output: str) -> ToolSucceeded:
    at = _time(hour, minute)
    return ToolSucceeded(session=EVENING, at=at, tool="read", input={"filePath": path}, output=output)


def _message(session: SessionId, hour: int, minute: int) -> MessageId:
    return MessageId(f"{session}-{hour:02}{minute:02}")


def _taught(
    at: datetime,
    kind: Kind,
    text: str,
    *,
    scope: Scope = HERE,
    title: str | None = None,
    anchors: tuple[Anchor, ...] = (),
) -> Draft:
    source = Source(role=Role.USER, host="demo")
    return Draft(text=text, kind=kind, scope=scope, at=at, source=source, title=title, anchors=anchors)
