import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { sql } from "kysely";
import type { Simulator } from "../../src/simulator/simulator.ts";
import { converse } from "./agent.ts";
import type { createMailWorld } from "./mail.ts";
import { settledMails } from "./mail.ts";
import { insertBatch, insertOutput, insertSession } from "./rows.ts";
import { type createNumber, eventually, textsWith } from "./simulated.ts";

type World = Awaited<ReturnType<typeof createMailWorld>> & {
  line: Awaited<ReturnType<typeof createNumber>>;
  simulator: Simulator;
};
export type Somebody = { number: string; email: string; word: string };

/** Sends one word from one person through every store that there is. Resolves with their telephone session. */
export async function talkEverywhere(world: World, { number, email, word }: Somebody): Promise<number> {
  const { app, agent_id, box, line, simulator } = world;
  const now = app.clock.now().toISOString();
  const { sub_organization_id, organization_id } = app.admin;
  const data = (name: string) => path.join(app.config.data_dir, name);
  const fileWith = (folder: string, name: string) => {
    mkdirSync(data(folder), { recursive: true });
    writeFileSync(path.join(data(folder), name), `RIFF ${word}`);
  };

  // Chat, text and mail, as people write them.
  await converse(app, agent_id)(`chat ${word}`, { source: number });
  await simulator.text(line.account_sid, { from: number, to: line.number, body: `text ${word}` });
  await eventually(
    () => textsWith(app, number),
    (texts) => texts.length === 2 && texts.every(({ status }) => status !== "RECEIVED"),
  );
  await app.deliver({
    from: `${word} <${email}>`,
    to: box.address,
    subject: word,
    text: `mail ${word}`,
    messageId: `<${Math.random()}@example.com>`,
    attachments: [{ filename: `${word}.txt`, content: `attached ${word}` }],
  });
  await settledMails(app, email);

  // A call with everything that is kept of one.
  const session_id = await insertSession(app, {
    channel: "voice",
    source: number,
    target: line.number,
    ended_at: now,
    end_reason: "user",
    state: JSON.stringify({ variables: { word } }),
  });
  const of = { session_id, turn_index: 0, timestamp: now };
  await app.db
    .insertInto("session_messages")
    .values({ ...of, seq: 0, role: "user", text: word })
    .execute();
  await app.db
    .insertInto("session_tool_calls")
    .values({
      ...of,
      seq: 1,
      round: 0,
      tool_call_id: "call_1",
      tool_name: "note",
      arguments: JSON.stringify({ word }),
      result: JSON.stringify(word),
      duration_ms: 1,
    })
    .execute();
  await app.db
    .insertInto("session_trace")
    .values({ session_id, category: "note", label: word, measurement_start: now, timestamp: now })
    .execute();
  await app.db
    .insertInto("session_notes")
    .values({ session_id, text: `whispered ${word}`, written_by: app.admin.email, written_at: now })
    .execute();
  await app.send("POST", "/api/v1/session_labels/", {
    session_id,
    type: "human-rating",
    code: "GOOD",
    user_email: app.admin.email,
    comments: word,
  });
  fileWith("recordings", `${word}.wav`);
  const recording = { session_id, content_type: "audio/wav", created_at: now };
  await app.db
    .insertInto("recordings")
    .values({
      ...recording,
      file_name: `${word}.wav`,
      source: `https://carrier.example/${word}`,
      size_bytes: 20,
    })
    .execute();
  await app.db
    .insertInto("calls")
    .values({
      sub_organization_id,
      session_id,
      channel_id: line.channel_id,
      carrier: "simulator",
      sid: `CA${word}`,
      is_outbound: false,
      number,
      state: "ended",
      answered_at: now,
      ended_at: now,
    })
    .execute();
  await insertOutput(app, session_id, "summary", { string_value: `said ${word}` });
  await app.db
    .insertInto("events")
    .values({ sub_organization_id, timestamp: now, user_id: number, description: `event ${word}` })
    .execute();

  // A campaign's request with its attempt, its delivery, and the inbox that kept it.
  const batch_key = await insertBatch(app, `Campaign of ${session_id}`);
  const { campaign_id } = await app.db
    .selectFrom("batches")
    .select("campaign_id")
    .where("key", "=", batch_key)
    .executeTakeFirstOrThrow();
  const { id: request_id } = await app.db
    .insertInto("requests")
    .values(
      ["COMPLETED", "DUPLICATE"].map((request_status) => ({
        batch_key,
        reference_id: "one",
        target: number,
        request_status: request_status as "COMPLETED",
        channel_manager_status: "COMPLETED" as const,
        created_at: now,
        request_variables: JSON.stringify({ word }),
      })),
    )
    .returning("id")
    .executeTakeFirstOrThrow();
  await app.db
    .insertInto("test_outreach")
    .values({
      key: `f-${session_id}`,
      organization_id,
      sub_organization_id,
      campaign_id,
      target: number,
      outreach: JSON.stringify({ mode: "voice", target: number, variables: { word } }),
      state: "SENT",
      channel_status: "COMPLETED",
      status_at: now,
      session_id,
      started_by: app.admin.email,
      started_at: now,
    })
    .execute();
  await app.db
    .insertInto("attempts")
    .values({
      key: `attempt-${session_id}`,
      organization_id,
      sub_organization_id,
      campaign_id,
      batch_key,
      request_id,
      reference_id: "one",
      attempt_number: 1,
      mode: "voice",
      agent_id,
      channel_id: line.channel_id,
      channel_target_id: 1,
      source: line.number,
      target: number,
      is_test: false,
      state: "ENDED",
      holds_slot: false,
      channel_status: "COMPLETED",
      provider_status: word,
      started_at: now,
      ended_at: now,
    })
    .execute();
  const { key: delivery_key } = await app.db
    .insertInto("webhook_deliveries")
    .values({
      id: `msg_${session_id}`,
      sub_organization_id,
      campaign_id,
      webhook_id: 1,
      batch_key,
      request_id,
      attempt_count: 1,
      channel_manager_status: "COMPLETED",
      is_test: false,
      state: "DELIVERED",
      body: JSON.stringify({ target: number, word }),
      created_at: now,
    })
    .returning("key")
    .executeTakeFirstOrThrow();
  await app.db
    .insertInto("webhook_tries")
    .values({
      delivery_key,
      at: now,
      duration_ms: 1,
      method: "POST",
      url: "https://crm.example",
      request_headers: "{}",
      response_body: word,
    })
    .execute();
  await app.send("POST", "/api/v1/outbound/webhook_inboxes", { name: `inbox-${session_id}` });
  const inbox = await app.db
    .selectFrom("webhook_inboxes")
    .select("id")
    .where("name", "=", `inbox-${session_id}`)
    .executeTakeFirstOrThrow();
  await app.db
    .insertInto("webhook_inbox_messages")
    .values({
      inbox_id: inbox.id,
      received_at: now,
      method: "POST",
      headers: "{}",
      body: JSON.stringify({ target: number, word }),
      answered_status: 200,
    })
    .execute();
  await app.db
    .insertInto("number_lookups")
    .values({
      organization_id,
      number,
      fields: sql`'{caller_name}'`,
      facts: JSON.stringify({ caller_name: word }),
      looked_up_at: now,
    })
    .execute();

  // A recording that was uploaded for analysis.
  const folder = await app.send("POST", "/api/v1/insights/folders/", { name: `Folder ${session_id}` });
  fileWith("insights", `${session_id}.wav`);
  await app.db
    .insertInto("insight_files")
    .values({
      sub_organization_id,
      folder_id: folder.body.id,
      filename: `${word}.wav`,
      object_key: `insights/${session_id}.wav`,
      media_type: "audio/wav",
      size_bytes: 20,
      call_id: `call-${session_id}`,
      customer_number: number,
      metadata: JSON.stringify({ word }),
      created_at: now,
    })
    .execute();

  // Work that waits, and an export of everything.
  await sql`
    select graphile_worker.add_job('go-on-with-texts', ${JSON.stringify({ channel_target_id: line.targets.sms, source: number })}::json,
      run_at => now() + interval '1 day', flags => ${[`tenant:${sub_organization_id}`]}::text[],
      queue_name => ${`texts:${line.targets.sms}:${number}`}::text)`.execute(app.db);
  const { job_id } = (await app.send("POST", "/api/v1/takeouts/create")).body;
  await eventually(
    async () => (await app.send("GET", `/api/v1/takeouts/get/${job_id}`)).body.status,
    (status) => status === "completed",
  );
  return session_id;
}
