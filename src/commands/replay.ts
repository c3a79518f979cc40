import { setTimeout as sleep } from "node:timers/promises";
import { parse } from "yaml";
import type { ParleyClient } from "../../sdk/typescript/client.ts";
import { readTextFile } from "../api/input/text-file.ts";
import { Fault, unreadable } from "../base/errors.ts";
import type { Config, Secrets } from "../config.ts";
import type { ReplaySummary } from "../replays/replay-summary.ts";
import type { ReplayGateResult } from "../versions/replay-gate.ts";
import { client, tokenOfThisMachine } from "./api-client.ts";
import { findAgent } from "./chat.ts";
import { type CountedReason, replayReport, type ToldReplay } from "./reports/replay-report.ts";
import { INTERRUPTED, stopSignal } from "./stop-signal.ts";

/** Between two looks at a replay. */
const LOOK_MS = 300;
const NOT_WORSE = 0;
const WORSE = 1;
const FAULTY = 2;

type ReplayArguments = {
  agent: string;
  /** A file with further fields of the request, such as mocks and checks. */
  file: string | null;
  fields: Record<string, unknown>;
  filter: Record<string, unknown>;
  /** The sessions that the agent's gate asks for, and its verdict. */
  gate: boolean;
  json: boolean;
};
type AskedReplay = ReplayGateResult | null;

/**
 * Replays recorded sessions on the Parley that runs here, and prints what changed. Resolves with the exit code: 0 nothing
 * got worse, or the gate passes; 1 something did, or the gate holds back; 2 the command line is faulty or nothing could be replayed.
 */
export async function replay(
  args: string[],
  config: Config,
  secrets: Secrets,
  token: string | undefined,
): Promise<number> {
  const wanted = readArguments(args);
  if (typeof wanted === "string") return faulty(wanted);
  const more = wanted.file === null ? {} : await readMore(wanted.file);
  if (typeof more === "string") return faulty(more);
  const parley = client(config.public_url, token ? () => token : await tokenOfThisMachine(config, secrets));
  let begun: ToldReplay;
  let agent_id: number;
  try {
    ({ id: agent_id } = await findAgent(parley, wanted.agent));
    const asked = wanted.gate ? await gateOf(parley, agent_id) : null;
    if (wanted.gate && asked === null) return faulty(NO_GATE);
    const filter = { ...(more.filter as object | undefined), ...wanted.filter };
    const body = asked
      ? { ...more, ...wanted.fields, filter: asked.filter, sessions: asked.sessions }
      : { ...more, ...wanted.fields, filter };
    begun = await parley.replay_sessions({ path: { agent_id }, body });
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    return faulty(error.message);
  }
  const found = await followReplay(parley, begun.id, wanted.json);
  if (!found) return INTERRUPTED;
  const gate = wanted.gate ? await gateOf(parley, agent_id) : null;
  process.stdout.write(
    wanted.json
      ? `${JSON.stringify(gate ? { ...found, gate } : found)}\n`
      : `${replayReport(found, await reasonsOf(parley, found))}${gate ? `${gate.passes ? "Passes" : "Blocks publishing"}. ${gate.says}\n` : ""}`,
  );
  if (found.summary.results.replayed === 0) return FAULTY;
  if (gate) return gate.passes ? NOT_WORSE : WORSE;
  return found.summary.verdict === "worse" ? WORSE : NOT_WORSE;
}

const gateOf = async (parley: ParleyClient, agent_id: number): Promise<AskedReplay> =>
  (await parley.get_agent_versioning({ path: { agent_id } })).replay_gate;

/** Why sessions were not replayed, most frequent first, as far as the first hundred of each kind tell. */
async function reasonsOf(parley: ParleyClient, { id, summary }: ToldReplay): Promise<CountedReason[]> {
  const counts = new Map<string, number>();
  for (const status of ["error", "skipped"] as const) {
    if (summary.results[status] === 0) continue;
    const query = { search_fields: ["status" as const], search_field_values: [status], limit: 100 };
    const { items } = await parley.list_replay_pairs({ path: { replay_id: id }, query });
    for (const note of items.flatMap(({ notes }) => notes)) counts.set(note, (counts.get(note) ?? 0) + 1);
  }
  return [...counts].map(([reason, count]) => ({ reason, count })).sort((a, b) => b.count - a.count);
}

