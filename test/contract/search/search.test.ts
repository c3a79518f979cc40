import { beforeAll, describe, expect, test } from "vitest";
import { json } from "../../../src/db/database.ts";
import { indexSomeOlder } from "../../../src/search/index-jobs.ts";
import { converse, createAgent } from "../../harness/agent.ts";
import { createTestApp, type Send, type TestApp } from "../../harness/app.ts";
import { endpointTool } from "../../harness/endpoint-tool.ts";
import { createPeer } from "../../harness/peer.ts";
import { insertSession } from "../../harness/rows.ts";

let app: TestApp;
beforeAll(async () => {
  app = await createTestApp();
});

type Spoken = { user?: string; agent?: string; lang?: string };
type More = { said?: Spoken[]; calls?: { tool: string; error?: string }[]; state?: object };

/** A session that is over and indexed, with what was said and called. */
async function ended({ said = [], calls = [], state = {}, ...more }: More & Record<string, unknown> = {}) {
  const at = app.clock.now().toISOString();
  const id = await insertSession(app, { ended_at: at, end_reason: "user", state: json(state), ...more });
  for (const [seq, { user, agent, lang = "en-US" }] of said.entries())
    await app.db
      .insertInto("session_messages")
      .values({
        session_id: id,
        seq,
        turn_index: seq,
        role: user === undefined ? "agent" : "user",
        text: user ?? agent ?? "",
        lang,
        timestamp: at,
      })
      .execute();
  for (const [seq, { tool, error = null }] of calls.entries())
    await app.db
      .insertInto("session_tool_calls")
      .values({
        session_id: id,
        seq: 1_000 + seq,
        turn_index: seq,
        round: 0,
        tool_call_id: `call-${id}-${seq}`,
        tool_name: tool,
        arguments: json({}),
        error,
        timestamp: at,
        duration_ms: 1,
      })
      .execute();
  await index(id);
  return String(id);
}
const index = (session_id: number) => jobOf("index-session").run({ session_id }, {} as never);
const jobOf = (name: string) => {
  const found = app.jobs.find(({ job }) => job.name === name);
  if (!found) throw new Error(`no job ${name}`);
  return found;
};

const search = (pairs: Record<string, string>, more = "", send: Send = app.send) =>
  send(
    "GET",
    `/api/v1/sessions/search?${Object.entries(pairs)
      .map(([field, value]) => `search_fields=${field}&search_field_values=${encodeURIComponent(value)}`)
      .join("&")}${more}`,
  );
const ids = async (pairs: Record<string, string>, more = "") =>
  (await search(pairs, more)).body.items.map((row: { session_id: string }) => row.session_id);

describe("words of transcripts", () => {
  test("are found whatever their form, by the rules of the session's language, and shown in their sentence", async () => {
    const english = await ended({
      said: [{ agent: "Hello." }, { user: "Hi. My bookings were cancelled, why?" }],
    });
    const german = await ended({
      said: [{ user: "Ich möchte zwei Häuser besichtigen.", lang: "unset" }],
      state: { language: "de-DE" },
    });
    const { body } = await search({ words: "booking" });
    expect(body.items).toMatchObject([
      {
        session_id: english,
        title: "Hi.",
        found: { source: "user", text: "My bookings were cancelled, why?", marks: [{ from: 3, to: 11 }] },
      },
    ]);
    expect(await ids({ words: "haus" })).toEqual([german]);
    expect(await ids({ words: "houses" })).toEqual([]);
  });

  test("may be a phrase, one of several, or left out", async () => {
    const both = await ended({ said: [{ user: "The zebra crossing is closed." }] });
    const other = await ended({ said: [{ user: "Crossing the zebra." }] });
    expect(await ids({ words: '"zebra crossing"' })).toEqual([both]);
    expect(await ids({ words: "zebra -closed" })).toEqual([other]);
    expect((await ids({ words: "closed or zebra" })).toSorted()).toEqual([both, other].toSorted());
  });

  test("in scripts without spaces are found one by one", async () => {
    const id = await ended({ said: [{ user: "予約を変更したいです", lang: "ja-JP" }] });
    const { body } = await search({ words: "変更" });
    expect(body.items).toMatchObject([{ session_id: id, found: { marks: [{ from: 3, to: 5 }] } }]);
  });

  test("that say nothing, or only leave out, are refused in a sentence", async () => {
    const problems = [];
    for (const words of ["", "-booking"]) problems.push((await search({ words })).body.detail?.[0]);
    expect(problems).toMatchObject([
      { loc: ["query", "search_field_values", 0], msg: expect.stringContaining("Enter a word") },
      { msg: expect.stringContaining("Add a word to find") },
    ]);
  });

  test("hostile words are text: they end no statement and mark nothing but words", async () => {
    const hostile = `<b>x'); drop table sessions; --</b> & | ! <-> ( "`;
    const id = await ended({ said: [{ user: hostile }] });
    expect((await search({ words: hostile })).status).toBe(200);
    const { body } = await search({ words: "sessions' | drop" });
    expect(body.items).toMatchObject([{ session_id: id, found: { text: expect.stringContaining("<b>") } }]);
  });
});

