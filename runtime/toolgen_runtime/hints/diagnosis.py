"""The diagnosis of a call: its problems, and the edits that would correct them.

Edits are proposed, applied and checked; an edit that leaves an issue at its path is dropped. An edit that a rule
of `certainty` allows is certain, any other is a question. Hint text, `hint.edits` and `repair` all use one
diagnosis, so they cannot disagree.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from toolgen_runtime.exports import loaded_late
from toolgen_runtime.hints.edits import Draft, Edit, at
from toolgen_runtime.hints.names import MAX_COMPARED
from toolgen_runtime.hints.problems import Call, Problem, gather, mixes_objects
from toolgen_runtime.hints.readings import is_several, proposals, stands_for_a_call
from toolgen_runtime.hints.text import compact, says_nothing
from toolgen_runtime.schema.keywords import UNKNOWN_KEYS
from toolgen_runtime.validation.issues import MISSING, Secret, ValidationIssue

_certainty = loaded_late("toolgen_runtime.hints.certainty")
_moves = loaded_late("toolgen_runtime.hints.moves")
_renames = loaded_late("toolgen_runtime.hints.renames")

MAX_READ = 1_000
"""The most problems for which edits are searched."""
MAX_COMPARISONS = 1_500_000
"""The budget for comparing wrong values with enumerations; wrong values beyond it get no edits."""
_LIKENESS = 50
"""The cost of comparing two texts for similarity, relative to comparing them for equality."""
MAX_ROUNDS = 4
"""The most readings of one value that are tried."""
MAX_SUSPECTED = 20
"""The most additional fields reported because their texts (`"null"`, `"n/a"`) mean "no value"."""


def diagnose(call: Call, issues: Sequence[ValidationIssue]) -> list[Problem]:
    """Return the problems of a call that has these issues, in the order in which their edits are applied."""
    moved: list[Problem] = []
    problems = gather(call, issues)
    if call.check is not None and _may_be_misplaced(problems[:MAX_READ]):
        moved, call, issues = _moves().find_moves(call, issues)
        problems = gather(call, issues) if moved else problems
    _read_values(problems, call)
    by_key = lacks = False
    for problem in problems[:MAX_READ]:
        if problem.unknown or problem.missing:
            lacks = lacks or problem.missing
            by_key = by_key or problem.unknown or problem.location.has_strays()
        elif problem.reading is not None and type(problem.got) is str and says_nothing(problem.got):
            problems += _other_no_values(problems)
            break
    if by_key:
        problems = _renames().match_renames(problems, call)
    for problem in problems if lacks else ():
        if problem.missing and not problem.edits and len(problem.node.allowed) == 1:
            problem.edits = (Edit("set", problem.path, None, problem.node.allowed[0]),)
    strays: list[Problem] = []
    if call.check is not None and problems and call.root.has_strays() and not call.facts.root.closed:
        strays = _renames().strays_like_fields(call.root, [*moved, *problems])
    problems += strays
    after, left = _settle(problems, call)
    found = [*moved, *problems]
    if strays:  # they make every other correction uncertain
        told = {stray.path[-1] for stray in strays}
        for problem in found:
            problem.doubt()
            problem.strays = tuple([k for k in problem.strays if len(problem.path) > 1 or k not in told])
    if left:
        found += _problems_afterwards(call.sent_as(after), left, problems)
    if not all(problem.sure for problem in moved):
        for problem in found:
            problem.doubt()  # its path assumes the move, which is uncertain
    return found


def _may_be_misplaced(problems: Sequence[Problem]) -> bool:
    """Return whether data may be at the wrong level: keys missing or unknown, or an object mixed up with a value."""
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


def _read_values(problems: Sequence[Problem], call: Call) -> None:
    """Propose an edit for each wrong value: the first of its readings."""
    cost = 0
    values = [p for p in problems[:MAX_READ] if not (p.missing or p.unknown or p.got is MISSING)]
    for problem in values:
        if problem.constraint == "enum" and isinstance(expected := problem.issues[0].expected, (tuple, list)):
            cost += len(expected) + _LIKENESS * min(len(expected), 2 * MAX_COMPARED)
        if cost > MAX_COMPARISONS:
            continue
        if stands_for_a_call(problem, call.tools):
            continue
        found = [r for r in proposals(problem) if call.check is not None or not r.whole]
        if len(found) > 1:
            found.sort(key=lambda r: not r.certain)
            if sum(r.certain and not r.whole for r in found) > 1:
                found = [r._replace(certain=False) for r in found]
        problem.readings = found
        _take_next(problem, call)


def _take_next(problem: Problem, call: Call) -> None:
    """Propose the next reading of a problem's value; with none left, try a list as several values."""
    if problem.edits:
        problem.withdraw()
    if not problem.readings:
        if call.check is not None and isinstance(problem.got, list):
            is_several(problem, call)
        return
    reading, *problem.readings = problem.readings
    certain = reading.certain
    if reading.op == "unwrap" and problem.is_member():  # The value may belong elsewhere.
        certain = certain and problem.path[-1] in problem.location.node.properties
    elif reading.op == "wrap" and isinstance(items := problem.location.value, list):
        # If several values replace lists, one list of all of them is as likely.
        certain = len(items) == 1 or any(isinstance(v, list) for v in items)
    if problem.secret and not certain:
        return
    problem.reading = reading
    path = problem.path[: len(problem.path) - reading.above]
    value = reading.value if reading.op == "set" else MISSING
    if reading.op == "set" and problem.secret:
        value = Secret(value)
    edit, location = Edit(reading.op, path, None, value), problem.location
    rule = ""
    if certain:
        before, node = (location.value, location.node) if reading.above else (problem.got, problem.node)
        rule = _certainty().rule_of(edit, before, reading.value, node, location.node, call)
    problem.propose(edit, rules=(rule,))
    is_scalar = not isinstance(reading.value, (dict, list))
    if reading.op == "set" and is_scalar and not problem.secret and problem.reads_choice():
        problem.did_you_mean = reading.value


