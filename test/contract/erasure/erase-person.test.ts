import { sql } from "kysely";
import { beforeAll, describe, expect, test } from "vitest";
import { type ErasureDeps, runErasure } from "../../../src/erasure/erase-people.ts";
import { organizationJsonSealer } from "../../../src/redaction/text-sealer.ts";
import { converse } from "../../harness/agent.ts";
import { placesOf } from "../../harness/everywhere.ts";
import { sendForm } from "../../harness/form.ts";
import { createMailWorld } from "../../harness/mail.ts";
import { insertBatch, insertRequest, insertSession } from "../../harness/rows.ts";
import { createNumber, eventually, type SimulatedApp } from "../../harness/simulated.ts";
import { type Somebody, talkEverywhere } from "../../harness/talked-with.ts";
import { waitForLocks } from "../../harness/waiting.ts";

const ERASURES = "/api/v1/erasures/";

type World = Parameters<typeof talkEverywhere>[0];
let world: World;
let app: World["app"];
beforeAll(async () => {
  const made = await createMailWorld(null, {
    script: 'on /stop talking/ -> say "Goodbye."\notherwise -> say "Noted."',
  });
  app = made.app;
  const line = await createNumber(app as unknown as SimulatedApp, made.agent_id);
  world = { ...made, line, simulator: (app as unknown as SimulatedApp).simulator };
});

let people = 0;
const somebody = (): Somebody => {
  const n = ++people;
  return { number: `+151266700${10 + n}`, email: `erased${n}@example.com`, word: `chrysanthemum${n}` };
};
/** Asks for an erasure, which the job that runs here begins at once. */
async function erase(address: string) {
  const asked = await app.send("POST", ERASURES, { address });
  expect(asked).toMatchObject({ status: 200, body: { status: "PENDING" } });
  return finished(asked.body.id);
}
const finished = (id: number) =>
  eventually(
    async () => (await app.send("GET", `${ERASURES}${id}`)).body,
    ({ status }) => status === "COMPLETED" || status === "WAITING",
  );
const preview = async (address: string) => (await app.send("POST", `${ERASURES}preview`, { address })).body;

/** The stores that the word went through: if one of them is missing, the test below would prove too little. */
const EVERYWHERE = [
  "attempts.provider_status",
  "audit_entries.after",
  "events.description",
  "file: insights",
  "file: mail",
  "file: recordings",
  "file: takeouts",
  "insight_files.filename",
  "insight_files.metadata",
  "insight_outputs.string_value",
  "mail_messages.attachments",
  "mail_messages.from_name",
  "mail_messages.subject",
  "mail_messages.text",
  "number_lookups.facts",
  "recordings.source",
  "requests.request_variables",
  "session_labels.comments",
  "session_messages.text",
  "session_tool_calls.arguments",
  "session_tool_calls.result",
  "session_trace.label",
  "sessions.state",
  "text_messages.text",
  "webhook_deliveries.body",
  "webhook_inbox_messages.body",
  "webhook_tries.response_body",
];

