import { stat } from "node:fs/promises";
import type { ImportedAgent } from "../../../sdk/typescript/operations.ts";
import { readTextFile } from "../../api/input/text-file.ts";
import { unreadable } from "../../base/errors.ts";
import type { Config, Secrets } from "../../config.ts";
import { planLines } from "../../importers/plan-lines.ts";
import { PLATFORMS, readImport } from "../../importers/read-import.ts";
import { client, tokenOfThisMachine } from "../api-client.ts";

const DONE = 0;
const FAULTY = 2;
const LARGEST_FILE = 5_000_000;

type Settings = { config: Config; secrets: Secrets };

/**
 * `./parley import vapi assistant.json`: prints what becomes of each field and creates the agent, all of it or nothing.
 * With `--plan` nothing is created, and no Parley has to run.
 */
export async function importForeign(args: string[], settings: () => Settings): Promise<number> {
  const at = args.indexOf("--name");
  const wanted = at >= 0 ? args[at + 1] : undefined;
  if (at >= 0 && (wanted === undefined || wanted === "" || wanted.startsWith("-")))
    return told(["--name needs a value."]);
  const [given, file] = args.filter((arg, index) => !arg.startsWith("-") && !(at >= 0 && index === at + 1));
  const platform = PLATFORMS.find((each) => each === given);
  if (platform === undefined || file === undefined)
    return told([`Name the platform and the file: ./parley import ${PLATFORMS.join("|")} agent.json`]);
  const text = await contentOf(file);
  if (typeof text !== "string") return told([text.problem]);
  const read = readImport(platform, text, new Date().toISOString().slice(0, 10));
  if (!read.ok) return told(read.faults.map((fault) => `${file}: ${fault}`));
  const json = args.includes("--json");
  const plan = wanted === undefined ? read.plan : { ...read.plan, name: wanted };
  if (!json) process.stdout.write(planLines(plan));
  const created = args.includes("--plan") ? null : await create(plan.name, read.plan.text, settings);
  if (created !== null && "problem" in created) return told([created.problem]);
  if (json) {
    const { text: agent_file, ...told } = plan;
    process.stdout.write(`${JSON.stringify({ ...told, agent_file, created }, null, 2)}\n`);
  } else if (created !== null) {
    const shared = created.parts.filter(({ is_new }) => !is_new);
    process.stdout.write(`\nCreated agent ${created.agent.id}, ${JSON.stringify(created.agent.name)}.\n`);
    for (const { kind, name } of shared)
      process.stdout.write(`It shares the ${kind} ${JSON.stringify(name)}, which was there.\n`);
  }
  return DONE;
}

/** One request makes all of it, so that a fault leaves nothing behind. */
async function create(
  name: string,
  text: string,
  settings: () => Settings,
): Promise<ImportedAgent | { problem: string }> {
  const { config, secrets } = settings();
  const own = process.env.PARLEY_API_TOKEN;
  const parley = client(config.public_url, own ? () => own : await tokenOfThisMachine(config, secrets));
  const query = { limit: 100, search_fields: ["name" as const], search_field_values: [name] };
  const { items } = await parley.list_agents({ query });
  if (items.some((agent) => agent.name === name))
    return {
      problem: `There is an agent named ${JSON.stringify(name)} already; nothing was created. Give this one another: --name "…"`,
    };
  return parley.import_agent({ body: { text, name } });
}

async function contentOf(file: string): Promise<string | { problem: string }> {
  try {
    const { size } = await stat(file);
    if (size > LARGEST_FILE) return { problem: `${file} has more than 5 MB: it is no agent.` };
    return await readTextFile(file);
  } catch (error) {
    return { problem: unreadable(file, error) };
  }
}

function told(faults: string[]): number {
  for (const fault of faults) process.stderr.write(`parley: ${fault}\n`);
  return FAULTY;
}
