from recollect.text.finding import finding


def test_a_cause_counts_more_than_a_report() -> None:
    cause = finding("The tests fail on the runner because it has no display, so the game cannot open a window.")
    assert cause > 0.7
    assert finding("All tests pass now.") < 0.2 < cause
    assert finding("Let me check the logs first.") < 0.5


def test_letters_of_a_name_do_not_count() -> None:
    assert finding("`abc_def` needs a TTY.") == finding("`xyz_uvw` needs a TTY.")
    assert finding("Deploys need src/one.py first.") == finding("Deploys need lib/two.rs first.")
