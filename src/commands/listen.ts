import { userInfo } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import { request } from "undici";
import type { ParleyClient } from "../../sdk/typescript/client.ts";
import type { WebhookInboxMessage as Message } from "../../sdk/typescript/operations.ts";
import { errorText, Fault } from "../base/errors.ts";
import type { Config, Secrets } from "../config.ts";
import { inboxParams } from "../webhooks/webhook-inbox-schema.ts";
import { client, tokenOfThisMachine } from "./api-client.ts";
import { stopSignal } from "./stop-signal.ts";
import { Misused, parseTyped } from "./typed/misused.ts";

/** Between two looks into the inbox, which keeps the last hundred messages. */
const LOOK_ms = 250;
const LOOK_AGAIN_ms = 1_000;
const MESSAGES_KEPT = 100;
/** What a webhook waits for its receiver. */
const TIMEOUT_ms = 10_000;

/** What the program on this machine answered; `error` says why there is no answer. */
type Forwarded = { answered: number; ms: number } | { error: string; ms: number };

/**
 * Hands on what a webhook inbox receives to a program on this machine, byte for byte and with the headers that prove it,
 * until Ctrl-C. So webhooks are tried out without a tunnel, and on a platform elsewhere too: everything goes through its
 * API. Resolves with the exit code.
 */
export async function listen(
  args: string[],
  config: Config,
  secrets: Secrets,
  tokenOfEnvironment: string | undefined,
): Promise<number> {
  const given = readArgs(args);
  const token = given.token ?? tokenOfEnvironment;
  if (given.url && !token) {
    throw new Misused(`Give a token of the Parley at ${given.url}: PARLEY_API_TOKEN, or --token.`);
  }
  const parley = client(
    given.url ?? config.public_url,
    token ? () => token : await tokenOfThisMachine(config, secrets),
  );
  const stop = stopSignal();
  const inbox = await takeInbox(parley, given.inbox);
  const print = given.json ? printJson : printLine;
  if (given.json)
    writeLine(JSON.stringify({ inbox: inbox.name, url: inbox.url, forward_to: given.forward_to }));
  else {
    writeLine(`Give this address to a webhook of a campaign:\n  ${inbox.url}`);
    writeLine(`What it receives is handed on to ${given.forward_to}. Ctrl-C ends.`);
  }

  // One after the other, in their order; a slow program doesn't keep us from looking before the inbox forgets.
  let forwarding = Promise.resolve();
  try {
    for await (const message of messagesOf(parley, inbox.name, stop)) {
      forwarding = forwarding.then(async () => {
        if (stop.aborted) return;
        print(message, await forward(message, given.forward_to, stop));
      });
    }
  } finally {
    await forwarding;
  }
  return 0;
}

type Given = { forward_to: string; inbox: string; url?: string; token?: string; json: boolean };

function readArgs(args: string[]): Given {
  const text = { type: "string" } as const;
  const { values } = parseTyped({
    args,
    options: { "forward-to": text, inbox: text, url: text, token: text, json: { type: "boolean" } },
  });
  const target = values["forward-to"];
  if (!target) {
    throw new Misused("Say where to: ./parley listen --forward-to http://127.0.0.1:3000/hook");
  }
  return {
    forward_to: httpUrl("--forward-to", target),
    inbox: values.inbox === undefined ? ownName() : inboxName(values.inbox),
    ...(values.url !== undefined && { url: httpUrl("--url", values.url).replace(/\/+$/, "") }),
    ...(values.token !== undefined && { token: values.token }),
    json: values.json ?? false,
  };
}

function httpUrl(flag: string, text: string): string {
  if (/^https?:\/\//i.test(text) && URL.canParse(text)) return new URL(text).href;
  throw new Misused(`${flag} is an address such as http://127.0.0.1:3000/hook; "${text}" is none.`);
}

function inboxName(text: string): string {
  if (inboxParams.safeParse({ name: text }).success) return text;
  throw new Misused(
    "--inbox takes up to 63 small letters, digits and hyphens, with no hyphen at either end.",
  );
}

/** The same each time, so that a webhook keeps its address. */
const ownName = (): string => {
  const user = userName()
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-");
  return `listen-${user}`.slice(0, 60).replace(/-+$/, "");
};

/** In a container that runs as any number there is no name for it. */
function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return String(process.getuid?.() ?? "here");
  }
}

async function takeInbox(parley: ParleyClient, name: string) {
  const query = { search_fields: ["name" as const], search_field_values: [name], limit: 100 };
  const { items } = await parley.list_webhook_inboxes({ query });
  return items.find((inbox) => inbox.name === name) ?? parley.create_webhook_inbox({ body: { name } });
}

