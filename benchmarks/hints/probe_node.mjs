// What libraries of npm make of wrong calls: tasks as JSON on stdin, rows as JSON on stdout, as probe_python.py has them.
// node probe_node.mjs FOLDER, the folder that holds node_modules.

import { createRequire } from "node:module";
import { readFileSync } from "node:fs";
import { join } from "node:path";

const folder = process.argv[2];
const load = createRequire(join(folder, "package.json"));
const { LlmJson } = load("@typia/utils");
const { jsonrepair } = load("jsonrepair");
const { parse: parsePartial } = load("partial-json");

const version = (name) =>
  JSON.parse(readFileSync(join(folder, "node_modules", name, "package.json"), "utf-8")).version;

// Parse, coerce, validate with undeclared keys refused; what is refused is shown as annotated JSON.
function typia(task) {
  const parameters = { $defs: {}, ...task.schema };
  const parsed = LlmJson.parse(task.text, parameters);
  if (!parsed.success) return { error: JSON.stringify(parsed.errors) };
  const checked = LlmJson.validate(parameters, true)(LlmJson.coerce(parsed.data, parameters));
  return checked.success ? { value: checked.data } : { error: LlmJson.stringify(checked) };
}

const ROWS = [
  ["typia, parse + coerce + validate", "@typia/utils", typia],
  ["jsonrepair", "jsonrepair", (task) => ({ value: JSON.parse(jsonrepair(task.text)) })],
  ["partial-json", "partial-json", (task) => ({ value: parsePartial(task.text) })],
];

function outcome(run, task) {
  try {
    return run(task);
  } catch (error) {
    return { error: String(error.message) };
  }
}

const tasks = JSON.parse(readFileSync(0, "utf-8"));
const rows = ROWS.map(([name, package_, run]) => ({
  name,
  version: version(package_),
  outcomes: tasks.map((task) => outcome(run, task)),
}));
process.stdout.write(JSON.stringify(rows));
