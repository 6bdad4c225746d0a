// What a library of npm makes of wrong calls: tasks as JSON on stdin, rows as JSON on stdout, as probe_python.py has them.
// node probe_node.mjs LIBRARY FOLDER, the folder that holds node_modules.

import { createRequire } from "node:module";
import { readFileSync } from "node:fs";
import { join } from "node:path";

const [library, folder] = process.argv.slice(2);
const loaded = createRequire(join(folder, "package.json"))(library);
const { version } = JSON.parse(readFileSync(join(folder, "node_modules", library, "package.json"), "utf-8"));

// Parse, coerce, validate with undeclared keys refused; what is refused is shown as annotated JSON.
function typia(task) {
  const { LlmJson } = loaded;
  const parameters = { $defs: {}, ...task.schema };
  const parsed = LlmJson.parse(task.text, parameters);
  if (!parsed.success) return { error: JSON.stringify(parsed.errors) };
  const checked = LlmJson.validate(parameters, true)(LlmJson.coerce(parsed.data, parameters));
  return checked.success ? { value: checked.data } : { error: LlmJson.stringify(checked) };
}

const ROWS = {
  "@typia/utils": ["typia, parse + coerce + validate", typia],
  jsonrepair: ["jsonrepair", (task) => ({ value: JSON.parse(loaded.jsonrepair(task.text)) })],
  "partial-json": ["partial-json", (task) => ({ value: loaded.parse(task.text) })],
};

function outcome(run, task) {
  try {
    return run(task);
  } catch (error) {
    return { error: String(error.message) };
  }
}

const tasks = JSON.parse(readFileSync(0, "utf-8"));
const [name, run] = ROWS[library];
process.stdout.write(JSON.stringify([{ name, version, outcomes: tasks.map((task) => outcome(run, task)) }]));
