import { readFile, writeFile } from "node:fs/promises";
import type { ParleyClient } from "../../sdk/typescript/client.ts";
import { join } from "../audio/level.ts";
import { resample } from "../audio/resample.ts";
import { readWav, writeWav } from "../audio/wav.ts";
import { errorText, Fault, unreadable, unwritable } from "../base/errors.ts";
import type { Config, Secrets } from "../config.ts";
import { spokenText } from "../simulator/caller-audio.ts";
import { HEARING_RATE } from "../speech/hearing.ts";
import { createLocalSpeaking } from "../speech/local/local-speaking.ts";
import { client, tokenOfThisMachine } from "./api-client.ts";
import { SocketCaller } from "./call-socket.ts";
import { findAgent } from "./chat.ts";
import { Misused, parseTyped } from "./typed/misused.ts";
import { requireWritable } from "./typed/require-writable.ts";

/** The agent has ended when nothing was heard for so long. */
const QUIET_MS = 1_500;
/** A model's answer, its tools included; after it the next words are said all the same. */
const ANSWER_MS = 30_000;
/** The offline voice that both recognizers of this machine understand best. */
const CALLER = "slt";

/**
 * Calls an agent as its page does, over the same socket: says lines or a WAV file, writes what was said by both, and
 * keeps the sound as a WAV file of two channels. Resolves with the exit code.
 */
export async function call(
  args: string[],
  config: Config,
  secrets: Secrets,
  token: string | undefined,
): Promise<number> {
  const { values, positionals } = readArguments(args);
  const [wanted] = positionals;
  if (!wanted || positionals.length > 1 || (!values.wav && !values.say))
    throw new Misused(
      'Name an agent and what to say: ./parley call "Demo clinic" --say "When are you open?"',
    );
  if (values.wav && values.say) throw new Misused("Use --wav or --say, not both.");
  const { out } = values;
  if (out) await requireWritable(out);
  const parley = client(config.public_url, token ? () => token : await tokenOfThisMachine(config, secrets));
  const client_id = await findPage(parley, wanted);
  const utterances = values.wav ? [await fromFile(values.wav)] : await spoken(values.say ?? []);
  const opened = await parley.create_chat_call({ body: { client_id, user_id: "terminal" } });
  const began = performance.now();
  const caller = new SocketCaller(config.public_url, opened, ({ role, text, final }) => {
    if (!final) return;
    const at_ms = Math.round(performance.now() - began);
    const line = values.json
      ? JSON.stringify({ role, text, at_ms })
      : `${role === "user" ? "you" : "agent"} › ${text}`;
    process.stdout.write(`${line}\n`);
  });
  const isQuiet = () => performance.now() - caller.lastHeard > QUIET_MS;

  await caller.connected();
  // The greeting, where there is one.
  await caller.until(isQuiet, ANSWER_MS);
  for (const samples of utterances) {
    await caller.say(samples);
    await caller.until(() => caller.isAnswered, ANSWER_MS);
    await caller.until(isQuiet, ANSWER_MS);
  }
  caller.hangUp();
  if (out) {
    const channels = [join(caller.sent), join(caller.heard)];
    await writeFile(out, writeWav({ rate: HEARING_RATE, channels })).catch((error) => {
      throw unwritable(out, error);
    });
  }
  if (caller.problem) throw new Fault("unavailable", caller.problem);
  return caller.answers > 0 ? 0 : 1;
}

const readArguments = (args: string[]) =>
  parseTyped({
    args,
    allowPositionals: true,
    options: {
      wav: { type: "string" },
      out: { type: "string" },
      say: { type: "string", multiple: true },
      json: { type: "boolean" },
    },
  });

/** The chat page of that name, or one of the agent's. */
async function findPage(parley: ParleyClient, wanted: string): Promise<string> {
  const targets = async (field: "target" | "agent_id", value: string) => {
    const query = { search_fields: [field], search_field_values: [value] };
    const { items } = await parley.list_channel_targets({ query });
    return items.filter(({ target_mode }) => target_mode === "chat");
  };
  // "target" is looked for as a part of the name.
  const [named] = (await targets("target", wanted)).filter(({ target }) => target === wanted);
  if (named) return named.target;
  const agent = await findAgent(parley, wanted);
  const pages = await targets("agent_id", String(agent.id));
  const open = pages.find(({ browser_calls }) => browser_calls);
  if (open) return open.target;
  throw new Fault(
    "refused",
    `${agent.name} takes no calls from a page. In the console, open its chat channel, edit the address, and turn on "Calls from the page".`,
  );
}

async function fromFile(file: string): Promise<Int16Array> {
  const bytes = await readFile(file).catch((error) => {
    throw new Fault("refused", unreadable(file, error));
  });
  try {
    const { rate, channels } = readWav(bytes);
    return resample(channels[0] ?? new Int16Array(0), rate, HEARING_RATE);
  } catch (error) {
    throw new Fault("refused", `${file} can't be spoken: ${errorText(error)}`);
  }
}

async function spoken(lines: string[]): Promise<Int16Array[]> {
  const mouth = createLocalSpeaking({ threads: 1 });
  try {
    const made: Int16Array[] = [];
    for (const text of lines) made.push(await spokenText(mouth, text, { voice: CALLER }));
    return made;
  } finally {
    await mouth.close();
  }
}