/** What arrives from now on, oldest first. A platform that is away for a while is asked again. */
async function* messagesOf(parley: ParleyClient, name: string, stop: AbortSignal): AsyncGenerator<Message> {
  const latest = async (limit: number) =>
    (await parley.list_webhook_inbox_messages({ path: { name }, query: { limit } })).items;
  let last = (await latest(1))[0]?.id ?? 0;
  let trouble: string | null = null;
  while (!stop.aborted) {
    try {
      const [newest] = await latest(1);
      trouble = null;
      if (newest && newest.id > last) {
        const items = await latest(MESSAGES_KEPT);
        for (const message of items.filter(({ id }) => id > last).toReversed()) yield message;
        last = items[0]?.id ?? last;
      }
      await pause(LOOK_ms, stop);
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      if (error.kind === "not-found") throw inboxDeleted(name);
      if (error.kind !== "unavailable") throw error;
      if (error.message !== trouble) process.stderr.write(`parley: ${error.message}\n`);
      trouble = error.message;
      await pause(LOOK_AGAIN_ms, stop);
    }
  }
}

/** One of the same name would have another address, which no webhook knows. */
const inboxDeleted = (name: string): Fault =>
  new Fault(
    "not-found",
    `The webhook inbox ${name} was deleted. Start this command again for a new one, and give its address to your webhooks.`,
  );

/** Of one connection, not of the message. */
const NOT_FORWARDED = new Set([
  "host",
  "connection",
  "keep-alive",
  "transfer-encoding",
  "content-length",
  "expect",
  "upgrade",
]);

async function forward(message: Message, url: string, stop: AbortSignal): Promise<Forwarded> {
  const began = performance.now();
  const ms = () => Math.round(performance.now() - began);
  const headers = Object.entries(message.headers).filter(([name]) => !NOT_FORWARDED.has(name));
  try {
    const { statusCode, body } = await request(url, {
      method: message.method as "POST",
      headers: Object.fromEntries(headers),
      body: message.body,
      signal: AbortSignal.any([stop, AbortSignal.timeout(TIMEOUT_ms)]),
    });
    await body.dump();
    return { answered: statusCode, ms: ms() };
  } catch (error) {
    const isLate = (error as Error).name === "TimeoutError";
    return { error: isLate ? `no answer after ${TIMEOUT_ms / 1000} s` : errorText(error), ms: ms() };
  }
}

function printLine({ received_at, method, body }: Message, forwarded: Forwarded): void {
  const time = new Date(received_at).toTimeString().slice(0, 8);
  const { type, channel_manager_status, state, reference_id, session_id, name } = factsOf(body);
  const subject = reference_id ?? name ?? (session_id && `session ${session_id}`);
  const words = [method, channel_manager_status ?? type, state, subject];
  const what = words.filter((word) => word !== null).join(" ");
  const answer = "error" in forwarded ? `✗ ${forwarded.error}` : `→ ${forwarded.answered}`;
  writeLine(printable(`${time}  ${what}  ${answer}  ${forwarded.ms} ms`));
}

const printJson = ({ received_at, message_id, method, body }: Message, forwarded: Forwarded): void =>
  writeLine(
    JSON.stringify({
      received_at,
      message_id,
      method,
      ...factsOf(body),
      answered: "answered" in forwarded ? forwarded.answered : null,
      error: "error" in forwarded ? forwarded.error : null,
      ms: forwarded.ms,
    }),
  );

type MessageFacts = Record<
  "type" | "channel_manager_status" | "reference_id" | "session_id" | "name" | "state",
  string | null
>;

/** What a message of ours says it is about: a request, a session or an alert. An inbox takes any other. */
function factsOf(body: string): MessageFacts {
  const { type, data } = jsonObject(body);
  const { channel_manager_status, reference_id, session_id, name, state } = Object(data);
  return {
    type: wordOrNull(type),
    channel_manager_status: wordOrNull(channel_manager_status),
    reference_id: wordOrNull(reference_id),
    session_id: wordOrNull(session_id),
    name: wordOrNull(name),
    state: wordOrNull(state),
  };
}

function jsonObject(text: string): Record<string, unknown> {
  try {
    return Object(JSON.parse(text));
  } catch {
    return {};
  }
}

const wordOrNull = (value: unknown): string | null =>
  typeof value === "string" || typeof value === "number" ? String(value) : null;

/** Whoever knows an inbox's address writes into it; a terminal must not obey them. */
const printable = (text: string): string => text.replace(/\p{Cc}/gu, "\ufffd");

const writeLine = (line: string): void => void process.stdout.write(`${line}\n`);

/** Ends early when it is called off. */
const pause = (ms: number, signal: AbortSignal): Promise<void> =>
  sleep(ms, undefined, { signal }).catch(() => {});