describe("erasing a person", () => {
  test("leaves nothing of what was said, and no address, in any column of any table and in no file", async () => {
    const person = somebody();
    const other = somebody();
    await converse(app, world.agent_id)(`the word is ${other.word}`, { source: other.number });
    await talkEverywhere(world, person);
    await app.send("POST", "/api/v1/session_views/", {
      name: "One person",
      search_fields: ["source"],
      search_field_values: [person.number],
    });
    expect(await placesOf(app, person.number)).toContain("session_views.search_field_values");
    expect(await placesOf(app, person.word)).toEqual(expect.arrayContaining(EVERYWHERE));

    const planned = await preview(person.number);
    const untouched = await placesOf(app, other.word);
    const byNumber = await erase(person.number);
    const byMail = await erase(person.email);
    expect(byNumber).toMatchObject({ status: "COMPLETED", requested_by: app.admin.email });
    expect(byMail).toMatchObject({ status: "COMPLETED", counts: { mails: 2, sessions: 1 } });
    expect({ ...byNumber.counts, audit_entries_blanked: 0 }).toMatchObject({
      ...planned.counts,
      audit_entries_blanked: 0,
      sessions: 3,
      texts: 2,
      recordings: 1,
      requests: 2,
      attempts: 1,
      webhook_deliveries: 1,
      uploads: 1,
      exports: 1,
    });

    for (const text of [person.word, person.number, person.email])
      expect(await placesOf(app, text)).toEqual([]);
    expect(await placesOf(app, other.word)).toEqual(untouched.filter((place) => place !== "file: takeouts"));
    expect(await preview(person.number)).toMatchObject({ address_hash: byNumber.address_hash, counts: {} });
  });

  test("of one address erases all that their contact links, and the record, and leaves nothing in any column", async () => {
    const person = somebody();
    await talkEverywhere(world, person);
    const contact = `/api/v1/contacts/${encodeURIComponent(person.number)}`;
    await app.send("PUT", contact, { name: person.word, notes: `knows ${person.word}`, key: person.word });
    await app.send("POST", `${contact}/addresses`, { address: person.email });
    expect(await placesOf(app, person.word)).toEqual(
      expect.arrayContaining(["contacts.name", "contacts.notes", "contacts.key", "audit_entries.after"]),
    );
    const planned = await preview(person.number);
    expect(planned.counts).toMatchObject({ contacts: 1, mails: 2 });
    const erased = await erase(person.number);
    expect(erased).toMatchObject({ status: "COMPLETED", counts: { contacts: 1, mails: 2 } });
    for (const text of [person.word, person.number, person.email])
      expect(await placesOf(app, text)).toEqual([]);
    const other = await preview(person.email);
    expect(other).toMatchObject({ counts: {}, linked_hashes: [] });
    expect(erased.linked_hashes).toEqual([other.address_hash]);
    const found = `${ERASURES}?search_fields=address_hash&search_field_values=${other.address_hash}`;
    expect((await app.send("GET", found)).body.items).toMatchObject([{ id: erased.id }]);
  });

  test("that breaks off after any of its transactions goes on, and its counts are the same", async () => {
    const person = somebody();
    await talkEverywhere(world, person);
    const planned = await preview(person.number);
    const id = await asked(person.number);
    const deps: ErasureDeps = { ...app, dataDir: app.config.data_dir };
    const begun: string[] = [];
    for (let isOver = false; !isOver; ) {
      try {
        await runErasure(deps, id, (store) => {
          begun.push(store);
          throw new Error("the process dies here");
        });
        isOver = true;
      } catch (error) {
        expect(String(error)).toContain("dies here");
        if (begun.at(-1) === "files") break;
      }
    }
    await runErasure(deps, id);
    await runErasure(deps, id);
    expect(new Set(begun).size).toBeGreaterThan(7);
    const { body } = await app.send("GET", `${ERASURES}${id}`);
    expect(body).toMatchObject({ status: "COMPLETED" });
    expect({ ...body.counts, audit_entries_blanked: 0 }).toMatchObject({
      ...planned.counts,
      audit_entries_blanked: 0,
    });
    expect(await placesOf(app, person.number)).toEqual([]);
  });

  test("keeps opt-outs, without the words that led to them", async () => {
    const { number, word } = somebody();
    await app.send("POST", "/api/v1/suppressions/", { address: number, comment: word });
    const { counts } = await erase(number);
    expect(counts).toMatchObject({ suppressions_blanked: 1 });
    expect(await placesOf(app, word)).toEqual([]);
    expect(await placesOf(app, number)).toEqual(["suppressions.address"]);
  });

  test("waits while the agent answers, a call goes on or a campaign reaches them, and cuts nothing off", async () => {
    const person = somebody();
    const session = await talkEverywhere(world, person);
    const set = async (table: "sessions" | "calls" | "attempts", change: string) => {
      const which = { sessions: "id", calls: "session_id", attempts: "key" }[table];
      const value = table === "attempts" ? `'attempt-${session}'` : session;
      await sql.raw(`update ${table} set ${change} where ${which} = ${value}`).execute(app.db);
    };
    await set("sessions", "lease_owner = 'another', lease_expires_at = '2099-01-01'");
    await set("calls", "state = 'open'");
    await set("attempts", "state = 'PLACED'");
    const { id, ...waiting } = await erase(person.number);
    expect(waiting).toMatchObject({ status: "WAITING", counts: {}, waits_for: expect.any(String) });
    expect(await app.send("DELETE", `/api/v1/sessions/${session}`)).toMatchObject({ status: 409 });
    const look = async () => {
      await runErasure({ ...app, dataDir: app.config.data_dir }, id);
      return (await app.send("GET", `${ERASURES}${id}`)).body;
    };
    await set("sessions", "lease_owner = null, lease_expires_at = null");
    expect(await look()).toMatchObject({ status: "WAITING", waits_for: expect.stringContaining("call") });
    await set("calls", "state = 'ended'");
    expect(await look()).toMatchObject({ status: "WAITING", waits_for: expect.stringContaining("campaign") });
    expect(await placesOf(app, person.word)).toEqual(expect.arrayContaining(EVERYWHERE));
    // A step of the campaign at an address that nothing links with theirs.
    await set("attempts", "target = 'elsewhere@example.com'");
    expect(await look()).toMatchObject({ status: "WAITING", waits_for: expect.stringContaining("campaign") });
    expect(await placesOf(app, person.number)).toContain("requests.target");
    await set("attempts", "state = 'ENDED'");
    expect(await look()).toMatchObject({ status: "COMPLETED", waits_for: null });
    expect(await placesOf(app, person.number)).toEqual([]);
  });

  test("holds no request while it waits for its attempt, of which a carrier may tell late", async () => {
    const { number } = somebody();
    const batch_key = await insertBatch(app, `Late news of ${number}`);
    const done = { request_status: "COMPLETED", channel_manager_status: "COMPLETED" } as const;
    await insertRequest(app, batch_key, done, { target: number, reference_id: "told-late" });
    const request = await app.db
      .selectFrom("requests as r")
      .innerJoin("batches as b", "b.key", "r.batch_key")
      .select(["r.id", "b.campaign_id"])
      .where("b.key", "=", batch_key)
      .executeTakeFirstOrThrow();
    const { organization_id, sub_organization_id } = app.admin;
    await app.db
      .insertInto("attempts")
      .values({
        key: `late-${batch_key}`,
        organization_id,
        sub_organization_id,
        batch_key,
        campaign_id: request.campaign_id,
        request_id: request.id,
        reference_id: "told-late",
        attempt_number: 1,
        mode: "voice",
        agent_id: world.agent_id,
        channel_id: 1,
        channel_target_id: 1,
        source: world.line.number,
        target: number,
        is_test: false,
        state: "ENDED",
        holds_slot: false,
        channel_status: "COMPLETED",
        started_at: app.clock.now().toISOString(),
      })
      .execute();
    const erased = await app.db.transaction().execute(async (tx) => {
      await sql`select from attempts where key = ${`late-${batch_key}`} for update`.execute(tx);
      const asked = await app.send("POST", ERASURES, { address: number });
      await waitForLocks(app.database.pool, 1);
      await sql`select from requests where batch_key = ${batch_key} for update nowait`.execute(tx);
      return asked.body.id;
    });
    expect(await finished(erased)).toMatchObject({
      status: "COMPLETED",
      counts: { requests: 1, attempts: 1 },
    });
  });

  test("holds no delivery while it waits for its place in the outbox, whose try is being settled", async () => {
    const { number } = somebody();
    const batch_key = await insertBatch(app, `Told of ${number}`);
    const done = { request_status: "COMPLETED", channel_manager_status: "COMPLETED" } as const;
    await insertRequest(app, batch_key, done, { target: number });
    const { key } = (
      await sql<{ key: number }>`
        with told as (
          insert into webhook_deliveries (id, sub_organization_id, campaign_id, webhook_id, batch_key, request_id,
            attempt_count, channel_manager_status, is_test, state, body, created_at)
          select ${`msg_${number}`}, b.sub_organization_id, b.campaign_id, 1, b.key, r.id, 1, 'COMPLETED', false, 'WAITING',
            '{}', ${app.clock.now().toISOString()}
          from requests r join batches b on b.key = r.batch_key where r.target = ${number}
          returning key)
        insert into webhook_outbox (delivery_key, webhook_id, due_at)
        select key, 1, '2099-01-01' from told returning delivery_key as key`.execute(app.db)
    ).rows[0]!;
    const erased = await app.db.transaction().execute(async (tx) => {
      await sql`select from webhook_outbox where delivery_key = ${key} for update`.execute(tx);
      const asked = await app.send("POST", ERASURES, { address: number });
      await waitForLocks(app.database.pool, 1);
      await sql`select from webhook_deliveries where key = ${key} for update nowait`.execute(tx);
      return asked.body.id;
    });
    expect(await finished(erased)).toMatchObject({
      status: "COMPLETED",
      counts: { requests: 1, webhook_deliveries: 1 },
    });
  });

  test("takes requests that reach them by a later step of their campaign, sealed ones too, and nobody else's", async () => {
    const { number, email } = somebody();
    const batch_key = await insertBatch(app, `Steps to ${email}`);
    const { campaign_id } = await app.db
      .selectFrom("batches")
      .select("campaign_id")
      .where("key", "=", batch_key)
      .executeTakeFirstOrThrow();
    const step = (mode: string, address: string | null, source = world.line.number) => ({
      mode,
      source,
      address,
      wait: "1d",
      after: null,
    });
    const steps = [step("email", null, world.box.address), step("sms", "mobile")];
    await app.db
      .updateTable("campaigns")
      .set({ cadence: JSON.stringify({ steps }) })
      .where("id", "=", campaign_id)
      .execute();
    const seals = (seal_texts: boolean) => app.send("PUT", "/api/v1/organizations/privacy", { seal_texts });
    await seals(true);
    const seal = await organizationJsonSealer(app.db, app.vault, app.admin.sub_organization_id);
    await seals(false);
    const national = number.replace(/^\+1(...)(...)/, "($1) $2-");
    const named: Record<string, object> = {
      due: { step: 1, step_target: email },
      mailed_later: { request_variables: JSON.stringify({ email: ` ${email.toUpperCase()}` }) },
      texted_later: { request_variables: JSON.stringify({ "vars.mobile": national }) },
      sealed: { request_variables: seal?.(JSON.stringify({ email })) },
      reached: {},
      reached_elsewhere: { request_variables: JSON.stringify({ email: "elsewhere@example.com" }) },
      mentioned: { request_variables: JSON.stringify({ referred_by: email, friend: national }) },
    };
    const waiting = { request_status: "PENDING", channel_manager_status: "PENDING" } as const;
    for (const [reference_id, more] of Object.entries(named))
      await insertRequest(app, batch_key, waiting, { reference_id, ...more });
    const left = () =>
      app.db
        .selectFrom("requests")
        .select(["id", "reference_id"])
        .where("batch_key", "=", batch_key)
        .execute();
    const id = (await left()).find(({ reference_id }) => reference_id === "reached")?.id;
    const { organization_id, sub_organization_id } = app.admin;
    await app.db
      .insertInto("attempts")
      .values({
        key: `step-${batch_key}`,
        organization_id,
        sub_organization_id,
        campaign_id,
        batch_key,
        request_id: id as number,
        reference_id: "reached",
        attempt_number: 2,
        mode: "email",
        step: 1,
        agent_id: world.agent_id,
        channel_id: 1,
        channel_target_id: 1,
        source: world.box.address,
        target: email,
        is_test: false,
        state: "PLACED",
        holds_slot: false,
        channel_status: "PROCESSED",
        started_at: app.clock.now().toISOString(),
      })
      .execute();

    const planned = await preview(email);
    expect(planned).toMatchObject({
      counts: { requests: 4 },
      waits_for: expect.stringContaining("campaign"),
    });
    const erased = await erase(email);
    expect(erased).toMatchObject({ status: "WAITING", counts: {} });
    await sql`update attempts set state = 'ENDED' where batch_key = ${batch_key}`.execute(app.db);
    await runErasure({ ...app, dataDir: app.config.data_dir }, erased.id);
    expect(await finished(erased.id)).toMatchObject({
      status: "COMPLETED",
      counts: { requests: 4, attempts: 1 },
    });
    expect(await erase(number)).toMatchObject({ status: "COMPLETED", counts: { requests: 1 } });
    expect((await left()).map(({ reference_id }) => reference_id)).toEqual([
      "reached_elsewhere",
      "mentioned",
    ]);
  });

  test("finds visitors of chats whose site calls them by the e-mail address in another case", async () => {
    const { email } = somebody();
    const [own, claimed] = [email.replace("erased", "Erased"), email.toUpperCase()];
    const chat = (more: object) => insertSession(app, { channel: "chat", ...more });
    await chat({ source: own });
    await chat({ source: "visitor-1", claimed_user: claimed });
    const other = await chat({ source: `x${own}` });
    expect(await preview(email)).toMatchObject({ counts: { sessions: 2 } });
    expect(await erase(email)).toMatchObject({ status: "COMPLETED", counts: { sessions: 2 } });
    await app.db.deleteFrom("sessions").where("id", "=", other).execute();
    expect(await placesOf(app, email)).toEqual([]);
  });

  test("finds uploads whose number is written in any way, and no other's", async () => {
    const { number, word } = somebody();
    const [, area, exchange, line] = /^\+1(...)(...)(....)$/.exec(number) ?? [];
    const ways = [
      `(${area}) ${exchange}-${line}`,
      `1.${area}.${exchange}.${line}`,
      `+1 ${area} ${exchange}  ${line} `,
    ];
    const others = [`${exchange}-${line}`, `+44 ${area} ${exchange} ${line}`, `${number}0`];
    const { body: folder } = await app.send("POST", "/api/v1/insights/folders/", { name: `of ${word}` });
    const files = `/api/v1/insights/folders/${folder.id}/files`;
    for (const customer_number of [number, ...ways, ...others]) {
      const query = new URLSearchParams({ call_id: `${word} ${customer_number}`, customer_number });
      const path = `/api/v1/insights/folders/${folder.id}/upload-file?${query}`;
      const file = { filename: "call.txt", content: Buffer.from("Agent: hello") };
      expect(await sendForm(app, "POST", path, { file })).toMatchObject({ status: 200 });
    }
    expect(await preview(number)).toMatchObject({ counts: { uploads: 4 } });
    expect(await erase(number)).toMatchObject({ status: "COMPLETED", counts: { uploads: 4 } });
    const left = (await app.send("GET", files)).body.items.map(
      ({ customer_number }: { customer_number: string }) => customer_number,
    );
    expect(left).toEqual(others);
  });

  test("leaves alone a call that begins while it runs, and waits for its end", async () => {
    const person = somebody();
    const session = await talkEverywhere(world, person);
    const id = await asked(person.number);
    let isCalled: Promise<unknown> | null = null;
    const deps = { ...app, dataDir: app.config.data_dir };
    await runErasure(deps, id, async (store) => {
      if (store !== "requests") return;
      isCalled ??= sql`update calls set state = 'open' where session_id = ${session}`.execute(app.db);
      await isCalled;
    });
    expect(isCalled).not.toBeNull();
    const { body } = await app.send("GET", `${ERASURES}${id}`);
    expect(body).toMatchObject({ status: "WAITING", counts: { sessions: 2 } });
    expect(await placesOf(app, person.word)).toContain("session_messages.text");
    await sql`update calls set state = 'ended' where session_id = ${session}`.execute(app.db);
    await runErasure(deps, id);
    expect(await finished(id)).toMatchObject({ status: "COMPLETED", counts: { sessions: 3 } });
    expect(await placesOf(app, person.number)).toEqual([]);
  });

  test("deletes what an attempt and a call began while it ran, also where both were over before it was done", async () => {
    const person = somebody();
    const session = await talkEverywhere(world, person);
    const id = await asked(person.number);
    const batch_key = await insertBatch(app, `Begun and over with ${person.word}`);
    const { campaign_id } = await app.db
      .selectFrom("batches")
      .select("campaign_id")
      .where("key", "=", batch_key)
      .executeTakeFirstOrThrow();
    const setState = async (attempt: "PLACED" | "ENDED", call: "open" | "ended") => {
      await sql`update attempts set state = ${attempt} where batch_key = ${batch_key}`.execute(app.db);
      await sql`update calls set state = ${call} where session_id = ${session}`.execute(app.db);
    };
    const steps: string[] = [];
    await runErasure({ ...app, dataDir: app.config.data_dir }, id, async (store) => {
      steps.push(store);
      if (steps.length === 1) {
        const waiting = { request_status: "PENDING", channel_manager_status: "BUSY" } as const;
        await insertRequest(app, batch_key, waiting, { reference_id: "again", target: person.number });
        const { organization_id, sub_organization_id } = app.admin;
        await app.db
          .insertInto("attempts")
          .values({
            key: `begun-${batch_key}`,
            organization_id,
            sub_organization_id,
            campaign_id,
            batch_key,
            request_id: sql`(select id from requests where batch_key = ${batch_key})`,
            reference_id: "again",
            attempt_number: 1,
            mode: "voice",
            agent_id: world.agent_id,
            channel_id: 1,
            channel_target_id: 1,
            source: "+15125550100",
            target: person.number,
            is_test: false,
            state: "PLACED",
            holds_slot: false,
            channel_status: "IN-PROGRESS",
            started_at: app.clock.now().toISOString(),
          })
          .execute();
        await setState("PLACED", "open");
      }
      if (steps.includes("sessions") && store !== "sessions") await setState("ENDED", "ended");
    });
    expect(steps).toContain("sessions");
    expect(steps.at(-1)).toBe("files");
    expect(await finished(id)).toMatchObject({ status: "COMPLETED", counts: { sessions: 3 } });
    const left = await app.db
      .selectFrom("requests")
      .select("id")
      .where("batch_key", "=", batch_key)
      .execute();
    expect(left).toEqual([]);
    expect(await placesOf(app, person.number)).toEqual([]);
  });

  test("a legal hold on a session that is just being deleted, a label, and deleting it once more find none", async () => {
    const label = { type: "human-rating", code: "GOOD", user_email: app.admin.email };
    const requests = [
      (id: number) => app.send("POST", "/api/v1/session_labels/", { session_id: id, ...label }),
      (id: number) => app.send("PUT", `/api/v1/sessions/${id}/legal_hold`, { held: true }),
      (id: number) => app.send("DELETE", `/api/v1/sessions/${id}`),
    ];
    for (const request of requests) {
      const id = await insertSession(app, { ended_at: "2026-11-18T12:00:00Z" });
      const [answered] = await app.db.transaction().execute(async (tx) => {
        await tx.deleteFrom("sessions").where("id", "=", id).execute();
        const answer = request(id);
        await waitForLocks(app.database.pool, 1);
        return [answer];
      });
      expect(await answered).toMatchObject({ status: 404 });
    }
  });

  test("and deleting a session stop at a legal hold, which says who set it", async () => {
    const { number } = somebody();
    const session = await insertSession(app, { source: number, ended_at: "2026-11-18T12:00:00Z" });
    const hold = `/api/v1/sessions/${session}/legal_hold`;
    expect((await app.send("PUT", hold, { held: true, reason: "Case 12" })).body).toMatchObject({
      held: true,
      held_by: app.admin.email,
      reason: "Case 12",
    });
    expect(await app.send("DELETE", `/api/v1/sessions/${session}`)).toMatchObject({ status: 409 });
    expect(await erase(number)).toMatchObject({
      status: "WAITING",
      waits_for: expect.stringContaining("legal hold"),
    });
    expect((await app.send("PUT", hold, { held: false })).body).toMatchObject({ held: false, held_by: null });
    expect(await app.send("DELETE", `/api/v1/sessions/${session}`)).toMatchObject({ status: 200 });
    expect(await app.send("GET", `/api/v1/sessions/${session}`)).toMatchObject({ status: 404 });
  });

  test("reaches nobody of another organization, and none of the organization's own numbers", async () => {
    const { number, word } = somebody();
    await converse(app, world.agent_id)(word, { source: number });
    const neighbour = await app.createNeighbour();
    const theirs = await neighbour.send("POST", ERASURES, { address: number });
    await eventually(
      async () => (await neighbour.send("GET", `${ERASURES}${theirs.body.id}`)).body.status,
      (status) => status === "COMPLETED",
    );
    expect(await placesOf(app, word)).toContain("session_messages.text");
    const { rows } = await sql<{ id: number }>`select id from sessions where source = ${number}`.execute(
      app.db,
    );
    expect(await neighbour.send("DELETE", `/api/v1/sessions/${rows[0]?.id}`)).toMatchObject({ status: 404 });
    expect(await app.send("POST", ERASURES, { address: world.line.number })).toMatchObject({ status: 422 });
    expect(await app.send("POST", ERASURES, { address: "+1" })).toMatchObject({ status: 422 });
  });
});

/** An erasure that no job has begun. */
async function asked(address: string): Promise<number> {
  const held = await insertSession(app, { source: address, legal_hold_at: "2026-11-18T12:00:00Z" });
  const { id } = await erase(address);
  await app.db.deleteFrom("sessions").where("id", "=", held).execute();
  return id;
}
