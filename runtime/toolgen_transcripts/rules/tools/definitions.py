"""Check the list of tools, deferred tools (which the model finds by a search), and the tool choice."""

from __future__ import annotations

from dataclasses import replace
from operator import attrgetter

from toolgen_transcripts.codec import models
from toolgen_transcripts.codec.members import without
from toolgen_transcripts.rules.draft import Draft
from toolgen_transcripts.rules.native_tools import choice_of, listed_tools
from toolgen_transcripts.rules.request import Unset
from toolgen_transcripts.rules.rule import ANTHROPIC, BEDROCK, CHAT, CLAUDE, OPENAI, rule, step

EMPTY_DESCRIPTION = rule(
    "empty-description",
    20,
    "an empty description",
    "leave it out",
    "Value '' at '{place}' failed to satisfy constraint: Member must have length greater than or equal to 1",
    r"description'? failed to satisfy constraint: Member must have length greater",
    where="tools",
    source="litellm#19384",
)


EMPTY_TOOLS = rule(
    "empty-tools",
    21,
    "an empty list of tools",
    "leave the tools out",
    "Value at '{place}' failed to satisfy constraint: Member must have length greater than or equal to 1",
    r"\[\] is too short - 'tools'",
    of=BEDROCK | CHAT,
    openai="Invalid 'tools': empty array. Expected an array with minimum length 1",
    where="tools",
    source="Portkey#1124",
)


UNSUPPORTED_CHOICE = rule(
    "unsupported-choice",
    27,
    "a tool choice that the model does not support",
    "use `auto`",
    "This model doesn't support the toolConfig.toolChoice.{detail} field. Remove it and try again.",
    anthropic='tool_choice: type "tool" and "any" are not supported for this model.',
    where="tools",
    source="vercel/ai#4396, vercel/ai#21364, oh-my-pi#12939",
)


FORCED_WHILE_THINKING = rule(
    "forced-while-thinking",
    28,
    "a forced call while thinking",
    "use `auto` while thinking is on",
    "Thinking may not be enabled when tool_choice forces tool use.",
    of=CLAUDE,
    where="tools",
    source="langchain-aws#925",
)


TOO_MANY_TOOLS = rule(
    "too-many-tools",
    40,
    "more than 128 tools",
    "offer fewer tools, or let the model search for them",
    "Invalid 'tools': array too long. Expected an array with maximum length 128, but got an array with"
    " length {detail} instead.",
    of=OPENAI,
    source="Upsonic#176, opencode#4909",
    where="tools",
)


DUPLICATE_TOOL = rule(
    "duplicate-tool",
    48,
    "two tools with one name",
    "leave one of them out, or rename one",
    "The tool {detail} is already defined at {place}.",
    anthropic="tools: Tool names must be unique.",
    gemini="Duplicate function declaration found: {detail}",
    where="tools",
    source="claude-code#10687, vscode#276110, claude-code-hub#366, Open-WebUI-Functions#135",
)


PARALLEL = "parallel_tool_calls"
CHOICE_WITHOUT_TOOLS = rule(
    "choice-without-tools",
    77,
    "`tool_choice` or `parallel_tool_calls` in a request without tools",
    "leave it out",
    "Invalid value for '{detail}': '{detail}' is only allowed when 'tools' are specified.",
    r"is only allowed when 'tools' are specified",
    of=CHAT,
    where="tools",
    source="Upsonic#323",
)


@step(CHOICE_WITHOUT_TOOLS, when=attrgetter("is_openai"))
def find_choice(draft: Draft) -> None:
    """Find fields about tools in a request that has no tools, which only the caller can fix."""
    request = draft.request
    for key in ("tool_choice", PARALLEL):
        if request.tools is None and request.members.get(key) is not None:
            draft.find(CHOICE_WITHOUT_TOOLS, key, detail=key)


@step(EMPTY_TOOLS)
def leave_out_empty(draft: Draft) -> None:
    """Remove the list of tools if it is empty."""
    request, given = draft.request, draft.request.tools
    if isinstance(given, Unset) or given is None or given.get("tools"):
        return
    if "tools" in given:
        lenient = not (request.wire.tools.model_roots or request.is_openai)
        if lenient or not request.tests(EMPTY_TOOLS):
            return
        place = request.wire.tools.place("tools")
        draft.fix(EMPTY_TOOLS, "tools", "empty tools left out", place=place)
    draft.request = replace(request, tools=None)