const NO_GATE = "This agent's drafts need no replay. Add one on its versions page, or leave out --gate.";

async function readMore(file: string): Promise<Record<string, unknown> | string> {
  try {
    const read: unknown = parse(await readTextFile(file), { maxAliasCount: 100 });
    if (typeof read === "object" && read !== null && !Array.isArray(read))
      return read as Record<string, unknown>;
    return `${file}: write fields of a replay, such as checks.`;
  } catch (error) {
    return unreadable(file, error);
  }
}

/** Looks until it is over; the replay is cancelled by Ctrl-C. */
export async function followReplay(
  parley: ParleyClient,
  id: number,
  quiet: boolean,
): Promise<ToldReplay | null> {
  const stop = stopSignal();
  const show = !quiet && process.stderr.isTTY;
  for (;;) {
    const found = await parley.get_replay({ path: { replay_id: id } });
    const { total, pending } = found.summary.results satisfies ReplaySummary["results"];
    if (show) process.stderr.write(`\r${total - pending} of ${total} sessions replayed`);
    if (found.status !== "running") {
      if (show) process.stderr.write("\r\u001b[K");
      return found;
    }
    if (stop.aborted) {
      await parley.cancel_replay({ path: { replay_id: id } });
      return null;
    }
    await sleep(LOOK_MS);
  }
}

const NUMBERS: Record<string, [field: "sessions" | "seed" | "days" | "version", of: "fields" | "filter"]> = {
  "--sessions": ["sessions", "fields"],
  "--seed": ["seed", "fields"],
  "--days": ["days", "filter"],
  "--version": ["version", "filter"],
};

/** What was asked for, or why it can't be. */
function readArguments(args: string[]): ReplayArguments | string {
  const wanted: ReplayArguments = { agent: "", file: null, fields: {}, filter: {}, gate: false, json: false };
  for (let at = 0; at < args.length; at++) {
    const arg = args[at] as string;
    if (arg === "--json") {
      wanted.json = true;
      continue;
    }
    if (arg === "--gate") {
      wanted.gate = true;
      continue;
    }
    if (!arg.startsWith("--")) {
      if (wanted.agent !== "") return NAME_AN_AGENT;
      wanted.agent = arg;
      continue;
    }
    const value = args[++at];
    if (value === undefined || value.startsWith("--")) return `${arg} needs a value.`;
    const problem = takeValue(wanted, arg, value);
    if (problem !== null) return problem;
  }
  if (
    wanted.gate &&
    Object.keys({ ...wanted.fields, ...wanted.filter }).some((name) => name !== "cost_cap_usd")
  )
    return "--gate takes its sessions from the agent's gate. Leave out the other options.";
  return wanted.agent === "" ? NAME_AN_AGENT : wanted;
}

const NAME_AN_AGENT = 'Name one agent: ./parley replay "Demo clinic" --sessions 100';

function takeValue(wanted: ReplayArguments, flag: string, value: string): string | null {
  const number = NUMBERS[flag];
  if (number) {
    if (!/^\d{1,9}$/.test(value)) return `${flag} takes a number.`;
    wanted[number[1]][number[0]] = Number(value);
  } else if (flag === "--against" || flag === "--baseline") {
    const words = flag === "--against" ? ["draft", "live"] : ["recorded", "draft", "live"];
    if (!words.includes(value) && !/^[1-9]\d{0,8}$/.test(value))
      return `${flag} takes ${words.join(", ")} or the number of a version.`;
    wanted.fields[flag === "--against" ? "candidate" : "baseline"] = words.includes(value)
      ? value
      : Number(value);
  } else if (flag === "--cost-cap") {
    if (!/^\d+(\.\d+)?$/.test(value)) return "--cost-cap takes an amount in US dollars.";
    wanted.fields.cost_cap_usd = Number(value);
  } else if (flag === "--file") wanted.file = value;
  return null;
}

function faulty(line: string): number {
  process.stderr.write(`parley: ${line}\n`);
  return FAULTY;
}
