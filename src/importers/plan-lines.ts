import type { ImportPlan } from "./import-draft.ts";
import { type FieldFate, quoted } from "./report.ts";

const FATES: FieldFate[] = ["mapped", "approximated", "no equivalent"];

/** A plan as a person reads it. Pure. */
export function planLines({ platform, name, fields, missing, findings }: ImportPlan): string {
  const shown = fields.filter(({ is_empty }) => !is_empty);
  const empty = fields.length - shown.length;
  const lines = [`Agent ${quoted(name)} from ${platform}`];
  for (const fate of FATES) {
    const of = shown.filter((field) => field.fate === fate);
    if (of.length === 0) continue;
    lines.push("", `${fate} (${of.length})`);
    for (const { path, sentence } of of) lines.push(`  ${path}: ${sentence}`);
  }
  if (empty > 0)
    lines.push("", `${empty} more ${empty === 1 ? "field is" : "fields are"} empty in the file.`);
  if (missing.length > 0) {
    lines.push("", "To fill in");
    for (const { name, what, path } of missing)
      lines.push(`  ${quoted(name).slice(1, -1)}: ${what}${path === "" ? "" : ` (${path})`}`);
  }
  if (findings.length > 0) lines.push("", "Saving will find", ...findings.map((finding) => `  ${finding}`));
  return `${lines.join("\n")}\n`;
}
