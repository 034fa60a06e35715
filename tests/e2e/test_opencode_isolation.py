"""Whose memories these are, on the real client: one process and one daemon for projects that must not meet."""

from collections.abc import Iterator
from dataclasses import dataclass

import pytest

from tests.e2e import kept
from tests.e2e.fake_model import fake_model
from tests.e2e.opencode import OpenCodeMachine, Project, Server
from tests.e2e.taught import start_daemon
from tests.requirements import covers

pytestmark = pytest.mark.paired

BAKERY = "Always run the bakery tests with five workers."
CACHE = "The bakery caches its price lists in Redis for ten minutes."
ASKED = "How long are price lists cached in Redis?"


@dataclass(frozen=True, slots=True, kw_only=True)
class Places:
    server: Server
    bakery: Project  # where it was said; here the plugin is installed twice
    tree: Project  # a worktree of it
    florist: Project
    bare: Project  # a folder without git


@pytest.fixture(scope="module")
def _places(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Places]:
    with fake_model() as model, OpenCodeMachine(tmp_path_factory.mktemp("machine"), model) as machine:
        bakery, florist, bare = machine.project("bakery"), machine.project("florist"), machine.folder("bare")
        bakery.install_recollect("--user")
        bakery.install_recollect("--project")
        tree = bakery.worktree("tree")
        start_daemon(bakery)
        with bakery.serve() as server:
            session = server.session()
            session.prompt(BAKERY)
            session.prompt(CACHE)
            kept.until(lambda: kept.texts(machine)["turn"], lambda turns: CACHE in turns)
            kept.settled(machine)
            yield Places(server=server, bakery=bakery, tree=tree, florist=florist, bare=bare)


@pytest.fixture
def places(_places: Places) -> Iterator[Places]:
    yield _places
    _places.server.model.assert_no_errors()


@covers("PRI-4")
@pytest.mark.parametrize("elsewhere", ["florist", "bare"])
def test_another_project_never_sees_what_was_said_in_this_one(places: Places, elsewhere: str) -> None:
    at: Project = getattr(places, elsewhere)
    (chat,) = places.server.session(at=at).prompt(ASKED).chats
    assert "bakery" not in "".join(chat.fences)
    assert chat.message_fences == [[]]
    assert not [memory for memory in kept.memories(at) if "bakery" in memory["text"]]
    assert not [turn for turn in kept.said(at, ASKED) if "bakery" in turn["text"]]


@covers("PRI-4")
def test_projects_side_by_side_each_have_their_own(places: Places) -> None:
    flowers = "Never push the florist branch to main."
    places.server.session(at=places.florist).prompt(flowers)
    kept.until(lambda: [memory["text"] for memory in kept.memories(places.florist)], lambda texts: flowers in texts)
    asked = "Hello, what is there to know?"
    starts = [
        "".join(places.server.session(at=at).prompt(asked).chats[0].system_fences)
        for at in (places.bakery, places.florist)
    ]
    assert [(BAKERY in start, flowers in start) for start in starts] == [(True, False), (False, True)]


@covers("PRI-5")
def test_a_worktree_of_the_same_repository_sees_them(places: Places) -> None:
    (chat,) = places.server.session(at=places.tree).prompt(ASKED).chats
    assert [BAKERY in fence for fence in chat.system_fences] == [True]
    assert [CACHE in fence for fence in chat.last_user_fences] == [True]


@covers("PRI-5")
def test_a_folder_without_git_has_memories_of_its_own(places: Places) -> None:
    kiosk = "Always squash the commits of the kiosk."
    places.server.session(at=places.bare).prompt(kiosk)
    kept.until(lambda: [memory["text"] for memory in kept.memories(places.bare)], lambda texts: kiosk in texts)
    (chat,) = places.server.session(at=places.bare).prompt("Hello there, anything I should know?").chats
    assert [kiosk in fence for fence in chat.system_fences] == [True]
    assert BAKERY not in "".join(chat.system_fences)


def test_a_plugin_that_is_installed_for_the_user_and_for_the_project_speaks_once(places: Places) -> None:
    session = places.server.session(at=places.bakery)
    (chat,) = session.prompt(ASKED).chats
    assert (len(chat.system_fences), len(chat.last_user_fences)) == (1, 1)
    told = [moment["point"] for moment in kept.moments(places.bakery, session.id)]
    assert sorted(told) == ["prompt", "start"]
