import { ApiError } from "../../sdk/typescript/api-error.ts";
import { createClient, type ParleyClient } from "../../sdk/typescript/client.ts";
import { Fault } from "../base/errors.ts";
import { fetchFailureWords } from "../egress/egress-failure.ts";
import { applyPlan } from "./apply.ts";
import { type FolderPlan, makePlan, type PlanOptions } from "./plan.ts";
import { appliedText, planJson, planText, stepTitle } from "./plan-text.ts";
import { readFolder } from "./read-folder.ts";
import { type Remote, readRemote } from "./remote.ts";
import { filesOf, writeFolder } from "./write-folder.ts";

/** Which installation, and where values come from. */
export type PlanTarget = {
  url: string;
  token: string | (() => string);
  env: (name: string) => string | undefined;
  /** What to do where nothing answers there, and where the token is not known. */
  remedies: { address: string; token: string };
};

export type CommandOutput = { out(text: string): void; err(text: string): void; json: boolean };

const OK = 0;
/** Of `drift`: it differs; of `apply`: it stopped on the way. */
const DIFFERS = 1;
const FAULTY = 2;

/** Writes everything that a folder can hold. */
export async function exportFolder(
  target: PlanTarget,
  folder: string,
  replace: boolean,
  { out, json }: CommandOutput,
): Promise<number> {
  const { records } = await reached(target, readRemote);
  const files = filesOf(records);
  await writeFolder(folder, files, replace);
  const written = [...files.keys()];
  out(
    json
      ? `${JSON.stringify({ folder, files: written })}\n`
      : `${folder}: ${records.length} ${records.length === 1 ? "record" : "records"} written.\n`,
  );
  return OK;
}

/** Shows what `apply` would do. */
export async function planFolder(
  target: PlanTarget,
  folder: string,
  options: PlanOptions,
  output: CommandOutput,
): Promise<number> {
  const made = await planned(target, folder, options, output);
  return made ? OK : FAULTY;
}

/** Whether the organization is as the folder says, which has the same meaning to a pipeline as a failed test. */
export async function driftOf(
  target: PlanTarget,
  folder: string,
  options: PlanOptions,
  output: CommandOutput,
): Promise<number> {
  const made = await planned(target, folder, options, output);
  if (!made) return FAULTY;
  return made.plan.steps.length > 0 ? DIFFERS : OK;
}

/** Makes the organization as the folder says. `expect`: only if the plan is still this one. */
export async function applyFolder(
  target: PlanTarget,
  folder: string,
  options: PlanOptions & { expect: string | null },
  output: CommandOutput,
): Promise<number> {
  const made = await planned(target, folder, options, output, !output.json);
  if (!made) return FAULTY;
  const { plan, remote, parley } = made;
  if (options.expect !== null && options.expect !== plan.fingerprint)
    return faulty(output, [
      `The plan is ${plan.fingerprint} now, not ${options.expect}: the folder or the organization has changed since. Nothing was done; look at the new plan.`,
    ]);
  const applied = await applyPlan(parley, plan, remote, (step) => {
    if (!output.json) output.out(`done ${stepTitle(step)}\n`);
  });
  if (output.json) {
    const told = {
      done: applied.done.map(stepTitle),
      failed: applied.failed && { step: stepTitle(applied.failed.step), faults: applied.failed.faults },
      left: applied.left.map(stepTitle),
    };
    output.out(`${JSON.stringify(told)}\n`);
  } else output.out(appliedText(applied));
  return applied.failed ? DIFFERS : OK;
}

/** The plan, shown; null where something is wrong with the folder, which is told. */
async function planned(
  target: PlanTarget,
  folder: string,
  options: PlanOptions,
  output: CommandOutput,
  isShown = true,
): Promise<{ plan: FolderPlan; remote: Remote; parley: ParleyClient } | null> {
  const { records, faults, used } = await readFolder(folder, target.env);
  if (faults.length > 0) return refuse(output, faults);
  const { parley, remote } = await reached(target, async (parley) => ({
    parley,
    remote: await readRemote(parley),
  }));
  const plan = makePlan(records, remote, options);
  if (plan.faults.length > 0) return refuse(output, plan.faults);
  if (isShown)
    output.out(
      output.json ? `${JSON.stringify(planJson(plan, used), null, 2)}\n` : planText(plan, target.url, used),
    );
  return { plan, remote, parley };
}

function faulty({ err }: CommandOutput, faults: string[]): number {
  for (const fault of faults) err(`parley: ${fault}\n`);
  return FAULTY;
}

function refuse(output: CommandOutput, faults: string[]): null {
  faulty(output, faults);
  return null;
}

/** An installation that doesn't answer, or not to this token, is told in words. */
async function reached<T>(target: PlanTarget, ask: (parley: ParleyClient) => Promise<T>): Promise<T> {
  const { url, token, remedies } = target;
  try {
    return await ask(createClient({ baseUrl: url, token, fetch: (...asked) => reach(target, ...asked) }));
  } catch (error) {
    if (error instanceof ApiError)
      throw new Fault(
        error.status === 401 ? "not-authenticated" : "unavailable",
        error.status === 401
          ? `The Parley at ${url} does not know this token. ${remedies.token}`
          : `${url}: ${error.message}`,
        { cause: error },
      );
    throw error;
  }
}

/** In the middle of an apply, too, it is said who does not answer, and why. */
const reach = ({ url, remedies }: PlanTarget, ...asked: Parameters<typeof fetch>): Promise<Response> =>
  fetch(...asked).catch((cause: unknown) => {
    const why = fetchFailureWords(cause, url);
    throw new Fault("unavailable", `Parley does not answer at ${url}: ${why}. ${remedies.address}`, {
      cause,
    });
  });
