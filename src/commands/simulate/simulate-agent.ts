import { setTimeout as sleep } from "node:timers/promises";
import type { ParleyClient } from "../../../sdk/typescript/client.ts";
import type { SimulatedContact } from "../../../sdk/typescript/operations.ts";
import { Fault } from "../../base/errors.ts";
import type { Config, Secrets } from "../../config.ts";
import { client, tokenOfThisMachine } from "../api-client.ts";
import { findAgent } from "../chat.ts";
import { INTERRUPTED, stopSignal } from "../stop-signal.ts";
import { type ChannelKind, type Contact, contactsOf, hasLeft } from "./simulated-contacts.ts";
import { type Desk, openMailDesk, openPhoneDesk } from "./simulated-desk.ts";
import {
  afterSilence,
  cutText,
  printSimulated,
  printTable,
  type TalkCounts,
  type TalkLine,
} from "./simulated-talk.ts";

/** Between two looks at a conversation. */
const LOOK_MS = 700;
/** An agent that always has more to say is left after this long. */
const LONGEST_MS = 240_000;
type Wanted = { agent: string; json: boolean; seed: number };

/**
 * Has simulated people call, text and mail an agent of the Parley that runs here, by the simulated carriers: the agent,
 * its tools and its workflows are the real ones, and so is what its tools do. Resolves with the exit code.
 */
export async function simulateAgent(
  { agent: name, json, seed }: Wanted,
  config: Config,
  secrets: Secrets,
  token: string | undefined,
): Promise<number> {
  const parley = client(config.public_url, token ? () => token : await tokenOfThisMachine(config, secrets));
  const agent = await findAgent(parley, name);
  const stop = stopSignal();
  const phone = await openPhoneDesk(parley, agent.id);
  const mail = await openMailDesk(parley, agent.id);
  try {
    const desks: Partial<Record<ChannelKind, Desk>> = {
      ...(phone && { call: phone, texts: phone }),
      ...(mail && { mails: mail }),
    };
    if (!phone && !mail) throw new Fault("unavailable", NO_SIMULATOR);
    if (!json) tellBeginning(agent.name, desks);
    const run = String(Date.now() % 100).padStart(2, "0");
    const counts = new Map<ChannelKind, TalkCounts>();
    const talk = async (contact: Contact) => {
      const desk = desks[contact.kind];
      if (!desk) return;
      const { lines, finished, cut } = await talkWith(parley, desk, contact, stop);
      printSimulated(
        { kind: contact.kind, from: `${contact.who.name} (${contact.from})`, to: agent.name, lines, cut },
        json,
      );
      const count = counts.get(contact.kind) ?? { began: 0, answered: 0, finished: 0 };
      count.began += 1;
      count.answered += lines.some(({ role }) => role === "agent") ? 1 : 0;
      count.finished += finished ? 1 : 0;
      counts.set(contact.kind, count);
    };
    await Promise.all(contactsOf(seed, run).map(talk));
    printTable(counts, json);
  } finally {
    await phone?.close();
    await mail?.close();
  }
  return stop.aborted ? INTERRUPTED : 0;
}

const NO_SIMULATOR =
  "This Parley has real carriers for calls, texts and mails, so nobody can be simulated on it. Run ./parley chat to talk with the agent yourself.";

function tellBeginning(agent: string, desks: Partial<Record<ChannelKind, Desk>>): void {
  process.stdout.write(
    `Simulated people call, text and mail ${agent}. Nobody is really reached; its tools do what they do for anybody.\n`,
  );
  if (!desks.call)
    process.stdout.write("No calls and texts: this Parley has a real carrier for the telephone.\n");
  if (!desks.mails) process.stdout.write("No mails: this Parley has a real mail server.\n");
}

/** To its end: one of both leaves, or nobody has anything more to say. */
async function talkWith(
  parley: ParleyClient,
  { channel_id, address }: Desk,
  { kind, who, from, opening }: Contact,
  stop: AbortSignal,
): Promise<{ lines: TalkLine[]; finished: boolean; cut: string | null }> {
  const line = { from, to: address };
  const contacts: Record<ChannelKind, SimulatedContact> = {
    call: { mode: "voice", ...line },
    texts: { mode: "sms", text: opening, ...line },
    mails: { mode: "email", subject: "Question", text: opening, ...line },
  };
  await parley.create_channel_simulated_contact({ path: { channel_id }, body: contacts[kind] });
  const until = performance.now() + LONGEST_MS;
  let lines: TalkLine[] = [];
  let since = performance.now();
  let longest_ms = 0;
  while (performance.now() < until && !stop.aborted) {
    await sleep(LOOK_MS);
    const seen = await readTalk(parley, from);
    const silent_ms = performance.now() - since;
    if (seen.lines.length !== lines.length) {
      longest_ms = Math.max(longest_ms, silent_ms);
      since = performance.now();
    }
    lines = seen.lines;
    if (seen.ended) return { lines, finished: true, cut: null };
    if (kind === "call") continue;
    const over = afterSilence({
      left: hasLeft(who, lines),
      silent_ms: performance.now() - since,
      longest_ms,
    });
    if (over) return { lines, ...over };
  }
  return { lines, finished: false, cut: stop.aborted ? null : cutText(LONGEST_MS) };
}

/** What was said with somebody so far, and whether the session is over. */
async function readTalk(parley: ParleyClient, from: string): Promise<{ lines: TalkLine[]; ended: boolean }> {
  const search = {
    search_fields: ["source" as const, "is_test" as const],
    search_field_values: [from, "true"],
  };
  const [session] = (await parley.list_sessions({ query: { ...search, limit: 1 } })).items;
  if (!session?.session_id) return { lines: [], ended: false };
  const path = { session_id: session.session_id };
  const { transcription } = await parley.get_session_transcript({ path });
  const lines = transcription.map(({ source, text }) => ({ role: source ?? "", text: text ?? "" }));
  return { lines, ended: session.ended_at !== null };
}