@step(EMPTY_DESCRIPTION)
def leave_out_empty_descriptions(draft: Draft) -> None:
    """Remove descriptions that are empty."""
    for tool in draft.tools():
        if tool.spec.get("description") == "":
            draft.fix(EMPTY_DESCRIPTION, f"{tool.place}.description", "left out")
            del tool.spec["description"]


@step(TOO_MANY_TOOLS)
def count_tools(draft: Draft) -> None:
    """Report a request with more tools than OpenAI accepts. Deferred tools do not count."""
    shape, offered = draft.request.wire.tools, 0
    for tool in draft.tools():
        offered += tool.spec.get("defer_loading") is not True
    if shape.max_tools is not None and offered > shape.max_tools and draft.request.is_openai:
        draft.find(TOO_MANY_TOOLS, shape.place("tools"), detail=str(offered))


@step(DUPLICATE_TOOL)
def find_duplicates(draft: Draft) -> None:
    """Find names that several tools have. Only the caller knows which tool is meant."""
    named: dict[object, str] = {}
    for tool in draft.tools():
        if isinstance(tool.name, str) and named.setdefault(tool.name, tool.place) != tool.place:
            draft.find(DUPLICATE_TOOL, named[tool.name], detail=tool.name)


@step(UNSUPPORTED_CHOICE, FORCED_WHILE_THINKING)
def choose_freely(draft: Draft) -> None:
    """Change the tool choice to `auto` if the model does not support it, at all or while it thinks."""
    request, shape, block = draft.request, draft.request.wire.tools, draft.tools_block()
    word, key = choice_of(block, shape), shape.choice_key
    adapts = request.adaptive and models.refuses_forced(request.model, request.wire)
    forced = word in ("any", "tool") and (request.thinking is True or adapts)
    forced = forced and request.tests(FORCED_WHILE_THINKING)
    tested = bool(word) and request.tests(UNSUPPORTED_CHOICE)
    lacking = tested and models.lacks_choice(request.model, word, request.wire)
    if lacking:
        draft.find(UNSUPPORTED_CHOICE, shape.place(key, word), detail=word)
    if forced:
        draft.find(FORCED_WHILE_THINKING, shape.place(key))
    if forced or lacking:
        rule = FORCED_WHILE_THINKING if forced else UNSUPPORTED_CHOICE
        draft.note(rule, key, f"choice {word} sent as auto")
        if shape.choice_type_key:
            block[key] = {**without(block[key], "any", "tool", "name"), shape.choice_type_key: "auto"}
        else:
            block[key] = {"auto": {}}


ALL_DEFERRED = rule(
    "all-deferred",
    63,
    "only deferred tools",
    "offer at least one tool without `defer_loading`, such as the search itself",
    "All tools have defer_loading set. At least one tool must be non-deferred.",
    r"\bat least one tool must (?:be non-deferred|have defer_loading)",
    of=ANTHROPIC,
    where="tools",
    source="https://platform.claude.com/docs/en/agents-and-tools/tool-use/tool-search-tool, ironclaw#7274",
)
CACHE_ON_DEFERRED = rule(
    "cache-on-deferred",
    64,
    "a cache point on a deferred tool",
    "leave the cache point out, or put it on a tool that is not deferred",
    "Tool '{detail}' cannot have both defer_loading=true and cache_control set. Tools with defer_loading cannot"
    " use prompt caching.",
    r"cannot have both defer_loading.{0,20}and cache_control",
    of=ANTHROPIC,
    where="tools",
    source="sub2api#4990, CLIProxyAPI#4561",
)


@step(ALL_DEFERRED, CACHE_ON_DEFERRED)
def fix_deferred(draft: Draft) -> None:
    """Remove cache points from deferred tools, and report requests in which all tools are deferred."""
    tools = [tool for tool in listed_tools(draft.tools_block()) if isinstance(tool, dict)]
    deferred = [tool for tool in tools if tool.get("defer_loading") is True]
    if tools and len(deferred) == len(tools):
        draft.find(ALL_DEFERRED, "tools")
    for index, tool in enumerate(tools):
        if tool.get("defer_loading") is True and tool.get("cache_control") is not None:
            place, name = f"tools.{index}", str(tool.get("name"))
            draft.fix(CACHE_ON_DEFERRED, place, "cache point left out", detail=name)
            del tool["cache_control"]
