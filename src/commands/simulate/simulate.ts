import { sql } from "kysely";
import { API_KEY_HEADER } from "../../api/server.ts";
import type { App } from "../../app/parts.ts";
import { Fault } from "../../base/errors.ts";
import { silentLog } from "../../base/log.ts";
import { simulatedAccount } from "../../carriers/simulator-account.ts";
import type { Db } from "../../db/database.ts";
import { DEMO_TARGET } from "../../demo/seed.ts";
import { isAtWork } from "../../jobs/at-work.ts";
import { startJobs } from "../../jobs/runner.ts";
import { Scenario } from "../../simulator/people.ts";
import { openDemoProgram } from "../demo-program.ts";
import { INTERRUPTED, readerGone, stopSignal } from "../stop-signal.ts";
import { type HeardTalk, hearToTheEnd } from "./hear-to-the-end.ts";
import { printSimulated, type Simulated, type TalkLine } from "./simulated-talk.ts";

/** How many times as fast as life the people are; the agent answers in its own time. */
const SPEED = 12;
const LONGEST_MS = 300_000;
/** Between two looks at whether a conversation is over. */
const LOOK_MS = 100;
/** A dialogue of texts or mails is over when nobody had anything to do for so long. */
const SILENT_MS = 1000;

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
  const simulation = { scenario: Scenario.parse({ seed }), speed: SPEED };
  const { app, database, vault, token } = await openDemoProgram(open, { stop, simulation });
  const { db, pool } = database;
  const jobs = await startJobs({ pool, log: silentLog, handlers: app.jobs });
  open.defer(() => jobs.stop());
  if (!app.simulator) throw new Error("the demo has no simulator");

  const demo = await setUp(app, db, token);
  const account = simulatedAccount(vault, demo.phone_channel).account_sid as string;
  if (!json) process.stdout.write("A demo agent and simulated people; nobody is really called.\n");
  const show = (simulated: Simulated) => printSimulated(simulated, json);

  const caller = demo.callers[seed % demo.callers.length] as string;
  const call = await app.simulator.call(account, { from: caller, to: demo.number });
  show({
    kind: "call",
    from: caller,
    to: demo.number,
    ...(await heard(db, caller, stop, callIsOver(app, call))),
  });

  const texter = "+15125550201";
  await app.simulator.text(account, { from: texter, to: demo.number, body: "Hi, I need an appointment." });
  show({
    kind: "texts",
    from: texter,
    to: demo.number,
    ...(await heard(db, texter, stop, isSilent(app, db))),
  });

  const writer = "alex+01@people.example";
  const text = "Hello,\n\nI would like a check-up next Monday.\n\nAlex";
  const mail = { from: writer, to: demo.mail_address, subject: "Appointment", text };
  await app.mailing.simulator.write(demo.mail_channel, mail);
  show({
    kind: "mails",
    from: writer,
    to: demo.mail_address,
    ...(await heard(db, writer, stop, isSilent(app, db))),
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

type IsOver = (lines: TalkLine[]) => boolean | Promise<boolean>;

const callIsOver =
  ({ simulator }: App, sid: string): IsOver =>
  () =>
    simulator?.callStatus(sid) === "completed";

/** Neither the agent nor the person is about to write, however long either takes. */
function isSilent({ simulator, mailing }: App, db: Db): IsOver {
  let since = performance.now();
  return async (lines) => {
    const isIdle = simulator?.isIdle() && mailing.simulator.schedule.isIdle && !(await isAtWork(db));
    if (!isIdle || lines.length < 2) since = performance.now();
    return performance.now() - since > SILENT_MS;
  };
}

/** What was said in this person's sessions, once they are over. */
const heard = (db: Db, source: string, stop: AbortSignal, isOver: IsOver): Promise<HeardTalk> =>
  hearToTheEnd({
    stop,
    isOver,
    look_ms: LOOK_MS,
    longest_ms: LONGEST_MS,
    async read() {
      const { rows } = await sql<TalkLine>`
        select m.role, m.text from session_messages m join sessions s on s.id = m.session_id
        where s.source = ${source} order by s.id, m.seq`.execute(db);
      return rows;
    },
  });
