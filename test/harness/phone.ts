import { sql } from "kysely";
import { vi } from "vitest";
import type { AnsweredCall, IncomingCall } from "../../src/calls/voice-calls.ts";
import type { CallInput, CallOutput } from "../../src/channels/call-socket.ts";
import { type MediaReport, traceOfLine } from "../../src/media/line-report.ts";
import type { VoiceUse } from "../../src/media/voice-use.ts";
import { createAgent } from "./agent.ts";
import type { TestApp } from "./app.ts";
import { WAITING } from "./waiting.ts";

let counter = 0;

/** A number of a voice channel with an agent behind it. */
export async function createNumber(
  app: TestApp,
  options: Parameters<typeof createAgent>[1] & {
    telephony?: object;
    fallback_target?: string;
    is_test?: boolean;
  },
) {
  const agent = await createAgent(app, options);
  const n = ++counter;
  const number = `+1512555${String(1000 + n)}`;
  const channel = await app.send("POST", "/api/v1/channels/", {
    name: `Voice ${n}`,
    channel_service: "sip",
    config: { telephony: options.telephony ?? null },
  });
  const target = await app.send("POST", `/api/v1/channels/${channel.body.id}/targets`, {
    agent_id: agent.agent_id,
    channel_id: channel.body.id,
    target: number,
    target_mode: "voice",
    fallback_target: options.fallback_target ?? null,
    is_test: options.is_test ?? false,
  });
  if (target.status !== 200) throw new Error(JSON.stringify(target.body));
  return { ...agent, number, channel_id: channel.body.id as number, target_id: target.body.id as number };
}

export const incoming = (to: string, more: Partial<IncomingCall> = {}): IncomingCall => ({
  carrier: "test carrier",
  sid: `CA${++counter}`,
  key: null,
  from: "+14155550199",
  to,
  ...more,
});

/** The person's end of an open line: what they hear, and what they do. */
export type Phone = {
  session_id: number;
  outputs: CallOutput[];
  does(...inputs: CallInput[]): void;
  /** What a line of our own tells of itself. */
  reports(report: MediaReport, at: Date): void;
  says(text: string): void;
  presses(digits: string): void;
  /** Waits until so much more was said than was heard before; gives it, and has the carrier say it was played. */
  hears(count?: number): Promise<string[]>;
  /** The same, but it goes on being played. */
  beginsToHear(count?: number): Promise<string[]>;
  /** Waits until the line is given up by us; with what should follow. */
  isLeft(): Promise<unknown>;
};

/** What a test needs of the program, or of another process of it. */
type Callee = Pick<TestApp, "db" | "voiceCalls">;

export async function pickUp(app: Callee, call: IncomingCall): Promise<Phone> {
  const answered = await app.voiceCalls.answer(call);
  if (!answered || "dial" in answered) throw new Error(`not answered: ${JSON.stringify(answered)}`);
  return openPhone(app, call, answered);
}

/** `use`: what is heard and spoken on the line, and its price. */
export async function openPhone(
  app: Callee,
  call: IncomingCall,
  answered: AnsweredCall,
  use?: () => VoiceUse,
): Promise<Phone> {
  const outputs: CallOutput[] = [];
  let heard = 0;
  const line = await app.voiceCalls.open(answered.call_id, answered.token, {
    send: (output) => outputs.push(output),
    close: () => {},
    ...(use && { use }),
  });
  if (!line) throw new Error("the line was refused");
  const { session_id } = await app.db
    .selectFrom("calls")
    .select("session_id")
    .where("id", "=", Number(answered.call_id))
    .executeTakeFirstOrThrow();
  const said = () => outputs.flatMap((output) => (output.type === "say" && output.text ? [output.text] : []));
  const phone: Phone = {
    session_id,
    outputs,
    does: (...inputs) => {
      for (const input of inputs) line.input(input);
    },
    reports: (report, at) => line.observe(...traceOfLine(report, at)),
    says: (text) => line.input({ type: "speech", text, final: true, lang: null }),
    presses: (digits) => {
      for (const digit of digits) line.input({ type: "digit", digit });
    },
    async beginsToHear(count = 1) {
      await vi.waitFor(() => {
        if (said().length < heard + count)
          throw new Error(`heard ${JSON.stringify(said().slice(heard))}, waiting for ${count}`);
      }, WAITING);
      const news = said().slice(heard);
      heard += news.length;
      return news;
    },
    async hears(count = 1) {
      const news = await phone.beginsToHear(count);
      await quiet(app, session_id);
      const more = said().slice(heard);
      heard += more.length;
      line.input({ type: "played" });
      return [...news, ...more];
    },
    async isLeft() {
      return vi.waitFor(() => {
        const end = outputs.find((output) => output.type === "end");
        if (end?.type !== "end") throw new Error("the line is not given up");
        return end.next;
      }, WAITING);
    },
  };
  line.input({ type: "open", sid: call.sid });
  return phone;
}

/** Until no turn of the session runs. */
export async function quiet(app: Pick<TestApp, "db">, session_id: number): Promise<void> {
  await vi.waitFor(async () => {
    const session = await app.db
      .selectFrom("sessions")
      .select("lease_owner")
      .where("id", "=", session_id)
      .executeTakeFirstOrThrow();
    if (session.lease_owner !== null) throw new Error("a turn runs");
    // Its commit is seen before whoever committed is told; what follows from it comes only then. A connection calls itself
    // idle before it has told, and reads only after that.
    const { rows } = await sql`
        select from pg_stat_activity
        where datname = current_database() and pid <> pg_backend_pid() and backend_type = 'client backend'
          and (state, wait_event) is distinct from ('idle', 'ClientRead')`.execute(app.db);
    if (rows.length > 0) throw new Error("something is being stored");
  }, WAITING);
  await new Promise((resolve) => setImmediate(resolve));
}

/** What was said, as the transcript has it, with who said it. */
export async function transcriptOf(app: TestApp, session_id: number): Promise<string[]> {
  const { body } = await app.send("GET", `/api/v1/sessions/transcript/${session_id}`);
  return body.transcription.map((line: { source: string; text: string }) => `${line.source}: ${line.text}`);
}

/** The session's row once it has ended. */
export async function endOf(app: Pick<TestApp, "db">, session_id: number) {
  return vi.waitFor(async () => {
    const row = await app.db
      .selectFrom("sessions")
      .select(["ended_at", "end_reason", "user_terminated", "duration", "transfer_voicemail_detected"])
      .where("id", "=", session_id)
      .executeTakeFirstOrThrow();
    if (row.ended_at === null) throw new Error("the session goes on");
    return row;
  }, WAITING);
}

/** The events of a session of one type, oldest first. */
export async function eventsOf(app: TestApp, session_id: number, type: string) {
  const { body } = await app.send(
    "GET",
    `/api/v1/events/?search_fields=session_id&search_field_values=${session_id}&limit=100`,
  );
  return body.items.filter((event: { type: string }) => event.type === type).reverse();
}
