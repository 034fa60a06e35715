"""Questions that an agent asks its user with a tool: bring every host's answer into one form. Pure.

`questions` stays a list of `{"question", "options": [{"label", "description"}]}`. Added are `answers`, with what the user
picked or typed for each question, and `notes`, with what the user wrote in addition.
"""

import json
from collections.abc import Mapping, Sequence
from typing import Any

Arguments = dict[str, Any]
_NOTE = "user_note: "  # Codex puts it before the text that a user types beside an option


def with_answers_of_claude(arguments: Arguments, result: object) -> Arguments:
    """`result`: `{"answers": {question: answer}, "annotations": {question: {"notes"}}}`, from the record."""
    if not isinstance(result, Mapping) or not isinstance(result.get("answers"), Mapping):
        return arguments
    notes: dict[Any, Any] = {}
    annotations = result.get("annotations")
    if isinstance(annotations, Mapping):
        for question, annotation in annotations.items():
            if isinstance(annotation, Mapping):
                notes[question] = annotation.get("notes")
    return _with_answers(arguments, result["answers"], notes)


def with_answers_of_opencode(arguments: Arguments, metadata: object) -> Arguments:
    """`metadata`: `{"answers": [[label, ...], ...]}`, in the order of the questions."""
    answers = metadata.get("answers") if isinstance(metadata, Mapping) else None
    if not isinstance(answers, list):
        return arguments
    by_question: dict[Any, Any] = {}
    for question, labels in zip(_mappings(arguments.get("questions")), answers, strict=False):
        by_question[str(question.get("question"))] = _join(labels)
    return _with_answers(arguments, by_question, {})


def with_answers_of_codex(arguments: Arguments, output: str) -> Arguments:
    """`output`: `{"answers": {id: {"answers": [label, note]}}}`."""
    by_id = parse_object(output).get("answers")
    if not isinstance(by_id, Mapping):
        return arguments
    answers, notes = dict[Any, Any](), dict[Any, Any]()
    for question in _mappings(arguments.get("questions")):
        text, answer = str(question.get("question")), by_id.get(str(question.get("id")))
        lines = answer.get("answers") if isinstance(answer, Mapping) else None
        picked, noted = list[str](), list[str]()
        for line in lines if isinstance(lines, list) else []:
            if isinstance(line, str) and line.startswith(_NOTE):
                noted.append(line.removeprefix(_NOTE))
            elif isinstance(line, str):
                picked.append(line)
        answers[text], notes[text] = _join(picked), _join(noted)
    return _with_answers(arguments, answers, notes)


def with_answers_of_cursor(arguments: Arguments, output: str) -> Arguments:
    """`output`: `{"answers": [{"questionId", "selectedOptionIds", "freeformText"}]}`; a question is a `prompt`."""
    by_id = {str(answer.get("questionId")): answer for answer in _mappings(parse_object(output).get("answers"))}
    questions, answers, notes = list[Arguments](), dict[Any, Any](), dict[Any, Any]()
    for question in _mappings(arguments.get("questions")):
        text = str(question.get("question", question.get("prompt")))
        questions.append({**question, "question": text})
        answer = by_id.get(str(question.get("id")), {})
        chosen, typed = answer.get("selectedOptionIds"), answer.get("freeformText")
        labels: list[object] = []
        if isinstance(chosen, list):
            options = _mappings(question.get("options"))
            labels = [option.get("label") for option in options if option.get("id") in chosen]
        answers[text] = _join(labels) or typed
        notes[text] = typed if labels else None
    return _with_answers({**arguments, "questions": questions}, answers, notes) if questions else arguments


def _with_answers(arguments: Arguments, answers: Mapping[Any, Any], notes: Mapping[Any, Any]) -> Arguments:
    whole = dict(arguments)
    for name, values in (("answers", answers), ("notes", notes)):
        texts = {
            key: text for key, text in values.items() if isinstance(key, str) and isinstance(text, str) and text.strip()
        }
        if texts:
            whole[name] = texts
    return whole


def _mappings(values: object) -> list[Mapping[str, Any]]:
    if not isinstance(values, list):
        return []
    return [value for value in values if isinstance(value, Mapping)]


def _join(labels: object) -> str:
    if not isinstance(labels, Sequence) or isinstance(labels, str):
        return ""
    return ", ".join(label for label in labels if isinstance(label, str))


def parse_object(text: str) -> dict[str, Any]:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}
