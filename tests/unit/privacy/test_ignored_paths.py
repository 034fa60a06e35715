import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.domain.settings import Settings
from recollect.privacy.exclude import IgnoredPaths

ROOT, HOME = "/home/ann/shop", "/home/ann"


def ignored(globs: list[str], path: str) -> bool:
    return IgnoredPaths(globs, root=ROOT, home=HOME).matches(path)


MATCHES = [
    (["*.pem"], "key.pem"),
    (["*.pem"], "deep/down/key.pem"),
    (["*.pem"], "/etc/ssl/key.pem"),
    (["secrets"], "secrets"),
    (["secrets"], "app/secrets/prod/db.json"),
    (["secrets/"], "secrets/db.json"),
    (["secrets/"], "app/secrets"),
    (["/secrets"], "secrets/db.json"),
    (["/secrets"], f"{ROOT}/secrets/db.json"),
    (["/etc/shadow"], "/etc/shadow"),
    ([".aws/credentials"], "/home/ann/.aws/credentials"),
    ([".aws/credentials"], "backup/.aws/credentials"),
    (["a/**/z"], "a/z"),
    (["a/**/z"], "a/b/c/z"),
    (["a/**"], "a/b/c"),
    (["**/logs"], "logs/x"),
    (["**/logs"], "a/b/logs/x"),
    (["**"], "anything"),
    (["report-?.txt"], "report-1.txt"),
    (["report-[0-9].txt"], "report-7.txt"),
    (["report-[!0-9].txt"], "report-x.txt"),
    (["report-[^0-9].txt"], "report-x.txt"),
    (["[abc"], "[abc"),
    (["[z-a]*", "x*"], "x1"),
    (["what\\?"], "what?"),
    (["~/notes/"], "/home/ann/notes/a.md"),
    (["~/notes/"], "~/notes/a.md"),
    (["~/notes/"], "../notes/a.md"),
    (["*.env", "!a.env", "a.env"], "a.env"),
    ([".env"], "./.env"),
    ([".env"], "src/../.env"),
    ([".env"], "src\\config\\.env"),
    ([".env"], "C:\\Users\\ann\\shop\\.env"),
    ([".env"], "c:/Users/ann/.env"),
    ([".env"], "file:///home/ann/shop/.env"),
    ([".env"], "file://host/home/ann/shop/%2Eenv"),
    ([".env"], "file:///C:/shop/.env"),
    ([".env"], "  .env\n"),
    (["Ünïcode*"], "Ünïcode-Datei"),
]

MISSES = [
    (["*.pem"], "key.pem.txt"),
    (["*.pem"], "key.PEM"),
    (["secrets"], "secrets.md"),
    (["secrets/"], "secrets.json"),
    (["/secrets"], "app/secrets/db.json"),
    (["/secrets"], "/home/bob/secrets"),
    ([".aws/credentials"], ".aws/config"),
    (["a/*/z"], "a/b/c/z"),
    (["a/*/z"], "a/z"),
    (["a/**"], "a"),
    (["report-?.txt"], "report-12.txt"),
    (["report-[0-9].txt"], "report-x.txt"),
    (["what\\?"], "whats"),
    (["~/notes/"], "notes/a.md"),
    (["*.env", "!a.env"], "a.env"),
    (["home"], "src/a.py"),
    (["ann"], f"{ROOT}/src/a.py"),
    ([".env"], "env"),
    ([".env"], "src/../../x/.environment"),
    ([], ".env"),
    (["", "  ", "# .env", "!", "/", "!/"], ".env"),
    ([".env"], ""),
    (["*"], ""),
]


@pytest.mark.parametrize(("globs", "path"), MATCHES)
def test_a_glob_covers_the_path_however_it_is_written(globs: list[str], path: str) -> None:
    assert ignored(globs, path)


@pytest.mark.parametrize(("globs", "path"), MISSES)
def test_a_glob_leaves_other_paths_alone(globs: list[str], path: str) -> None:
    assert not ignored(globs, path)


def test_without_root_and_home_paths_are_judged_as_they_are_written() -> None:
    paths = IgnoredPaths(["/secrets", "~/notes/", "*.pem"])
    assert all(paths.matches(path) for path in ["secrets/a", "/secrets/a", "~/notes/a", "/any/where/a.pem"])
    assert not any(paths.matches(path) for path in ["/home/ann/shop/secrets/a", "notes/a", "a.txt"])


@pytest.mark.parametrize(
    "path",
    [".env", ".env.local", "app/.env.production", "/home/ann/.ssh/config", "~/.ssh/known_hosts", "id_rsa",
     "id_ed25519.pub", "certs/server.key", "server.pem", "a.p12", "a.pfx", "vault.kdbx", "~/.netrc", ".npmrc",
     ".pypirc", "~/.aws/credentials",
     "~/.gnupg/private-keys-v1.d/x", "infra/prod.tfstate", "infra/prod.tfstate.backup", "~/.kube/config",
     "~/.docker/config.json", "~/.git-credentials", "~/.config/gcloud/credentials.db"],
)  # fmt: skip
def test_files_that_hold_secrets_are_ignored_from_the_first_day(path: str) -> None:
    assert ignored(list(Settings().privacy.ignored_paths), path)


@pytest.mark.parametrize(
    "path",
    [".env.example", ".env.sample", "app/.env.template", "src/environment.py", "src/keys.py", "README.md",
     "docs/ssh.md", ".envrc.md", "config.json", "package.json", "src/key.ts", "monkey", "terraform/main.tf",
     ".github/workflows/ci.yml"],
)  # fmt: skip
def test_ordinary_files_are_not(path: str) -> None:
    assert not ignored(list(Settings().privacy.ignored_paths), path)


@given(st.lists(st.text()), st.text())
def test_any_globs_and_any_path_have_an_answer(globs: list[str], path: str) -> None:
    assert IgnoredPaths(globs, root=ROOT, home=HOME).matches(path) in (True, False)
    assert not IgnoredPaths([*globs, "!**"], root=ROOT, home=HOME).matches(path)


@given(st.lists(st.sampled_from(["a", "b", "..", ".", "", "c.d"])))
def test_a_path_means_the_same_with_detours_and_backslashes(segments: list[str]) -> None:
    path = "/".join(["x", *segments])
    for globs in (["a"], ["/a/b"], ["*.d"]):
        assert ignored(globs, path) == ignored(globs, f"./x/../{path}") == ignored(globs, path.replace("/", "\\"))


def test_globs_of_a_hostile_repository_are_quick_too() -> None:
    assert not ignored(["*a" * 40 + "b", "**/a/" * 40 + "b"], "/".join(["a" * 200] * 20))
    assert not ignored(["**/" * 200 + "b"], "a/" * 2000)
