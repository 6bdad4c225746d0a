"""The diagnosis of a call: what is wrong, and which edits would put it right.

Edits are proposed, made, and checked: what leaves an issue at its place is dropped. What a rule of
`certainty` allows is certain, all else is asked. Text, `hint.edits` and `repair` are all made of one
diagnosis, so they cannot disagree.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from typing import Any

from toolgen_runtime.exports import loaded_late
from toolgen_runtime.hints.edits import Draft, Edit, Reading, at
from toolgen_runtime.hints.names import MAX_COMPARED
from toolgen_runtime.hints.problems import Check, Locator, Problem, gather, mixes_objects
from toolgen_runtime.hints.readings import proposals
from toolgen_runtime.hints.text import compact, says_nothing
from toolgen_runtime.schema.facts import SchemaFacts
from toolgen_runtime.schema.keywords import UNKNOWN_KEYS
from toolgen_runtime.schema.node import Path
from toolgen_runtime.validation.issues import MISSING, Secret, ValidationIssue, revealed

_certainty = loaded_late("toolgen_runtime.hints.certainty")
_moves = loaded_late("toolgen_runtime.hints.moves")
_renames = loaded_late("toolgen_runtime.hints.renames")
_other_calls = loaded_late("toolgen_runtime.hints.other_calls")
Judge = Callable[[Problem, Edit, Any, Any], str]
"""Names the rule that allows an edit, from what was at its place before it and the payload after it."""

MAX_READ = 1_000
"""Problems whose edits are worked out."""
MAX_COMPARISONS = 1_500_000
"""What the values of enumerations may cost to be compared with what was sent; further wrong values get no edits."""
_LIKENESS = 50
"""How many times as much it costs to see how alike two texts are as to see whether they are equal."""
MAX_ROUNDS = 4
"""Readings of one value that are tried."""
MAX_FAILED = 20
"""Edits that do not fit; the rest is left out then."""
MAX_SUSPECTED = 20
"""Fields beside a text that says that there is no value, which are found to say so, too."""


def diagnose(
    facts: SchemaFacts,
    issues: Sequence[ValidationIssue],
    payload: Any,
    check: Check | None = None,
    *,
    name: str = "",
    changes: bool = False,
    tools: Collection[str] = (),
) -> list[Problem]:
    """Return what is wrong with a payload that has these issues, in the order in which the edits are made.

    Args:
        facts: the facts of the schema that the issues are about.
        issues: what the check, or another validator, says.
        payload: what was checked; `MISSING` where that is not known.
        check: the tool's own check; without it, nothing is tried elsewhere than where it stands.
        name: the tool's.
        changes: whether the tool changes what is there, so that null may mean "clear it".
        tools: the names of all tools, a call of which may stand in the place of its result.
    """
    moved: list[Problem] = []
    locator = start = Locator(facts, payload)
    if payload is MISSING:
        check = None
    problems = gather(locator, issues)
    if check is not None and _may_be_misplaced(problems[:MAX_READ]):
        moved, locator, issues = _moves().find_moves(locator, issues, check)
        problems = gather(locator, issues) if moved else problems
    _read_values(problems, locator.payload, check, tools)
    by_key = False
    for problem in problems[:MAX_READ]:
        if problem.unknown or problem.missing:
            by_key = by_key or problem.unknown or problem.location.has_strays()
        elif problem.reading is not None and type(problem.got) is str and says_nothing(problem.got):
            problems += _other_no_values(problems)
            break
    if by_key:
        problems = _renames().match_renames(problems)
    for problem in problems:
        if problem.missing and not problem.edits and len(problem.node.allowed) == 1:
            problem.edits = (Edit("set", problem.path, None, problem.node.allowed[0]),)
    if check is not None and problems and locator.root.has_strays() and not facts.root.closed:
        strays = _renames().strays_like_fields(locator.root, [*moved, *problems])
        told = {stray.path[-1] for stray in strays}
        for problem in (*moved, *problems) if strays else ():  # while there are any, nothing else is certain
            problem.doubt()
            problem.strays = tuple([k for k in problem.strays if len(problem.path) > 1 or k not in told])
        problems += strays
    if check is not None:
        problems += _problems_afterwards(locator, problems, check)
    found = [*moved, *problems]
    edited = [problem for problem in found if problem.edits]
    if check is None or any(map(_is_open, edited)):
        _settle(start, edited, tool=name, changes=changes)
    return found


def _is_open(problem: Problem) -> bool:
    """Return whether an edit may be certain, or has not been tried yet."""
    reading = problem.reading
    return reading is None or reading.certain or reading.op == "remove"


def _may_be_misplaced(problems: Sequence[Problem]) -> bool:
    """Return whether keys are missing or unknown which may stand elsewhere, or an object and another value mixed up."""
    for problem in problems:
        if problem.unknown or (problem.missing and (len(problem.path) > 1 or problem.location.has_strays())):
            return True
        if problem.missing:
            value = problem.location.value
            for member in value.values() if isinstance(value, dict) else ():
                if type(member) is dict or (type(member) is str and "<parameter" in member):
                    return True
        elif mixes_objects(problem.issues[0]):
            return True
    return False


# -- values -------------------------------------------------------------------------------------------------


def _read_values(
    problems: Sequence[Problem], payload: Any, check: Check | None, tools: Collection[str] = ()
) -> None:
    """Find out what wrong values were meant to be: of the readings of each, the first that the check lets pass."""
    cost = 0
    for problem in problems[:MAX_READ]:
        if problem.missing or problem.unknown or problem.got is MISSING:
            continue
        if problem.constraint == "enum" and isinstance(expected := problem.issues[0].expected, (tuple, list)):
            cost += len(expected) + _LIKENESS * min(len(expected), 2 * MAX_COMPARED)
        if cost > MAX_COMPARISONS:
            continue
        if _may_be_call(problem.got) and _other_calls().stands_for_a_call(problem, tools):
            continue
        _propose(problem, tried=check is not None)
    if check is None:
        return
    for _ in range(MAX_ROUNDS):
        read = [p for p in problems if p.edits and p.reading is not None and p.reading.op != "remove"]
        refused = _refused(payload, read, check)
        for problem in refused:
            _take_next(problem)
        if not refused:
            break
    for problem in problems[:MAX_READ]:
        if problem.reading is None and not problem.said and isinstance(problem.got, list):
            _other_calls().is_several(problem, payload, check)


def _may_be_call(got: Any) -> bool:
    """Return whether a value may be another call, or refer to its result."""
    if type(got) is not str:
        return isinstance(got, dict)
    return not got.isalnum() or any(word in got[:200].lower() for word in ("result", "output", "response"))


def _propose(problem: Problem, *, tried: bool) -> None:
    """Take the first reading of a value; one that only the check can confirm is none if there is no check."""
    found = [r for r in proposals(problem) if tried or not r.whole]
    if len(found) > 1:
        found.sort(key=lambda r: not r.certain)
        if sum(r.certain and not r.whole for r in found) > 1:
            found = [r._replace(certain=False) for r in found]
    problem.readings = found
    _take_next(problem)


def _take_next(problem: Problem) -> None:
    """Take the next of the readings for what was meant by the value of a problem; none if there is no other."""
    problem.withdraw()
    if not problem.readings:
        return
    reading = problem.readings.pop(0)
    if reading.op == "unwrap" and problem.is_member():  # It may belong elsewhere.
        reading = reading._replace(
            certain=reading.certain and problem.path[-1] in problem.location.node.properties
        )
    elif reading.op == "wrap" and _is_bare_item(problem):  # As likely as one list of them all.
        reading = reading._replace(certain=False)
    if problem.secret and not reading.certain:
        return
    problem.reading = reading
    problem.edits = (_edit(problem, reading),)
    is_scalar = not isinstance(reading.value, (dict, list))
    if reading.op == "set" and is_scalar and not problem.secret and problem.reads_choice():
        problem.did_you_mean = reading.value


def _edit(problem: Problem, reading: Reading) -> Edit:
    path = problem.path[: len(problem.path) - reading.above]
    value = reading.value if reading.op == "set" else MISSING
    if problem.secret and value is not MISSING:
        value = Secret(value)
    return Edit(reading.op, path, None, value, reading.certain)


def _is_bare_item(problem: Problem) -> bool:
    """Return whether several values, none of them a list, are in a list where lists of them belong."""
    items = problem.location.value
    return isinstance(items, list) and len(items) > 1 and not any(isinstance(v, list) for v in items)


def _refused(payload: Any, read: Sequence[Problem], check: Check) -> list[Problem]:
    """Return the problems whose values, once they are as they were read, the check refuses."""
    if not read:
        return []
    after = _draft(payload, read).root[0]
    issues = check(after)
    if not issues:
        return []
    wrong = {i.path for i in issues if i.constraint not in UNKNOWN_KEYS}
    above = {i.path[:n] for i in issues for n in range(len(i.path) + 1)}
    lacking = {i.path[:-1] for i in issues if i.constraint == "required"}
    refused = []
    for problem in read:
        if problem.reading is not None:
            path, whole = problem.edits[0].path, problem.reading.whole
            if path in (above if whole else wrong) or (path in lacking and at(after, path) in ([], {})):
                refused.append(problem)
    return refused


def _draft(payload: Any, problems: Sequence[Problem], judge: Judge | None = None) -> Draft:
    """Return a payload with the edits of problems; those that do not fit are withdrawn: issues may be of another.

    `judge` gives the rule of each edit that is thought to be certain; it goes to the problem's `rules`.
    """
    draft, failed = Draft(payload), 0
    made: list[Edit] = []
    for problem in problems:
        rules: list[str] = []
        try:
            if failed > MAX_FAILED:
                raise ValueError
            for edit in problem.edits:
                before = at(draft.root[0], edit.path) if edit.certain and judge else MISSING
                draft.apply(edit)
                if edit.certain and judge and (rule := judge(problem, edit, before, draft.root[0])):
                    rules.append(rule)
            made += problem.edits
        except ValueError:
            failed += 1
            problem.withdraw()
            draft = Draft(payload)
            for edit in made if failed <= MAX_FAILED else ():
                draft.apply(edit)
        problem.rules = tuple(rules)
    return draft


def _other_no_values(problems: Sequence[Problem]) -> list[Problem]:
    """Return, as problems, the optional fields beside a text that says that there is no value, which say so, too."""
    known = {p.path[:n] for p in problems for n in range(len(p.path) + 1)}
    places = {id(p.location): p for p in problems if not p.secret and p.got and says_nothing(p.got)}
    found: list[Problem] = []
    for first in places.values():
        sent, node = first.location.value, first.location.node
        for name, value in sent.items() if isinstance(sent, dict) else ():
            text = value[0] if isinstance(value, list) and len(value) == 1 else value
            path = (*first.path[:-1], name)
            if not text or not says_nothing(text) or path in known:
                continue
            if name not in node.properties or name in node.required or text in node.child(name).allowed:
                continue
            issue = ValidationIssue(path, "noValue", None, value)
            problem = Problem(path, issue, "noValue", first.location, node.child(name))
            if not problem.secret:
                problem.said = f"leave it out if you have none, {compact(value)} is a value"
                problem.edits = (Edit("remove", path),)
                found.append(problem)
    return found[:MAX_SUSPECTED]


# -- edits made and checked ---------------------------------------------------------------------------------


def _problems_afterwards(locator: Locator, problems: Sequence[Problem], check: Check) -> list[Problem]:
    """Return the problems that values have under their new names, or as what they were read as."""
    changed = {place: (p, edit) for p in problems[:MAX_READ] for place, edit in _new_places(p)}
    if not changed:
        return []
    after = _draft(locator.payload, [p for p, _ in changed.values()]).root[0]
    longest = max(map(len, changed))
    below = [i for i in check(after) if any(i.path[:n] in changed for n in range(longest + 1))]
    found = gather(Locator(locator.facts, after), below) if below else []
    _read_values(found, after, check)
    for problem in found:
        place = next(problem.path[:n] for n in range(longest + 1) if problem.path[:n] in changed)
        before, edit = changed[place]
        if not edit.certain:
            problem.doubt()
        if edit.op == "rename" and problem.path == place and not problem.missing and not problem.unknown:
            before.then, problem.shares_line = problem, True
    return found


def _new_places(problem: Problem) -> Iterator[tuple[Path, Edit]]:
    """Yield each place to which an edit gives a value, or an object or list, that the check has not seen there."""
    for edit in problem.edits:
        gives_members = isinstance(problem.got if edit.op == "wrap" else revealed(edit.value), (dict, list))
        if edit.op == "rename" and edit.to:
            yield edit.to, edit
        elif edit.op in ("set", "wrap") and gives_members:
            yield edit.path, edit


def _settle(locator: Locator, problems: Sequence[Problem], *, tool: str, changes: bool) -> None:
    """Make edits uncertain that no rule allows, or that are below an uncertain one; leave out those that do not fit."""

    def judge(problem: Problem, edit: Edit, before: Any, payload: Any) -> str:
        """Return the change that a rule allows an edit to make for certain; `""` where none does."""
        after = before if edit.op in ("rename", "remove", "move") else at(payload, edit.path)
        if payload is MISSING:
            after = edit.value if edit.op == "set" else before
        node, around = problem.node, problem.location.node
        if edit.path != problem.path:
            around = locator.locate(edit.path[:-1]).node
            node = around.child(edit.path[-1]) if edit.path else around
        step = _certainty().Step(edit, revealed(before), revealed(after), node, around, tool, changes)
        change: str = _certainty().change_of(step)
        return change

    if locator.payload is not MISSING:
        _draft(locator.payload, problems, judge)
    else:
        for problem in problems:  # the payload is not known, the issues name its values
            rules = [judge(problem, e, problem.got, MISSING) for e in problem.edits if e.certain]
            problem.rules = tuple(filter(None, rules))
    doubtful: set[Path] = set()
    for problem in problems:
        edits = problem.edits
        is_below = doubtful and any(e.path[:n] in doubtful for e in edits for n in range(len(e.path) + 1))
        if edits and (is_below or len(problem.rules) < len(edits)):
            problem.doubt()
            doubtful.update(map(_target, edits))


def _target(edit: Edit) -> Path:
    """Return where an edit puts something."""
    if edit.op in ("rename", "move"):
        return edit.to or ()
    return (*edit.path, *edit.to) if edit.op == "wrap" and edit.to else edit.path
