import { shownPath } from "../api/input/yaml-file.ts";
import { cutTo } from "../base/storable.ts";
import type { PlanOutcome } from "./apply.ts";
import type { FieldChange } from "./changes.ts";
import { hideValues, type UsedValue } from "./env-references.ts";
import type { FolderPlan, PlanStep } from "./plan.ts";

const MARKS = { create: "+", update: "~", delete: "-" } as const;
const MAX_SHOWN_LINES = 40;
const MAX_SHOWN_CHARACTERS = 200;

/** Values of the environment, which are not shown. */
type Hidden = readonly UsedValue[];

const targetOf = (step: PlanStep) => (step.action === "delete" ? step.actual : step.wanted);

/** `tools/book_visit (tools/book-visit.yaml)` */
export function stepTitle(step: PlanStep): string {
  const { kind, key } = targetOf(step);
  const file = step.action === "delete" ? "" : ` (${step.wanted.file})`;
  return `${MARKS[step.action]} ${kind.name}/${key}${file}`;
}

/** A plan as a person reads it. Pure. */
export function planText(plan: FolderPlan, where: string, used: Hidden): string {
  const count = (action: PlanStep["action"]) => plan.steps.filter((step) => step.action === action).length;
  const lines = [
    `${where}: ${count("create")} to create, ${count("update")} to change, ${count("delete")} to delete, ${plan.unchanged} unchanged`,
  ];
  for (const step of plan.steps) {
    lines.push(stepTitle(step));
    if (step.action !== "update") continue;
    for (const change of step.changes) lines.push(...changeLines(step, change, used));
    if (step.sends) lines.push("    auth_values: sent again");
  }
  const deleted = plan.steps.some(({ action }) => action === "delete");
  if (!deleted && plan.others.length > 0) {
    lines.push("Only in the organization, left as they are (--prune deletes them):");
    for (const { kind, key } of plan.others) lines.push(`? ${kind.name}/${key}`);
  }
  if (plan.steps.length > 0) lines.push(`Plan ${plan.fingerprint}`);
  return `${lines.join("\n")}\n`;
}

function changeLines(step: PlanStep, change: FieldChange, used: Hidden): string[] {
  if (isSecret(step, change)) return [`    ${shownPath(change.path)}: another value`];
  return differenceLines(hiddenIn(step, change, used));
}

const isSecret = (step: PlanStep, { path }: FieldChange): boolean => {
  const { kind } = targetOf(step);
  return path[0] === kind.secrets && kind.name !== "services";
};

/** A text of fewer characters stands everywhere by chance. */
const LEAST_ANYWHERE = 6;
const LEAST_AT_ITS_PLACE = 3;

/** The change without values of the environment: those of its own place, and long ones of all others. */
function hiddenIn(step: PlanStep, { path, before, after }: FieldChange, used: Hidden): FieldChange {
  const own = step.action === "delete" ? [] : step.wanted.used;
  const isHere = (place: UsedValue["path"]) =>
    place.every((part, at) => at >= path.length || String(part) === String(path[at]));
  const hidden = [
    ...used.filter(({ value }) => value.length >= LEAST_ANYWHERE),
    ...own.filter((each) => each.value.length >= LEAST_AT_ITS_PLACE && isHere(each.path)),
  ];
  return { path, before: hideValues(before, hidden), after: hideValues(after, hidden) };
}

/** One difference as a person reads it. Pure. */
export function differenceLines({ path, before, after }: FieldChange): string[] {
  const name = shownPath(path);
  if (typeof before === "string" && typeof after === "string" && `${before}${after}`.includes("\n"))
    return [`    ${name}:`, ...lineDiff(before, after).map((line) => `      ${line}`)];
  return [`    ${name}: ${shown(before)} → ${shown(after)}`];
}

/** What begins and ends alike is left out. */
function lineDiff(before: string, after: string): string[] {
  const [old, fresh] = [before.split("\n"), after.split("\n")];
  let start = 0;
  while (start < old.length && start < fresh.length && old[start] === fresh[start]) start++;
  let end = 0;
  while (
    end < old.length - start &&
    end < fresh.length - start &&
    old[old.length - 1 - end] === fresh[fresh.length - 1 - end]
  )
    end++;
  const lines = [
    ...old.slice(start, old.length - end).map((line) => `- ${line}`),
    ...fresh.slice(start, fresh.length - end).map((line) => `+ ${line}`),
  ];
  const more = lines.length - MAX_SHOWN_LINES;
  return more > 0 ? [...lines.slice(0, MAX_SHOWN_LINES), `… ${more} more lines`] : lines;
}

function shown(value: unknown): string {
  if (value === undefined) return "nothing";
  const text = JSON.stringify(value);
  return text.length > MAX_SHOWN_CHARACTERS ? `${cutTo(text, MAX_SHOWN_CHARACTERS)}…` : text;
}

/** A plan for programs. Pure. */
export function planJson(plan: FolderPlan, used: Hidden): object {
  return {
    fingerprint: plan.fingerprint,
    steps: plan.steps.map((step) => {
      const { kind, key } = targetOf(step);
      return {
        action: step.action,
        kind: kind.name,
        name: key,
        file: step.action === "delete" ? null : step.wanted.file,
        ...(step.action === "update" && {
          sends_secrets: step.sends,
          changes: step.changes.map((change) => {
            const path = shownPath(change.path);
            if (isSecret(step, change)) return { path };
            const { before = null, after = null } = hiddenIn(step, change, used);
            return { path, before, after };
          }),
        }),
      };
    }),
    unchanged: plan.unchanged,
    others: plan.others.map(({ kind, key }) => ({ kind: kind.name, name: key })),
  };
}

/** What became of a plan. Pure. */
export function appliedText({ done, failed, left }: PlanOutcome): string {
  if (!failed) return `Done: ${done.length} of ${done.length} changes.\n`;
  const lines = [
    `Stopped: ${done.length} done, 1 failed, ${left.length} not begun. What is done stays; plan and apply again when it is mended.`,
    `failed ${stepTitle(failed.step)}`,
    ...failed.faults.map((fault) => `  ${fault}`),
    ...left.map((step) => `not begun ${stepTitle(step)}`),
  ];
  return `${lines.join("\n")}\n`;
}
