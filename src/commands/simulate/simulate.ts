import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { sql } from "kysely";
import { bootstrap } from "../../accounts/bootstrap.ts";
import { API_KEY_HEADER } from "../../api/server.ts";
import type { App } from "../../app/parts.ts";
import { createApp } from "../../app.ts";
import { systemClock } from "../../base/clock.ts";
import { Fault } from "../../base/errors.ts";
import { silentLog } from "../../base/log.ts";
import { SIMULATOR_HOST, SIMULATOR_PREFIX, simulatedAccount } from "../../carriers/simulator-account.ts";
import { readConfig } from "../../config.ts";
import type { Db } from "../../db/database.ts";
import { DEMO_HOST, DEMO_PREFIX } from "../../demo/demo-api.ts";
import { DEMO_TARGET, seedDemo } from "../../demo/seed.ts";
import { createEgress } from "../../egress/egress.ts";
import { startJobs } from "../../jobs/runner.ts";
import { MAIL_SIMULATOR_HOST, MAIL_SIMULATOR_PREFIX } from "../../simulator/mail-simulator.ts";
import { Scenario } from "../../simulator/people.ts";
import { tryPort } from "../free-port.ts";
import { openPlatform } from "../open-platform.ts";
import { INTERRUPTED, readerGone, stopSignal } from "../stop-signal.ts";
import { printSimulated, type Simulated, type TalkLine } from "./simulated-talk.ts";

/** How many times as fast as life the people are; the agent answers in its own time. */
const SPEED = 12;
const LONGEST_MS = 90_000;
/** Between two looks at whether a conversation is over. */
const LOOK_MS = 100;
/** A dialogue of texts or mails is over when nobody has said anything for so long. */
const SILENT_MS = 2000;

/**
 * Starts a platform of its own in a temporary folder, has a simulated person call the demo's agent, another write a text
 * to it and a third one a mail, prints what was said, and leaves nothing behind. The same seed, the same people.
 */
export async function simulate(wanted: { json: boolean; seed: number }): Promise<number> {
  const interrupt = stopSignal();
  const stop = AbortSignal.any([interrupt, readerGone()]);
  try {
    await run(wanted, stop);
  } catch (error) {
    if (!stop.aborted) throw error;
  }
  return interrupt.aborted ? INTERRUPTED : 0;
}

async function run({ json, seed }: { json: boolean; seed: number }, stop: AbortSignal): Promise<void> {
  await using open = new AsyncDisposableStack();
  const data_dir = await mkdtemp(path.join(tmpdir(), "parley-simulate-"));
  open.defer(() => rm(data_dir, { recursive: true, force: true }));
  const port = await tryPort({ host: "127.0.0.1", port: 0 });
  const { config, secrets } = readConfig({ DATA_DIR: data_dir, PORT: String(port) });
  const platform = await openPlatform(config, secrets, { log: silentLog, stop });
  open.defer(platform.close);
  const { db, pool } = platform.database;

  const connect = { host: "127.0.0.1", port };
  const routes = [
    { host: DEMO_HOST, connect, pathPrefix: DEMO_PREFIX },
    { host: SIMULATOR_HOST, connect, pathPrefix: SIMULATOR_PREFIX },
    { host: MAIL_SIMULATOR_HOST, connect, pathPrefix: MAIL_SIMULATOR_PREFIX },
  ];
  const egress = createEgress({ allow: config.egress_allow, routes });
  open.defer(() => egress.close());
  const app = await createApp({
    db,
    notices: platform.database.notices,
    clock: systemClock,
    log: silentLog,
    vault: platform.vault,
    egress,
    config,
    llmProviders: {},
    simulation: { scenario: Scenario.parse({ seed }), speed: SPEED },
  });
  open.defer(() => app.api.server.close());
  const first = await bootstrap(
    { db, clock: systemClock },
    { email: "admin@localhost", token: null },
    seedDemo({ clock: systemClock, vault: platform.vault }),
  );
  await app.api.server.listen({ host: "127.0.0.1", port });
  const jobs = await startJobs({ pool, log: silentLog, handlers: app.jobs });
  open.defer(() => jobs.stop());
  if (!first || !app.simulator) throw new Error("the demo could not be set up");

  const demo = await setUp(app, db, first.token);
  const account = simulatedAccount(platform.vault, demo.phone_channel).account_sid as string;
  if (!json) process.stdout.write("A demo agent and simulated people; nobody is really called.\n");
  const show = (simulated: Simulated) => printSimulated(simulated, json);

  const caller = demo.callers[seed % demo.callers.length] as string;
  const call = await app.simulator.call(account, { from: caller, to: demo.number });
  show({
    kind: "call",
    from: caller,
    to: demo.number,
    lines: await heard(db, caller, stop, callIsOver(app, call)),
  });

  const texter = "+15125550201";
  await app.simulator.text(account, { from: texter, to: demo.number, body: "Hi, I need an appointment." });
  show({ kind: "texts", from: texter, to: demo.number, lines: await heard(db, texter, stop, isSilent()) });

  const writer = "alex+01@people.example";
  const text = "Hello,\n\nI would like a check-up next Monday.\n\nAlex";
  const mail = { from: writer, to: demo.mail_address, subject: "Appointment", text };
  await app.mailing.simulator.write(demo.mail_channel, mail);
  show({
    kind: "mails",
    from: writer,
    to: demo.mail_address,
    lines: await heard(db, writer, stop, isSilent()),
  });
}

