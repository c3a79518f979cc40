import { ApiError } from "../../sdk/typescript/api-error.ts";
import type { ParleyClient } from "../../sdk/typescript/client.ts";
import { errorText } from "../base/errors.ts";
import type { Fields } from "./kinds.ts";
import type { FolderPlan, PlanStep } from "./plan.ts";
import { type FileRecord, told } from "./read-folder.ts";
import type { Remote } from "./remote.ts";

export type PlanOutcome = {
  done: PlanStep[];
  /** The step that failed, and why; null when all were done. */
  failed: { step: PlanStep; faults: string[] } | null;
  left: PlanStep[];
};

/**
 * Does the steps one after the other and stops at the first that fails. Each is one call, which the API does whole or not
 * at all, so what was done is what `done` says, and the next plan goes on from there.
 */
export async function applyPlan(
  parley: ParleyClient,
  plan: FolderPlan,
  { ids }: Remote,
  tell: (step: PlanStep) => void,
): Promise<PlanOutcome> {
  const done: PlanStep[] = [];
  for (const [at, step] of plan.steps.entries()) {
    try {
      await doStep(parley, step, ids);
    } catch (error) {
      return { done, failed: { step, faults: faultsOf(step, error) }, left: plan.steps.slice(at + 1) };
    }
    done.push(step);
    tell(step);
  }
  return { done, failed: null, left: [] };
}

async function doStep(parley: ParleyClient, step: PlanStep, ids: Remote["ids"]): Promise<void> {
  if (step.action === "delete") return step.actual.kind.remove(parley, step.actual.record);
  const { kind, key } = step.wanted;
  if (step.action === "update")
    return kind.update(parley, step.actual.id, bodyOf(step.wanted, ids, step.sends));
  ids.get(kind.name)?.set(key, await kind.create(parley, bodyOf(step.wanted, ids, true)));
}

/** A file as the API takes it: numbers in the place of names. */
function bodyOf({ kind, fields }: FileRecord, ids: Remote["ids"], sendsSecrets: boolean): Fields {
  const names = new Set(kind.references.map(({ field }) => field));
  const body = Object.fromEntries(
    Object.entries(fields).filter(([field, value]) => !names.has(field) && value !== undefined),
  );
  for (const { field, kind: named, id } of kind.references)
    body[id] = fields[field] == null ? null : (ids.get(named)?.get(fields[field]) ?? null);
  // null keeps what is stored.
  if (kind.name === "services" && !sendsSecrets && body.auth_values)
    body.auth_values = Object.fromEntries(Object.keys(body.auth_values).map((key) => [key, null]));
  return body;
}

/** The API's sentences at their places in the file. */
function faultsOf(step: PlanStep, error: unknown): string[] {
  if (!(error instanceof ApiError)) return [errorText(error)];
  if (step.action === "delete") return [error.detail];
  const { file, place, kind } = step.wanted;
  if (error.issues.length === 0) return [told(file, { path: [], ...place([]), message: error.detail })];
  return error.issues.map(({ loc, msg }) => {
    const [field, ...rest] = loc.slice(1);
    const reference = kind.references.find(({ id }) => id === field);
    const path = field === undefined ? [] : [reference?.field ?? field, ...rest];
    return told(file, { path, ...place(path), message: msg });
  });
}
