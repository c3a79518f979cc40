import { valueChanges } from "../../as-code/changes.ts";
import { differenceLines } from "../../as-code/plan-text.ts";
import type { GateResult } from "../../versions/publish-gate.ts";
import type { ReplayGateResult } from "../../versions/replay-gate.ts";

/** The API's answer about an agent's draft, as far as it is printed. */
export type ToldVersioning = {
  published_version: number | null;
  draft: {
    fingerprint: string;
    changes: { part: string; before: unknown; after: unknown }[];
    findings: { part: string; message: string }[];
  };
  gates: GateResult[];
  replay_gate: ReplayGateResult | null;
};

/** The changes of a draft as a person reads them. Pure. */
export function changesText(name: string, { published_version, draft }: ToldVersioning): string {
  const lines = [headline(name, published_version, draft.changes.length)];
  for (const { part, before, after } of draft.changes) {
    lines.push(`~ ${part}`);
    for (const change of valueChanges(before, after, [])) lines.push(...shown(change));
  }
  for (const { part, message } of draft.findings) lines.push(`check ${part}: ${message}`);
  return `${lines.join("\n")}\n`;
}

/** Names and texts stand under their part; what is inside one has its path. */
const shown = (change: ReturnType<typeof valueChanges>[number]): string[] =>
  change.path.length > 0
    ? differenceLines(change)
    : differenceLines({ ...change, path: ["text"] }).map((line) => line.replace(/^ {4}text: ?/, "    "));

function headline(name: string, published: number | null, changes: number): string {
  if (published === null) return `${name}: no version is live. The agent as it is becomes one.`;
  if (changes === 0) return `${name}: nothing has changed since version ${published}.`;
  return `${name}: ${changes} ${changes === 1 ? "part" : "parts"} changed since version ${published}.`;
}

/** What the tests that a draft has to pass say of it. Pure. */
export function gatesText({ gates, replay_gate }: ToldVersioning): string {
  const all = [...gates, ...(replay_gate ? [replay_gate] : [])];
  return all.map(({ passes, says }) => `${passes ? "ok" : "BLOCKS"} ${says}\n`).join("");
}

export const holdsBack = ({ gates, replay_gate }: ToldVersioning): boolean =>
  [...gates, ...(replay_gate ? [replay_gate] : [])].some(({ passes }) => !passes);