/** Channels for the demo's agent, made through the API as an operator makes them. */
async function setUp(app: App, db: Db, token: string) {
  // biome-ignore lint/suspicious/noExplicitAny: an answer of our own API
  const ask = async (method: "GET" | "POST", url: string, payload?: object): Promise<any> => {
    const headers = { [API_KEY_HEADER]: token };
    const answer = await app.api.server.inject({ method, url, headers, ...(payload && { payload }) });
    if (answer.statusCode === 200) return answer.json();
    throw new Fault("unavailable", `${method} ${url} answered ${answer.statusCode}: ${answer.body}`);
  };
  const { agent_id } = await db
    .selectFrom("channel_targets")
    .select("agent_id")
    .where("target", "=", DEMO_TARGET)
    .executeTakeFirstOrThrow();
  const phone = { name: "Simulated telephone", channel_service: "twilio", config: {} };
  const { id: phone_channel } = await ask("POST", "/api/v1/channels/", phone);
  const { phone_numbers } = await ask("GET", `/api/v1/channels/twilio/${phone_channel}/numbers`);
  const number: string = phone_numbers[0].phone_number;
  const mail_address = "clinic@demo.example";
  const mail = {
    name: "Simulated mail",
    channel_service: "email",
    config: { email: { sending_domain: "demo.example" } },
  };
  const { id: mail_channel } = await ask("POST", "/api/v1/channels/", mail);
  for (const [channel_id, target, target_mode] of [
    [phone_channel, number, "voice"],
    [phone_channel, number, "sms"],
    [mail_channel, mail_address, "email"],
  ]) {
    await ask("POST", `/api/v1/channels/${channel_id}/targets`, {
      agent_id,
      channel_id,
      target,
      target_mode,
    });
  }
  // One books in plain words, one talks slowly, one interrupts (docs/simulator.md).
  const callers = ["+15125550101", "+15125550107", "+15125550108"];
  return { phone_channel, mail_channel, number, mail_address, callers };
}

type IsOver = (lines: TalkLine[]) => boolean;

const callIsOver =
  ({ simulator }: App, sid: string): IsOver =>
  () =>
    simulator?.callStatus(sid) === "completed";

function isSilent(): IsOver {
  let known = 0;
  let since = performance.now();
  return (lines) => {
    if (lines.length !== known) {
      known = lines.length;
      since = performance.now();
    }
    return known > 1 && performance.now() - since > SILENT_MS;
  };
}

/** What was said in this person's sessions, once they are over. */
async function heard(db: Db, source: string, stop: AbortSignal, isOver: IsOver): Promise<TalkLine[]> {
  const until = performance.now() + LONGEST_MS;
  for (;;) {
    const { rows } = await sql<TalkLine>`
      select m.role, m.text from session_messages m join sessions s on s.id = m.session_id
      where s.source = ${source} order by s.id, m.seq`.execute(db);
    if (isOver(rows) || performance.now() > until) return rows;
    stop.throwIfAborted();
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  }
}
