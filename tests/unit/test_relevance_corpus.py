"""The corpus that relevance is fitted on is what its page says."""

from collections import Counter

from bench.relevance.corpus import projects

from recollect.domain.memory import Kind, ScopeLevel

CORPUS = projects()
PROMPTS = [prompt for project in CORPUS for prompt in project.prompts]


def test_every_fitting_memory_is_one_that_the_project_sees() -> None:
    for project in CORPUS:
        ids = [memory.id for memory in project.memories]
        assert len(ids) == len(set(ids)), project.name
        for prompt in project.prompts:
            assert prompt.fits <= set(ids), prompt.ask


def test_nothing_is_written_twice() -> None:
    texts = {memory.text: memory.id for project in CORPUS for memory in project.memories}
    assert len(texts) == len({(m.id, m.text) for project in CORPUS for m in project.memories})
    assert [ask for ask, times in Counter(prompt.ask.lower() for prompt in PROMPTS).items() if times > 1] == []


def test_it_is_large_and_varied_enough() -> None:
    assert len(CORPUS) >= 8
    for project in CORPUS:
        own = [memory for memory in project.memories if memory.scope.level is ScopeLevel.PROJECT]
        assert 12 <= len(own) <= 25
        assert len({memory.kind for memory in own}) >= 4, project.name
    assert {memory.kind for project in CORPUS for memory in project.memories} == set(Kind)
    assert len({m.text for project in CORPUS for m in project.memories}) >= 140
    assert len(PROMPTS) >= 200


def test_a_third_of_the_prompts_want_nothing_and_some_want_several() -> None:
    wanted = Counter(len(prompt.fits) for prompt in PROMPTS)
    assert wanted[0] >= len(PROMPTS) / 3
    assert wanted[2] + wanted[3] >= 20
    assert max(wanted) <= 5
