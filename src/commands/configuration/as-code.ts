import { readEnvironment } from "../../as-code/environment.ts";
import {
  applyFolder,
  type CommandOutput,
  driftOf,
  exportFolder,
  type PlanTarget,
  planFolder,
} from "../../as-code/run.ts";
import type { Config, Secrets } from "../../config.ts";
import { SET_TOKEN, START_OR_SET_ADDRESS, tokenOfThisMachine } from "../api-client.ts";
import { Misused } from "../typed/misused.ts";
import { type AS_CODE_FLAGS, AS_CODE_VALUES } from "./as-code-flags.ts";

const FAULTY = 2;

type Given = { config: Config; secrets: Secrets };

/** `export`, `plan`, `apply` and `drift`: an organization's configuration as a folder of YAML files. */
export async function asCode(
  command: keyof typeof AS_CODE_FLAGS,
  args: string[],
  given: () => Given,
): Promise<number> {
  const output: CommandOutput = {
    out: (text) => process.stdout.write(text),
    err: (text) => process.stderr.write(text),
    json: args.includes("--json"),
  };
  const folder = args.find((arg, at) => !arg.startsWith("-") && !AS_CODE_VALUES.includes(args[at - 1] ?? ""));
  if (folder === undefined) throw new Misused(`Name the folder: ./parley ${command} clinic`);
  const target = await targetOf(folder, valueAfter(args, "--env"), given);
  if ("faults" in target) return told(output, target.faults);
  const options = { prune: args.includes("--prune"), secrets: args.includes("--secrets") };
  switch (command) {
    case "export":
      return exportFolder(target, folder, args.includes("--replace"), output);
    case "plan":
      return planFolder(target, folder, options, output);
    case "drift":
      return driftOf(target, folder, options, output);
    case "apply":
      return applyFolder(target, folder, { ...options, expect: valueAfter(args, "--expect") }, output);
  }
}

async function targetOf(
  folder: string,
  name: string | null,
  given: () => Given,
): Promise<PlanTarget | { faults: string[] }> {
  const env = (variable: string) => process.env[variable];
  if (name !== null) return readEnvironment(folder, name, env);
  const { config, secrets } = given();
  const token = process.env.PARLEY_API_TOKEN ?? (await tokenOfThisMachine(config, secrets));
  const remedies = { address: START_OR_SET_ADDRESS, token: SET_TOKEN };
  return { url: config.public_url, token, env, remedies };
}

function valueAfter(args: string[], flag: string): string | null {
  const value = args.includes(flag) ? args[args.indexOf(flag) + 1] : undefined;
  return value === undefined || value.startsWith("-") ? null : value;
}

function told({ err }: CommandOutput, faults: string[]): number {
  for (const fault of faults) err(`parley: ${fault}\n`);
  return FAULTY;
}