def _settle(problems: Sequence[Problem], call: Call) -> tuple[Any, list[ValidationIssue]]:
    """Apply the edits, trying other readings if the check refuses one; return the payload and its remaining issues."""
    after, left = call.payload, list[ValidationIssue]()
    for _ in range(MAX_ROUNDS if after is not MISSING else 0):
        draft, gives = Draft(call.payload), False
        for problem in problems:
            try:
                for edit in problem.edits:
                    draft.apply(edit)
                    gives = gives or edit.op != "remove"
            except ValueError:  # the issues may be of another payload
                problem.withdraw()
        after = draft.root[0]
        left = call.issues_of(after) if gives else left
        refused = _refused(problems, after, left) if left else ()
        for problem in refused:
            _take_next(problem, call)
        if not refused:
            break
    return after, left


def _refused(problems: Sequence[Problem], after: Any, left: Sequence[ValidationIssue]) -> list[Problem]:
    """Return the problems whose current reading the check refuses."""
    wrong = {i.path for i in left if i.constraint not in UNKNOWN_KEYS}
    above = {i.path[:n] for i in left for n in range(len(i.path) + 1)}
    lacking = {i.path[:-1] for i in left if i.constraint == "required"}
    refused = []
    for problem in problems:
        if problem.reading is not None and problem.edits and problem.reading.op != "remove":
            path, places = problem.edits[0].path, above if problem.reading.whole else wrong
            if path in places or (path in lacking and at(after, path) in ([], {})):
                refused.append(problem)
    return refused


def _other_no_values(problems: Sequence[Problem]) -> list[Problem]:
    """Return problems for optional fields whose texts mean "no value", as the text of a wrong field next to them."""
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


def _problems_afterwards(
    call: Call, left: Sequence[ValidationIssue], problems: Sequence[Problem]
) -> list[Problem]:
    """Return the problems that values have after their edits: under a new name, or as the proposed value."""
    changed = {
        (e.to or () if e.op == "rename" else e.path): (p, e)
        for p in problems[:MAX_READ]
        for e in p.edits
        if e.op != "remove"
    }
    longest = max(map(len, changed), default=-1)
    below = [i for i in left if any(i.path[:n] in changed for n in range(longest + 1))]
    found = gather(call, below)
    if found:
        _read_values(found, call)
        _settle(found, call)
    for problem in found:
        place = next(problem.path[:n] for n in range(longest + 1) if problem.path[:n] in changed)
        before, edit = changed[place]
        if not edit.certain:
            problem.doubt()
        if edit.op == "rename" and problem.path == place and not problem.missing and not problem.unknown:
            before.then, problem.shares_line = problem, True
    return found