describe("what happened", () => {
  test("a tool that failed, its use, an error, a channel and an end are found, alone and together", async () => {
    const failed = await ended({
      calls: [{ tool: "book_slot", error: "500" }, { tool: "find_slots" }],
      channel: "voice",
      end_reason: "error",
    });
    const well = await ended({ calls: [{ tool: "book_slot" }], channel: "sms" });
    expect(await ids({ failed_tool: "book_slot" })).toEqual([failed]);
    expect(await ids({ failed_tool: "*" })).toEqual([failed]);
    expect((await ids({ tool: "book_slot" })).toSorted()).toEqual([failed, well].toSorted());
    expect(await ids({ has_error: "true" })).toEqual([failed]);
    expect(await ids({ has_error: "false", tool: "book_slot" })).toEqual([well]);
    expect(await ids({ channel: "sms" })).toEqual([well]);
    expect(await ids({ end_reason: "error", channel: "voice" })).toEqual([failed]);
    expect(await ids({ end_reason: "error", channel: "sms" })).toEqual([]);
    expect((await search({ failed_tool: "*" })).body.items[0]).toMatchObject({
      tools: ["book_slot", "find_slots"],
      failed_tools: ["book_slot"],
      has_error: true,
    });
  });

  test("a session whose speech has no price shows no cost, and no search for costs finds it", async () => {
    const speech = { hearing_ms: 60_000, speaking_ms: 30_000 };
    // Indexed when it ended, and again when its call did, which tells what was heard and spoken.
    const spoken = async (voice_cost_usd: number | null) => {
      const id = await ended({ agent_id: 77 });
      await app.db
        .updateTable("sessions")
        .set({ ...speech, voice_cost_usd })
        .where("id", "=", Number(id))
        .execute();
      await index(Number(id));
      return id;
    };
    const [unpriced, priced] = [await spoken(null), await spoken(0.25)];
    const facts = await app.db
      .selectFrom("session_facts")
      .select(["cost_usd", "known_usd"])
      .where("agent_id", "=", 77)
      .orderBy("session_id")
      .execute();
    expect(facts).toEqual([
      { cost_usd: null, known_usd: 0 },
      { cost_usd: 0.25, known_usd: 0.25 },
    ]);
    const { items } = (await search({ agent_id: "77" })).body;
    expect(
      items.map(({ session_id, cost_usd }: { session_id: string; cost_usd: number | null }) => [
        session_id,
        cost_usd,
      ]),
    ).toEqual([
      [priced, 0.25],
      [unpriced, null],
    ]);
    expect(await ids({ agent_id: "77", cost_to: "1" })).toEqual([priced]);
  });

  test("versions, durations, costs, ratings and insights are found", async () => {
    const said = [{ user: "I would like to come on Friday." }];
    const id = await ended({ said, agent_version: 3, agent_id: 9, duration: 700, voice_cost_usd: 2.5 });
    const other = await ended({ agent_version: 4, agent_id: 9, duration: 20 });
    expect(await ids({ agent_version: "3" })).toEqual([id]);
    expect(await ids({ agent_version: "9.4" })).toEqual([other]);
    expect(await ids({ duration_from: "600" })).toEqual([id]);
    expect(await ids({ duration_from: "10", duration_to: "30" })).toEqual([other]);
    expect(await ids({ cost_from: "2", cost_to: "3" })).toEqual([id]);
    await app.send("POST", "/api/v1/session_labels/", {
      session_id: Number(id),
      type: "human-rating",
      code: "BAD",
      user_email: app.admin.email,
    });
    expect(await ids({ label: "BAD" })).toEqual([id]);
    const { id: insight_tool_id } = await app.db
      .selectFrom("insight_tools")
      .select("id")
      .executeTakeFirstOrThrow();
    const output = (insight_key: string, value: string) => ({
      sub_organization_id: app.admin.sub_organization_id,
      session_id: Number(id),
      insight_tool_id,
      insight_tool_version: 1,
      insight_key,
      string_value: value,
      json_value: json({ [insight_key]: value }),
      created_at: app.clock.now().toISOString(),
      updated_at: app.clock.now().toISOString(),
      model: "some-model",
    });
    await app.db
      .insertInto("insight_outputs")
      .values([
        ...[output("rating", "Bad"), output("summary", "The person got no appointment.")],
        ...[output("solved", "true"), output("mood", "True")],
      ])
      .execute();
    const { body } = await search({ insight: "rating=Bad" });
    expect(body.items).toMatchObject([
      { session_id: id, label: "BAD", title: "The person got no appointment." },
    ]);
    const reader = app.sendAs(await app.createToken(["sessions_read"]));
    const shown = (await search({ session_id: id }, "", reader)).body.items;
    expect(shown).toMatchObject([{ session_id: id, title: "I would like to come on Friday." }]);
    expect(await ids({ insight: "rating=Good" })).toEqual([]);
    for (const insight of ["solved=true", "solved=True", "mood=True", "mood=true", "mood=TRUE"])
      expect(await ids({ insight })).toEqual([id]);
    expect(await ids({ insight: "solved=False" })).toEqual([]);
  });

  test("values that can't be are refused at their place", async () => {
    for (const [field, value] of [
      ["channel", "pigeon"],
      ["label", "FINE"],
      ["insight", "rating"],
      ["insight_from", "rating=Bad"],
      ["insight_to", "=3"],
      ["agent_version", "x"],
      ["duration_from", "-1"],
      ["cost_to", "much"],
      ["has_error", "maybe"],
    ])
      expect(await search({ tool: "x", [field as string]: value as string })).toMatchObject({
        status: 422,
        body: { detail: [{ loc: ["query", "search_field_values", 1] }] },
      });
  });

  test("insights and labels are searched and shown to those who may see them, and to nobody else", async () => {
    const id = await ended({});
    const label = { type: "human-rating", code: "OK", user_email: app.admin.email };
    await app.send("POST", "/api/v1/session_labels/", { session_id: Number(id), ...label });
    const shownTo = async (send: Send) => (await search({ session_id: id }, "", send)).body.items[0].label;
    const reader = app.sendAs(await app.createToken(["sessions_read"]));
    expect((await search({ insight: "rating=Bad" }, "", reader)).status).toBe(403);
    expect((await search({ label: "BAD" }, "", reader)).status).toBe(403);
    expect((await search({ tool: "x" }, "", reader)).status).toBe(200);
    expect([await shownTo(app.send), await shownTo(reader)]).toEqual(["OK", null]);
    const file = `/api/v1/sessions/search/export?format=json&search_fields=session_id&search_field_values=${id}`;
    expect((await reader("GET", file)).body).toMatchObject([{ session_id: id, label: null }]);
  });
});

