import { createInterface } from "node:readline/promises";
import type { ParleyClient } from "../../sdk/typescript/client.ts";
import { Fault } from "../base/errors.ts";
import { randomId } from "../base/ids.ts";
import { cutTo } from "../base/storable.ts";
import type { Config, Secrets } from "../config.ts";
import { client, tokenOfThisMachine } from "./api-client.ts";
import { chatArguments } from "./chat-arguments.ts";
import { type PrintedTrace, traceLines } from "./trace-lines.ts";
import { Misused } from "./typed/misused.ts";

/** What one turn of the test operation tells. */
export type Turn = {
  response_text: string;
  response: {
    content: {
      session_id: number;
      action: { action: string } | null;
      tool_calls: {
        tool_name: string;
        tool_arguments: unknown;
        tool_result: unknown;
        tool_error: string | null;
        duration_ms: number;
      }[];
      variables: Record<string, unknown>;
      ended: boolean;
    };
  };
};

/** One turn as it is shown; `trace` is null where it was not wanted or may not be read. */
type ShownTurn = { answer: Turn; trace: PrintedTrace[] | null; ms: number };

/**
 * Talks with an agent in the terminal, showing what it does and why: the session's trace, or with `--no-trace` only tool
 * calls and changed variables, and at the end where the session is read. With `--json` each line of input is a message and each line of output a turn. Resolves
 * with the exit code.
 */
export async function chat(
  args: string[],
  config: Config,
  secrets: Secrets,
  token: string | undefined,
): Promise<number> {
  const { wanted, json, withTrace, start } = chatArguments(args);
  if (!wanted) throw new Misused('Name an agent, by name or number: ./parley chat "Demo clinic"');
  const parley = client(config.public_url, token ? () => token : await tokenOfThisMachine(config, secrets));
  const agent = await findAgent(parley, wanted);
  const test_id = `terminal-${randomId()}`;
  const show = json ? printJson : createPrinter();
  const readTrace = withTrace ? traceReader(parley) : async () => null;

  let session_id = 0;
  const turn = async (text: string, session_start: boolean): Promise<boolean> => {
    const before = performance.now();
    const body = {
      service_name: "terminal",
      ...start,
      test_id,
      agent_id: String(agent.id),
      text,
      session_start,
    };
    const answer = (await parley.send_test_message({ body })) as Turn;
    const ms = performance.now() - before;
    session_id = answer.response.content.session_id;
    show({ answer, trace: await readTrace(session_id), ms });
    return answer.response.content.ended;
  };

  if (!json)
    process.stdout.write(dim(`${agent.name} (agent ${agent.id}). Empty line: silence. Ctrl-D: leave.\n`));
  await converse(turn, json);
  if (!json)
    process.stdout.write(dim(`Session ${session_id}: ${config.public_url}/console/sessions/${session_id}\n`));
  return 0;
}

/** Sends each line that is typed until the agent ends the session or the person leaves. */
async function converse(
  turn: (text: string, session_start: boolean) => Promise<boolean>,
  json: boolean,
): Promise<void> {
  if (await turn("", true)) return;
  const lines = createInterface({ input: process.stdin });
  const ask = () => process.stdin.isTTY && process.stdout.write(bold("you › "));
  ask();
  for await (const line of lines) {
    if (!process.stdin.isTTY && !json) process.stdout.write(`${bold("you ›")} ${line}\n`);
    if (await turn(line, false)) break;
    ask();
  }
  lines.close();
  if (process.stdin.isTTY) process.stdout.write("\n");
}

export async function findAgent(parley: ParleyClient, wanted: string): Promise<{ id: number; name: string }> {
  const field = /^\d+$/.test(wanted) ? ("id" as const) : ("name_exact" as const);
  const query = { search_fields: [field], search_field_values: [wanted] };
  const [agent] = (await parley.list_agents({ query })).items;
  if (agent) return agent;
  const all = await parley.list_agents({ query: { limit: 10 } });
  const names = all.items.map((item) => `"${item.name}"`).join(", ");
  throw new Fault("not-found", `There is no agent ${wanted}. There is ${names || "none yet"}.`);
}

/** Reads on where it stopped. A token that may talk but not read sessions gets no trace, and is told so once. */
function traceReader(parley: ParleyClient): (session_id: number) => Promise<PrintedTrace[] | null> {
  let after = 0;
  let allowed = true;
  return async (session_id) => {
    if (!allowed) return null;
    try {
      const { entries } = await parley.get_session_trace({ path: { session_id }, query: { after } });
      after = entries.at(-1)?.id ?? after;
      return entries;
    } catch (error) {
      if (!(error instanceof Fault && error.kind === "forbidden")) throw error;
      allowed = false;
      process.stderr.write(`parley: No trace is shown. ${error.message}\n`);
      return null;
    }
  };
}

const printJson = ({ answer: { response_text, response }, trace, ms }: ShownTurn): void => {
  const turn = { text: response_text, ms: Math.round(ms), ...response.content, ...(trace && { trace }) };
  process.stdout.write(`${JSON.stringify(turn)}\n`);
};

function createPrinter() {
  const showWithoutTrace = callsAndVariables();
  return ({ answer, trace, ms }: ShownTurn): void => {
    const { response_text, response } = answer;
    if (!trace) showWithoutTrace(answer);
    for (const line of trace?.flatMap(traceLines) ?? []) process.stdout.write(dim(`  ${line}\n`));
    if (response_text)
      process.stdout.write(`${bold("agent ›")} ${response_text} ${dim(`${Math.round(ms)} ms`)}\n`);
    if (response.content.ended) process.stdout.write(dim("  The agent ended the session.\n"));
  };
}

function callsAndVariables() {
  let known: Record<string, unknown> = {};
  return ({ response: { content } }: Turn): void => {
    for (const call of content.tool_calls) {
      const result = call.tool_error ?? JSON.stringify(call.tool_result);
      const mark = call.tool_error === null ? "→" : "✗";
      process.stdout.write(
        dim(
          `  ${call.tool_name} ${JSON.stringify(call.tool_arguments)}\n  ${mark} ${cut(result)}  ${Math.round(call.duration_ms)} ms\n`,
        ),
      );
    }
    for (const [name, value] of Object.entries(content.variables)) {
      if (JSON.stringify(known[name]) !== JSON.stringify(value))
        process.stdout.write(dim(`  ${name} = ${JSON.stringify(value)}\n`));
    }
    known = content.variables;
  };
}

const cut = (text: string | undefined): string =>
  text && text.length > 300 ? `${cutTo(text, 300)}…` : (text ?? "");
const colored = process.stdout.isTTY === true;
const dim = (text: string): string => (colored ? `\u001b[2m${text}\u001b[0m` : text);
const bold = (text: string): string => (colored ? `\u001b[1m${text}\u001b[0m` : text);
