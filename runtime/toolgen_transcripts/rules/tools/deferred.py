"""Anthropic's deferred tools, which the model finds with a search."""

from __future__ import annotations

from toolgen_transcripts.rules.draft import Draft
from toolgen_transcripts.rules.native_tools import listed_tools
from toolgen_transcripts.rules.rule import ANTHROPIC, rule, step

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
    """Remove cache points from deferred tools, and find requests in which every tool is deferred."""
    tools = [tool for tool in listed_tools(draft.tools_block()) if isinstance(tool, dict)]
    deferred = [tool for tool in tools if tool.get("defer_loading") is True]
    if tools and len(deferred) == len(tools):
        draft.find(ALL_DEFERRED, "tools")
    for index, tool in enumerate(tools):
        if tool.get("defer_loading") is True and tool.get("cache_control") is not None:
            place, name = f"tools.{index}", str(tool.get("name"))
            draft.fix(CACHE_ON_DEFERRED, place, "cache point left out", detail=name)
            del tool["cache_control"]