describe("the index", () => {
  test("has a session once its job has run after the end, with the tools that really ran", async () => {
    const peer = await createPeer();
    peer.respond((_, response) => {
      response.writeHead(500);
      response.end();
    });
    const { agent_id } = await createAgent(app, {
      script: 'on "book" -> call book_table {}\nafter book_table -> say "Sorry." then call hangup {}',
      tools: [endpointTool("book_table", `${peer.url}/book`)],
      systemTools: ["hangup"],
    });
    const { content } = await converse(app, agent_id)("please book a flamingo");
    expect(await ids({ failed_tool: "book_table", is_test: "true" })).toEqual([]);
    const queued = await app.db
      .selectFrom("graphile_worker._private_jobs" as never)
      .select(["key", "payload"] as never[])
      .where("key" as never, "=", `index-session-${content.session_id}` as never)
      .execute();
    expect(queued).toHaveLength(1);
    await index(content.session_id);
    await index(content.session_id);
    expect(await ids({ failed_tool: "book_table", is_test: "true" })).toEqual([String(content.session_id)]);
    expect(await ids({ words: "flamingos", is_test: "true" })).toEqual([String(content.session_id)]);
  });

  test("takes in sessions from before it, newest first, and ends with the oldest", async () => {
    const id = await ended({ said: [{ user: "An ocelot called." }] });
    await app.db.deleteFrom("session_search").where("session_id", "=", Number(id)).execute();
    expect(await ids({ words: "ocelot" })).toEqual([]);
    await app.db
      .insertInto("search_backfill")
      .values({ before_id: Number(id) + 1 })
      .execute();
    while (await indexSomeOlder({ ...app, catalogue: [], carrier_prices: {} }));
    expect(await ids({ words: "ocelot" })).toEqual([id]);
    expect(await app.db.selectFrom("search_backfill").selectAll().execute()).toEqual([]);
  });

  test("an older session that can't be indexed holds up none of the others", async () => {
    const wrong = await ended({ said: [{ user: "A broken salamander." }] });
    const id = await ended({ said: [{ user: "A whole salamander." }] });
    await app.db
      .deleteFrom("session_search")
      .where("session_id", "in", [Number(wrong), Number(id)])
      .execute();
    await app.database.pool.query(`
      create function fail() returns trigger language plpgsql as $$ begin raise exception 'too long'; end $$;
      create trigger fail before insert on session_search for each row
        when (new.session_id = ${wrong}) execute function fail()`);
    await app.db
      .insertInto("search_backfill")
      .values({ before_id: Number(id) + 1 })
      .execute();
    while (await indexSomeOlder({ ...app, catalogue: [], carrier_prices: {} }));
    await app.database.pool.query("drop trigger fail on session_search; drop function fail()");
    expect(await ids({ words: "salamander" })).toEqual([id]);
    expect(app.errors.splice(0).join()).toContain("an older session can't be searched");
  });

  test("loses a session's words with the session, and indexing it again brings nothing back", async () => {
    const id = await ended({ said: [{ user: "My secret is a pangolin." }] });
    expect((await app.send("DELETE", `/api/v1/sessions/${id}`)).status).toBe(200);
    await index(Number(id));
    const rows = await app.db
      .selectFrom("session_search")
      .select("session_id")
      .where("session_id", "=", Number(id))
      .execute();
    expect(rows).toEqual([]);
    expect(await ids({ words: "pangolin" })).toEqual([]);
  });

  test("shows a neighbour nothing, and running sessions stay in a list without filters", async () => {
    await ended({ said: [{ user: "A narwhal." }], calls: [{ tool: "narwhal_tool", error: "x" }] });
    const neighbour = await app.createNeighbour();
    expect((await search({ words: "narwhal" }, "", neighbour.send)).body).toMatchObject({
      items: [],
      total_count: 0,
    });
    const theirs = (pairs: Record<string, string>) => search(pairs, "", neighbour.send);
    await app.db
      .insertInto("search_languages")
      .values({ sub_organization_id: neighbour.caller.sub_organization_id, configuration: "english" })
      .execute();
    for (const pairs of [{ words: "narwhal" }, { tool: "narwhal_tool" }, { failed_tool: "*" }, {}] as Record<
      string,
      string
    >[])
      expect((await theirs(pairs)).body.items).toEqual([]);
    const running = await insertSession(app);
    expect((await ids({}))[0]).toBe(String(running));
  });
});

