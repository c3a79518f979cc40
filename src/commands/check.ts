import { checkFile } from "../agent-files/check-file.ts";
import { readTextFile } from "../api/input/text-file.ts";
import { shownPath } from "../api/input/yaml-file.ts";
import { unreadable } from "../base/errors.ts";
import { catalogueOf } from "../llm/catalogue.ts";

const CLEAN = 0;
const FOUND = 1;
const UNREADABLE = 2;

/**
 * Prints what saving an agent or a tool from a file would find, without a database. Resolves with the exit code: 0 nothing
 * but hints, 1 errors or warnings, 2 the file can't be read or has another shape.
 */
export async function check(file: string, json: boolean): Promise<number> {
  const text = await readTextFile(file).catch((error) => error as Error);
  if (typeof text !== "string") {
    process.stderr.write(`parley: ${unreadable(file, text)}\n`);
    return UNREADABLE;
  }
  const today = new Date().toISOString().slice(0, 10);
  const checked = checkFile(text, { catalogue: catalogueOf(), today });
  if (!checked.ok) {
    const faults = checked.faults.map((fault) => ({ ...fault, path: shownPath(fault.path) }));
    if (json) process.stdout.write(`${JSON.stringify({ file, faults, findings: [] }, null, 2)}\n`);
    else
      for (const { line, column, path, message } of faults)
        process.stderr.write(`${file}:${line}:${column}: ${path ? `${path}: ` : ""}${message}\n`);
    return UNREADABLE;
  }
  const { findings } = checked;
  if (json) process.stdout.write(`${JSON.stringify({ file, faults: [], findings }, null, 2)}\n`);
  else
    for (const { line, column, severity, message, id } of findings)
      process.stdout.write(`${file}:${line}:${column}: ${severity}: ${message} (${id})\n`);
  return findings.some(({ severity }) => severity !== "info") ? FOUND : CLEAN;
}
