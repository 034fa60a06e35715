"""A command line as a shell reads it: which programs, with which task."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.capture.happened.shell import display_line, normalise_command, runs


def told(command: str) -> list[tuple[str, str]]:
    return [(run.program, run.task) for run in runs(command)]


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("npm run test -- --watch=false", [("npm", "test")]),
        ("npm t", [("npm", "test")]),
        ("cd web && pnpm exec tsc --noEmit | head -50", [("tsc", "")]),
        ("FOO=1 BAR='a b' timeout -k 5 60s python3 -m pytest -q", [("pytest", "")]),
        ("sudo docker compose -f dev.yaml up -d", [("docker", "compose up")]),
        ("docker-compose up", [("docker", "compose up")]),
        (".venv/bin/python scripts/report.py --all", [("python", "scripts/report.py")]),
        ("python manage.py migrate", [("manage.py", "migrate")]),
        ("make -j8 clean all", [("make", "clean all")]),
        ("./gradlew :api:test --info", [("gradle", "test")]),
        ("git add -A && git commit -m 'a; b && c' ; git push", [("git", "add"), ("git", "commit"), ("git", "push")]),
        ("poetry run alembic upgrade head 2>&1 | tee log", [("alembic", "upgrade")]),
        ("bundle exec rspec spec/a_spec.rb", [("rspec", "")]),
        ("cat > a.sql <<EOF\nselect 1; rm -rf /\nEOF", []),
        ("echo done; ls -la; pwd", []),
        ("", []),
    ],
)
def test_a_command_line_names_its_programs_and_tasks(command: str, expected: list[tuple[str, str]]) -> None:
    assert told(command) == expected


def test_people_read_a_command_without_folder_and_pipes() -> None:
    assert display_line("cd /home/ann/shop && make check 2>&1 | tail -40") == "make check"


@given(st.text(alphabet="ab'\"\\ |&;<>\n$(){}=-./#", max_size=200))
def test_any_text_is_read(command: str) -> None:
    assert isinstance(normalise_command(command), str)
    assert isinstance(display_line(command), str)