test("an organization that audits reads: what is said is quoted only in a search for words, which leaves an entry for each session", async () => {
  const id = await ended({ said: [{ user: "An axolotl." }], calls: [{ tool: "axolotl" }] });
  await app.send("PUT", "/api/v1/organizations/privacy", { audit_reads: true });
  const entries = async () =>
    (
      await app.send("GET", "/api/v1/audit_entries/?search_fields=action&search_field_values=read")
    ).body.items.map(({ resource, resource_id }: Record<string, string>) => `${resource} ${resource_id}`);
  const before = await entries();
  expect((await search({ tool: "axolotl" })).body.items).toMatchObject([{ session_id: id, title: null }]);
  expect(await entries()).toEqual(before);
  expect((await search({ words: "axolotl" })).body.items).toMatchObject([{ title: "An axolotl." }]);
  expect(await entries()).toEqual([`transcripts ${id}`, ...before]);
  await app.send("PUT", "/api/v1/organizations/privacy", { audit_reads: false });
});

describe("an export", () => {
  test("has all that is found, in its order, as CSV or JSON, across its pages", async () => {
    const tool = "export_tool";
    const made: string[] = [];
    for (let n = 0; n < 3; n++)
      made.unshift(await ended({ calls: [{ tool }], said: [{ user: "=1+1, please" }] }));
    const path = `/api/v1/sessions/search/export?search_fields=tool&search_field_values=${tool}`;
    const csv = await app.send("GET", path);
    expect(csv.headers["content-type"]).toContain("text/csv");
    const lines = String(csv.body).trimEnd().split("\r\n");
    expect(lines[0]).toContain("session_id,timestamp");
    expect(lines.slice(1).map((line) => line.split(",")[0])).toEqual(made);
    // What a spreadsheet would run is text.
    expect(lines[1]).toContain(`"'=1+1, please"`);
    const { body } = await app.send("GET", `${path}&format=json`);
    expect(body.map((row: { session_id: string }) => row.session_id)).toEqual(made);
    const some = `/api/v1/sessions/search/export?format=json&search_fields=session_id_list&search_field_values=${made[0]},${made[2]}`;
    expect((await app.send("GET", some)).body).toHaveLength(2);
    expect((await app.send("GET", `${path}&search_fields=channel&search_field_values=x`)).status).toBe(422);
  });
});

