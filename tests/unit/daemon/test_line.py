"""Who goes first."""

import asyncio

from recollect.daemon.request_queue import RequestQueue


def order_of(line: RequestQueue, *asks: tuple[str, bool]) -> list[str]:
    """In which order they get a place, if they all ask while somebody else has the only one."""
    served: list[str] = []

    async def ask(name: str, first: bool) -> None:
        async with line.place(first=first):
            served.append(name)
            await asyncio.sleep(0)

    async def all_of_them() -> None:
        async with line.place(first=True):
            tasks = [asyncio.create_task(ask(*one)) for one in asks]
            await asyncio.sleep(0)
        await asyncio.gather(*tasks)

    asyncio.run(all_of_them())
    return served


def test_those_whom_a_person_waits_for_overtake_the_others() -> None:
    asks = [("tool", False), ("reply", False), ("prompt", True), ("start", True)]
    assert order_of(RequestQueue(1), *asks) == ["prompt", "start", "tool", "reply"]


def test_one_that_hangs_keeps_nobody_for_long() -> None:
    line = RequestQueue(1, max_wait_s=0.01)
    served: list[str] = []

    async def ask() -> None:
        async with line.place(first=True):
            served.append("asked")

    async def while_one_hangs() -> None:
        async with line.place(first=True):
            await asyncio.wait_for(ask(), 5)
            assert served == ["asked"]
        async with line.place(first=True):
            pass
        assert line._free == 1

    asyncio.run(while_one_hangs())


def test_who_gives_up_leaves_its_place_to_the_next() -> None:
    line = RequestQueue(1)

    async def run() -> None:
        async def ask() -> None:
            async with line.place(first=True):
                pass

        async with line.place(first=True):
            gone, stays = asyncio.create_task(ask()), asyncio.create_task(ask())
            await asyncio.sleep(0)
            gone.cancel()
            await asyncio.sleep(0)
        await asyncio.wait_for(stays, 5)
        assert line._free == 1

    asyncio.run(run())
