"""Questions that an agent puts to its user by a tool: every host's answer in one form. Pure.

`questions` stays a list of `{"question", "options": [{"label", "description"}]}`. Beside it, `answers` has what was
picked or typed for each question, and `notes` what the user wrote besides.
"""

import json
from collections.abc import Mapping, Sequence
from typing import Any

Given = dict[str, Any]
_NOTE = "user_note: "  # before what is typed beside an option, in Codex


def with_answers_of_claude(given: Given, result: object) -> Given:
    """`result`: the record's own account, `{"answers": {question: answer}, "annotations": {question: {"notes"}}}`."""
    if not isinstance(result, Mapping) or not isinstance(result.get("answers"), Mapping):
        return given
    annotations = result.get("annotations")
    noted = annotations.items() if isinstance(annotations, Mapping) else ()
    notes = {question: one.get("notes") for question, one in noted if isinstance(one, Mapping)}
    return _answered(given, dict(result["answers"]), notes)


def with_answers_of_opencode(given: Given, metadata: object) -> Given:
    """`metadata`: `{"answers": [[label, ...], ...]}`, in the order of the questions."""
    picked = metadata.get("answers") if isinstance(metadata, Mapping) else None
    if not isinstance(picked, list):
        return given
    asked = [str(one.get("question")) for one in _questions(given)]
    return _answered(given, {question: _joined(labels) for question, labels in zip(asked, picked, strict=False)}, {})


def with_answers_of_codex(given: Given, output: str) -> Given:
    """`output`: `{"answers": {id: {"answers": [label, note]}}}`."""
    told = _object(output).get("answers")
    if not isinstance(told, Mapping):
        return given
    answers, notes = dict[Any, Any](), dict[Any, Any]()
    for one in _questions(given):
        said, question = told.get(str(one.get("id"))), str(one.get("question"))
        lines = said.get("answers") if isinstance(said, Mapping) else None
        texts = [line for line in lines if isinstance(line, str)] if isinstance(lines, list) else []
        answers[question] = _joined([line for line in texts if not line.startswith(_NOTE)])
        notes[question] = _joined([line.removeprefix(_NOTE) for line in texts if line.startswith(_NOTE)])
    return _answered(given, answers, notes)


def with_answers_of_cursor(given: Given, output: str) -> Given:
    """`output`: `{"answers": [{"questionId", "selectedOptionIds", "freeformText"}]}`; a question is a `prompt`."""
    asked = [{**one, "question": str(one.get("question", one.get("prompt")))} for one in _questions(given)]
    told = _object(output).get("answers")
    said = (
        {str(one.get("questionId")): one for one in told if isinstance(one, Mapping)} if isinstance(told, list) else {}
    )
    answers, notes = dict[Any, Any](), dict[Any, Any]()
    for one in asked:
        answer, options = said.get(str(one.get("id")), {}), one.get("options")
        chosen = answer.get("selectedOptionIds")
        offered = [part for part in options if isinstance(part, Mapping)] if isinstance(options, list) else []
        labels = [part.get("label") for part in offered if isinstance(chosen, list) and part.get("id") in chosen]
        answers[one["question"]] = _joined(labels) or answer.get("freeformText")
        notes[one["question"]] = answer.get("freeformText") if labels else None
    return _answered({**given, "questions": asked}, answers, notes) if asked else given


def _answered(given: Given, answers: Mapping[Any, Any], notes: Mapping[Any, Any]) -> Given:
    more = {name: _texts(values) for name, values in (("answers", answers), ("notes", notes))}
    return {**given, **{name: values for name, values in more.items() if values}}


def _texts(values: Mapping[Any, Any]) -> dict[str, str]:
    return {
        key: text for key, text in values.items() if isinstance(key, str) and isinstance(text, str) and text.strip()
    }


def _questions(given: Given) -> list[Mapping[str, Any]]:
    asked = given.get("questions")
    return [one for one in asked if isinstance(one, Mapping)] if isinstance(asked, list) else []


def _joined(labels: object) -> str:
    if not isinstance(labels, Sequence) or isinstance(labels, str):
        return ""
    return ", ".join(label for label in labels if isinstance(label, str))


def _object(text: str) -> Mapping[str, Any]:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}
