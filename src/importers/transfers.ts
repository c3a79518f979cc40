import type { ImportTools } from "./import-draft.ts";
import type { FieldPath } from "./report.ts";
import { quoted } from "./report.ts";

export type GivenTransfer = { to: string | null; when: string | null; path: FieldPath; when_path: FieldPath };

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
  if (!/\{\{/.test(to))
    tools.missing(path, to, "the number of a directory member, so that calls may be transferred to it");
  const number = tools.text(to, path, "");
  const reason =
    when === null || when.trim() === "" ? "" : tools.text(when, when_path, "A line of the prompt.");
  return `To transfer the call, call transfer with the destination ${quoted(number).slice(1, -1)}.${reason === "" ? "" : ` When: ${reason}`}`;
}
