import { setTimeout as sleep } from "node:timers/promises";
import { Fault } from "../../base/errors.ts";
import type { Config, Secrets } from "../../config.ts";
import { type ApiClient, client, tokenOfThisMachine } from "../api-client.ts";
import { findAgent } from "../chat.ts";
import { INTERRUPTED, stopSignal } from "../stop-signal.ts";
import { type ChannelKind, type Contact, contactsOf, hasLeft } from "./simulated-contacts.ts";
import { type Desk, openMailDesk, openPhoneDesk } from "./simulated-desk.ts";
import { printSimulated, printTable, type TalkCounts, type TalkLine } from "./simulated-talk.ts";

/** Between two looks at a conversation. */
const LOOK_MS = 700;
/** An agent that always has more to say is left after this long. */
const LONGEST_MS = 240_000;
/** A dialogue of texts or mails is over when nobody has said anything for so long; once the person left, sooner. */
const SILENT_MS = 30_000;
const LEFT_MS = 3_000;

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
  const call = client(config.public_url, token ? () => token : await tokenOfThisMachine(config, secrets));
  const agent = await findAgent(call, name);
  const stop = stopSignal();
  const phone = await openPhoneDesk(call, agent.id);
  const mail = await openMailDesk(call, agent.id);
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
      const { lines, finished } = await talkWith(call, desk, contact, stop);
      printSimulated(
        { kind: contact.kind, from: `${contact.who.name} (${contact.from})`, to: agent.name, lines },
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
  call: ApiClient,
  { channel_id, address }: Desk,
  { kind, who, from, opening }: Contact,
  stop: AbortSignal,
): Promise<{ lines: TalkLine[]; finished: boolean }> {
  const begun = {
    call: { mode: "voice" },
    texts: { mode: "sms", text: opening },
    mails: { mode: "email", subject: "Question", text: opening },
  }[kind];
  await call("POST", `/api/v1/channels/${channel_id}/simulated_contacts`, { ...begun, from, to: address });
  const until = performance.now() + LONGEST_MS;
  let lines: TalkLine[] = [];
  let since = performance.now();
  while (performance.now() < until && !stop.aborted) {
    await sleep(LOOK_MS);
    const seen = await readTalk(call, from);
    if (seen.lines.length !== lines.length) since = performance.now();
    lines = seen.lines;
    if (seen.ended) return { lines, finished: true };
    if (kind === "call") continue;
    const left = hasLeft(who, lines);
    const silent_ms = performance.now() - since;
    if (silent_ms > SILENT_MS || (left && silent_ms > LEFT_MS)) return { lines, finished: left };
  }
  return { lines, finished: false };
}

/** What was said with somebody so far, and whether the session is over. */
async function readTalk(call: ApiClient, from: string): Promise<{ lines: TalkLine[]; ended: boolean }> {
  const query = new URLSearchParams([
    ["search_fields", "source"],
    ["search_field_values", from],
    ["search_fields", "is_test"],
    ["search_field_values", "true"],
    ["limit", "1"],
  ]);
  type Found = { items: { session_id: string; ended_at: string | null }[] };
  const [session] = (await call<Found>("GET", `/api/v1/sessions/?${query}`)).items;
  if (!session) return { lines: [], ended: false };
  type Said = { transcription: { source: string; text: string }[] };
  const { transcription } = await call<Said>("GET", `/api/v1/sessions/transcript/${session.session_id}`);
  const lines = transcription.map(({ source, text }) => ({ role: source, text }));
  return { lines, ended: session.ended_at !== null };
}