describe("a saved view", () => {
  const view = (name: string, more: object = {}) => ({
    name,
    search_fields: ["failed_tool"],
    search_field_values: ["book_slot"],
    columns: ["timestamp", "title"],
    last_days: 7,
    ...more,
  });
  const create = (body: object, send = app.send) => send("POST", "/api/v1/session_views/", body);

  test("is its owner's until it is shared, and only its owner takes it back", async () => {
    const roles = await app.send("GET", "/api/v1/roles/?search_fields=name&search_field_values=Analyst");
    const email = "analyst@example.com";
    const { body: made } = await app.send("POST", "/api/v1/users/", {
      email,
      role_id: roles.body.items[0].id,
      skip_auth: true,
    });
    const other = app.sendAs(await app.createToken(null, { ...app.admin, email, user_id: made.id }));
    const names = async (send: Send) =>
      (await send("GET", "/api/v1/session_views/")).body.items.map((one: { name: string }) => one.name);

    const { body } = await create(view("Mine"));
    expect(body).toMatchObject({ name: "Mine", is_own: true, is_shared: false, last_days: 7 });
    expect(await names(other)).toEqual([]);
    expect((await other("GET", `/api/v1/session_views/${body.id}`)).status).toBe(404);
    const shared = await app.send("PUT", "/api/v1/session_views/", {
      ...view("Ours", { is_shared: true }),
      id: body.id,
    });
    expect(shared.status).toBe(200);
    expect(await names(other)).toEqual(["Ours"]);
    expect((await other("PUT", "/api/v1/session_views/", { ...view("Ours"), id: body.id })).status).toBe(400);
    expect((await create(view("Ours", { is_shared: true }), other)).status).toBe(400);
    expect((await create(view("Ours"), other)).status).toBe(200);
    const neighbour = (await app.createNeighbour("view-neighbour@example.com")).send;
    expect(await names(neighbour)).toEqual([]);
  });

  test("holds only what can be searched for", async () => {
    for (const [more, place] of [
      [{ search_field_values: [] }, ["body", "search_field_values"]],
      [{ search_fields: ["channel"] }, ["body", "search_field_values", 0]],
      [{ search_fields: ["nothing"] }, ["body", "search_fields", 0]],
      [{ last_days: 0 }, ["body", "last_days"]],
    ] as const)
      expect(await create(view("Wrong", more))).toMatchObject({
        status: 422,
        body: { detail: [{ loc: place }] },
      });
  });
});
