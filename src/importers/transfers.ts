import { normalisePhone } from "../channels/address.ts";
import type { ImportTools } from "./import-draft.ts";
import type { FieldPath } from "./report.ts";
import { quoted } from "./report.ts";

export type GivenTransfer = { to: string | null; when: string | null; path: FieldPath; when_path: FieldPath };

/**
 * The platforms ask for E.164, and take a number without its plus; here that is looked for among the names of the directory.
 * One that is too short to begin with a country's code may be anywhere, so nobody is guessed.
 */
export function withPlus(to: string, path: FieldPath, tools: ImportTools): string {
  const digits = to.replace(/[().\s-]/g, "");
  const number = /^\d{11,15}$/.test(digits) ? normalisePhone(`+${digits}`, null) : null;
  if (number !== null) tools.note(path, "approximated", `Read as ${number}.`);
  else if (/^\d+$/.test(digits))
    tools.note(
      path,
      "approximated",
      "Write the number with + and the country's code, in the prompt and there.",
    );
  return number ?? to;
}

/** Offers the transfer tool, and gives the line of the prompt that says where to transfer and when. */
export function transferLine(tools: ImportTools, { to, when, path, when_path }: GivenTransfer): string {
  if (to === null) {
    tools.note(path, "no equivalent", "Calls are transferred to a member of the directory or its number.");
    return "";
  }
  tools.toolbox.builtIn("transfer", [...path], "A line of the prompt says where to transfer.");
  tools.note(
    path,
    "approximated",
    "Numbers that nobody in the directory has are refused: add a member with it.",
  );
  const dialled = withPlus(to, path, tools);
  if (!/\{\{/.test(to))
    tools.missing(path, dialled, "the number of a directory member, so that calls may be transferred to it");
  const number = tools.text(dialled, path, "");
  const reason =
    when === null || when.trim() === "" ? "" : tools.text(when, when_path, "A line of the prompt.");
  return `To transfer the call, call transfer with the destination ${quoted(number).slice(1, -1)}.${reason === "" ? "" : ` When: ${reason}`}`;
}
