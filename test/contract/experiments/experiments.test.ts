import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { silentLog } from "../../../src/base/log.ts";
import { keptSince } from "../../../src/erasure/agent-retention.ts";
import { guardAll } from "../../../src/experiments/guard-job.ts";
import { migrateJobs } from "../../../src/jobs/runner.ts";
import { startSession } from "../../../src/turns/start-session.ts";
import { createAgent } from "../../harness/agent.ts";
import { createTestApp, type TestApp } from "../../harness/app.ts";
import { createOutbound } from "../../harness/batch.ts";
import { insertOutput } from "../../harness/rows.ts";

let app: TestApp;
beforeAll(async () => {
  app = await createTestApp();
  await migrateJobs(app.database.pool, silentLog);
});

let agent_id: number;
beforeEach(async () => {
  const made = await createAgent(app, { script: 'on "open" -> say "From eight to five."' });
  agent_id = made.agent_id;
  await publish({});
  await save(made.prompt_id, 'on "open" -> say "Eight to five."');
  await publish({ take_live: false });
});

const ok = async (method: "GET" | "POST" | "PUT" | "DELETE", path: string, body?: object) => {
  const answer = await app.send(method, `/api/v1${path}`, body);
  expect(answer.status, JSON.stringify(answer.body)).toBe(200);
  return answer.body;
};
const publish = (body: object) => ok("POST", `/agents/${agent_id}/versions`, body);
async function save(prompt_id: number, script: string) {
  const { id, name, type, llm_config } = await ok("GET", `/prompts/${prompt_id}`);
  const context = `You are a test.\n\`\`\`script\n${script}\n\`\`\``;
  await ok("PUT", "/prompts/", { id, name, type, llm_config, context, tools: [] });
}

const variants = (tried = 50) => [
  { version_number: 1, weight: 100 - tried, is_control: true },
  { version_number: 2, weight: tried, is_control: false },
];
const input = (more: object = {}) => ({ name: "Shorter answers", agent_id, variants: variants(), ...more });
const create = (more: object = {}) => ok("POST", "/experiments/", input(more));
const start = async (more: object = {}): Promise<number> => {
  const { id } = await create(more);
  await ok("POST", `/experiments/${id}/start`);
  return id;
};
const published = async () => (await ok("GET", `/agents/${agent_id}/versioning`)).published_version;
const guard = () => guardAll({ ...app, keptSince });

let session = 0;
/** A person who comes now; resolves with the session and the version it is held with. */
async function comes(source: string, more: object = {}) {
  const { session_id } = await startSession(app.engine, {
    sub_organization_id: app.admin.sub_organization_id,
    agent_id,
    channel: "voice" as const,
    service: "voice",
    type: "voice_v1",
    sid: `s${++session}`,
    channel_target_id: null,
    source,
    target: null,
    is_test: false,
    is_outbound: false,
    verified: true,
    ...more,
  });
  const { agent_version } = await app.db
    .selectFrom("sessions")
    .select("agent_version")
    .where("id", "=", session_id)
    .executeTakeFirstOrThrow();
  return { session_id, version: agent_version as number };
}

async function ends(session_id: number, end_reason: string) {
  const ended_at = app.clock.now().toISOString();
  await app.db
    .updateTable("sessions")
    .set({ ended_at, end_reason, duration: 60 })
    .where("id", "=", session_id)
    .execute();
}

const person = (n: number) => `+1512555${String(n).padStart(4, "0")}`;
/** So many people, whose sessions end by version. */
async function people(count: number, endOf: (version: number) => string, from = 0) {
  const met = { 1: 0, 2: 0 } as Record<number, number>;
  for (let n = 0; n < count; n++) {
    const { session_id, version } = await comes(person(from + n));
    met[version] = (met[version] ?? 0) + 1;
    await ends(session_id, endOf(version));
  }
  return met;
}

describe("an experiment", () => {
  test("splits people by who they are, on every channel alike, and counts no tester", async () => {
    const id = await start();
    const first = await Promise.all(Array.from({ length: 20 }, (_, n) => comes(person(n))));
    expect(new Set(first.map(({ version }) => version))).toEqual(new Set([1, 2]));
    const again = await Promise.all(
      Array.from({ length: 20 }, (_, n) => comes(`whatsapp:${person(n)}`, { channel: "whatsapp" })),
    );
    expect(again.map(({ version }) => version)).toEqual(first.map(({ version }) => version));
    await comes(person(50), { is_test: true });
    const counted = await ok("GET", `/experiments/${id}/comparison`);
    expect(counted.versions.map(({ sessions }: { sessions: number }) => sessions).reduce(sum)).toBe(40);
    expect(counted.versions.map(({ people }: { people: number }) => people).reduce(sum)).toBe(20);
    // Its sessions are found by it and by their version.
    const path = `/sessions/?search_fields=experiment_id&search_field_values=${id}`;
    expect((await ok("GET", path)).total_count).toBe(40);
    const tried = await ok("GET", `${path}&search_fields=agent_version&search_field_values=2`);
    expect(tried.total_count).toBe(2 * first.filter(({ version }) => version === 2).length);
    expect((await ok("GET", `${path}.0:2`)).total_count).toBe(tried.total_count);
  });

  test("moves people only to the tried version while its share grows, and takes it live in the end", async () => {
    const id = await start({ variants: variants(5) });
    const met = async () =>
      (await Promise.all(Array.from({ length: 40 }, (_, n) => comes(person(n))))).map((one) => one.version);
    let before = await met();
    for (const percent of [25, 60, 100]) {
      const weights = [
        { version_number: 1, weight: 100 - percent },
        { version_number: 2, weight: percent },
      ];
      await ok("PUT", `/experiments/${id}/weights`, { weights });
      const now = await met();
      for (const [n, version] of before.entries()) if (version === 2) expect(now[n]).toBe(2);
      before = now;
    }
    expect(new Set(before)).toEqual(new Set([2]));
    expect(await published()).toBe(1);
    expect(await ok("POST", `/experiments/${id}/adopt`, {})).toMatchObject({ status: "adopted" });
    expect(await published()).toBe(2);
    expect((await comes(person(1))).version).toBe(2);
  });

  test("that is given the weights it has begins no stage and puts off no step of its ramp", async () => {
    const ramp = [{ percent: 5 }, { percent: 100, after_minutes: 60 }];
    const id = await start({ variants: variants(5), ramp });
    const { next_step_at } = await ok("GET", `/experiments/${id}`);
    app.clock.advance(30 * 60_000);
    const weights = variants(5).map(({ version_number, weight }) => ({ version_number, weight }));
    for (const same of [weights, weights.toReversed()])
      expect(await ok("PUT", `/experiments/${id}/weights`, { weights: same })).toMatchObject({
        next_step_at,
      });
    expect((await ok("GET", `/experiments/${id}`)).stages).toHaveLength(1);
    const more = [
      { version_number: 1, weight: 75 },
      { version_number: 2, weight: 25 },
    ];
    const changes = await Promise.all(
      [1, 2].map(() => ok("PUT", `/experiments/${id}/weights`, { weights: more })),
    );
    expect(changes.map(({ stages }) => stages.length)).toEqual([2, 2]);
  });

  test("that is limited to a target leaves other targets alone", async () => {
    const { target } = await createAgent(app, { script: 'on "open" -> say "x"' });
    const own = await app.db
      .selectFrom("channel_targets")
      .select(["id"])
      .where("target", "=", target)
      .executeTakeFirst();
    if (own) await app.db.updateTable("channel_targets").set({ agent_id }).where("id", "=", own.id).execute();
    const id = await start({ variants: variants(99), channel_target_id: own?.id });
    const versions = async (more: object) => {
      const met = await Promise.all(Array.from({ length: 5 }, (_, n) => comes(person(n), more)));
      return met.map(({ version }) => version);
    };
    expect(await versions({})).not.toContain(2);
    expect(await versions({ channel_target_id: own?.id })).toContain(2);
    await ok("POST", `/experiments/${id}/stop`, { reason: "Enough" });
    expect(await versions({ channel_target_id: own?.id })).not.toContain(2);
  });
});

test("an experiment ends when the address or the campaign that it is limited to is gone, and says so", async () => {
  const { target } = await createAgent(app, { script: 'on "open" -> say "x"' });
  const own = await app.db
    .selectFrom("channel_targets")
    .select(["id", "channel_id"])
    .where("target", "=", target)
    .executeTakeFirstOrThrow();
  await app.db.updateTable("channel_targets").set({ agent_id }).where("id", "=", own.id).execute();
  const campaign = await (await createOutbound(app)).createCampaign({});
  await app.db.updateTable("campaigns").set({ agent_id }).where("id", "=", campaign.id).execute();
  for (const [limit, path, because] of [
    [
      { channel_target_id: own.id },
      `/channels/${own.channel_id}?target_id=${own.id}`,
      "The address that it was limited to was removed from its channel.",
    ],
    [
      { campaign_id: campaign.id },
      `/outbound/campaigns/${campaign.id}`,
      "The campaign that it was limited to was deleted.",
    ],
  ] as const) {
    const id = await start(limit);
    await guard();
    expect(await ok("GET", `/experiments/${id}`)).toMatchObject({ status: "running" });
    await ok("DELETE", path);
    await guard();
    expect(await ok("GET", `/experiments/${id}`)).toMatchObject({
      status: "stopped",
      ended_because: because,
    });
  }
  // Nothing is in the way of another one.
  await start();
});

const sum = (one: number, other: number) => one + other;

test("what a session costs is what the search and boards say, with its speech, also where that is known late", async () => {
  const id = await start();
  const { session_id, version } = await comes(person(1));
  await ends(session_id, "user");
  await guard();
  const index = app.jobs.find(({ job }) => job.name === "index-session");
  const cost = async () => {
    const { figures } = await ok("GET", `/experiments/${id}/comparison`);
    const { versions } = figures.find(({ metric }: { metric: string }) => metric === "cost_usd");
    return versions.find((each: { version_number: number }) => each.version_number === version);
  };
  expect(await cost()).toMatchObject({ count: 0, value: null });
  for (const voice_cost_usd of [null, 0.25]) {
    await app.db.updateTable("sessions").set({ voice_cost_usd }).where("id", "=", session_id).execute();
    await index?.run({ session_id }, {} as never);
    const found = await ok(
      "GET",
      `/sessions/search?search_fields=session_id&search_field_values=${session_id}`,
    );
    expect(found.items[0].cost_usd).toBe(voice_cost_usd ?? 0);
    expect(await cost()).toMatchObject({ count: 1, value: voice_cost_usd ?? 0 });
  }
});

test("an error of a session is one for experiments, the search and boards alike", async () => {
  const id = await start();
  const met = await Promise.all([0, 1, 2, 3].map((n) => comes(person(n))));
  const [ended, apologized, noted] = met.map(({ session_id }) => session_id) as [number, number, number];
  for (const { session_id } of met) await ends(session_id, session_id === ended ? "error" : "user");
  const timestamp = app.clock.now().toISOString();
  await app.db
    .insertInto("session_messages")
    .values({
      session_id: apologized,
      seq: 90,
      turn_index: 1,
      role: "agent",
      text: "Sorry",
      timestamp,
      is_apology: true,
    })
    .execute();
  const trace = {
    id: 90,
    category: "error" as const,
    label: "No answer",
    measurement_start: timestamp,
    timestamp,
  };
  await app.db
    .insertInto("session_trace")
    .values({ session_id: noted, ...trace })
    .execute();
  await guard();
  const index = app.jobs.find(({ job }) => job.name === "index-session");
  for (const { session_id } of met) await index?.run({ session_id }, {} as never);

  const { figures } = await ok("GET", `/experiments/${id}/comparison`);
  const { versions } = figures.find(({ metric }: { metric: string }) => metric === "errors");
  expect(versions.reduce((all: number, { count }: { count: number }) => all + count, 0)).toBe(3);
  const found = async (field: string, value: string) =>
    (
      await ok(
        "GET",
        `/sessions/search?search_fields=experiment_id&search_field_values=${id}&search_fields=${field}&search_field_values=${value}`,
      )
    ).items
      .map(({ session_id }: { session_id: string }) => Number(session_id))
      .toSorted();
  expect(await found("experiment_outcome", "errors")).toEqual([ended, apologized, noted].toSorted());
  expect(await found("has_error", "true")).toEqual([ended, apologized, noted].toSorted());
  app.clock.advance(1_000);
  const tile = {
    metric: { name: "errors" },
    search_fields: ["experiment_id"],
    search_field_values: [String(id)],
  };
  const board = await ok("POST", "/boards/tile_figures", { tile, period: {} });
  expect(board.total).toMatchObject({ value: 0.75, count: 4 });
});

test("a success is an end, a tool that did not fail or an insight's value, and the figure opens the sessions that are one", async () => {
  const id = await start({ success: { end_reasons: ["agent"] } });
  const met: Awaited<ReturnType<typeof comes>>[] = [];
  for (let n = 0; n < 6; n++) met.push(await comes(person(n)));
  for (const [n, { session_id }] of met.entries()) await ends(session_id, n < 2 ? "agent" : "user");
  await guard();
  const call = (seq: number, session_id: number, tool_name: string, error: string | null) => ({
    session_id,
    seq,
    turn_index: 1,
    round: 0,
    tool_call_id: `c${seq}`,
    tool_name,
    error,
    arguments: "{}",
    timestamp: app.clock.now().toISOString(),
    duration_ms: 1,
  });
  const called = [
    ...[call(1, met[0]!.session_id, "book", "taken"), call(2, met[0]!.session_id, "book", null)],
    ...[call(1, met[1]!.session_id, "book", "taken"), call(1, met[2]!.session_id, "look", null)],
  ];
  await app.db.insertInto("session_tool_calls").values(called).execute();
  for (const [n, string_value] of [
    [3, "Good"],
    [4, "Bad"],
  ] as const) {
    await insertOutput(app, met[n]!.session_id, "rating", { string_value });
    await insertOutput(app, met[n]!.session_id, "score", { numeric_value: n });
  }
  // What the offline model made up says nothing, neither alone nor after an analysis.
  for (const n of [4, 5])
    await insertOutput(app, met[n]!.session_id, "rating", { string_value: "Good", model: "scripted" });

  const tells = async (success: object) => {
    await app.db
      .updateTable("experiments")
      .set({ success: JSON.stringify(success) })
      .where("id", "=", id)
      .execute();
    const { figures } = await ok("GET", `/experiments/${id}/comparison`);
    const versions = figures[0].versions as { version_number: number; count: number; total: number }[];
    const behind = async (outcome: string) =>
      (
        await Promise.all(
          versions.map(({ version_number }) =>
            ok(
              "GET",
              `/sessions/search?search_fields=experiment_id&search_field_values=${id}.0:${version_number}&search_fields=experiment_outcome&search_field_values=${outcome}`,
            ),
          ),
        )
      ).flatMap(({ items }) => items.map((item: { session_id: string }) => Number(item.session_id)));
    const sum = (field: "count" | "total") => versions.reduce((all, version) => all + version[field], 0);
    const [good, bad] = [await behind("success"), await behind("no_success")];
    expect([good.length, good.length + bad.length]).toEqual([sum("count"), sum("total")]);
    return good.toSorted((a, b) => a - b);
  };
  const none = { insight_key: null, values: [], tool: null, end_reasons: [] };
  const sessions = (...at: number[]) => at.map((n) => met[n]!.session_id);
  expect(await tells({ ...none, end_reasons: ["agent"] })).toEqual(sessions(0, 1));
  expect(await tells({ ...none, tool: "book" })).toEqual(sessions(0));
  expect(await tells({ ...none, insight_key: "rating", values: ["Good", "OK"] })).toEqual(sessions(3));
  expect(await tells({ ...none, insight_key: "score", values: ["4"] })).toEqual(sessions(4));

  // Whose conversations were a success is what an insight says of each.
  const reader = app.sendAs(await app.createToken(["sessions_read"]));
  const search = async (outcome: string) =>
    (
      await reader(
        "GET",
        `/api/v1/sessions/search?search_fields=experiment_outcome&search_field_values=${outcome}`,
      )
    ).status;
  expect([await search("success"), await search("no_success"), await search("errors")]).toEqual([
    403, 403, 200,
  ]);
  const none_such = ["failed", "constructor", "__proto__"].map(async (outcome) => {
    const path = `/sessions/search?search_fields=experiment_outcome&search_field_values=${outcome}`;
    return (await app.send("GET", `/api/v1${path}`)).body.detail[0].msg;
  });
  expect(new Set(await Promise.all(none_such))).toEqual(
    new Set(["Input should be one of errors, transfers, opt_outs, complaints, slow, success, no_success"]),
  );
});

test("somebody who calls often is one person: their long calls alone make no version slower", async () => {
  const id = await start();
  const lasts = async (source: string, duration: number) => {
    const { session_id, version } = await comes(source);
    await ends(session_id, "user");
    await app.db.updateTable("sessions").set({ duration }).where("id", "=", session_id).execute();
    return version;
  };
  const durations = new Map<number, number[]>([
    [1, []],
    [2, []],
  ]);
  const called = async (source: string, duration: number) => {
    const version = await lasts(source, duration);
    durations.get(version)?.push(duration);
    return version;
  };
  let often: string | null = null;
  for (let n = 0; n < 80; n++)
    if ((await called(person(9_000 + n), 50 + (n % 21))) === 2) often ??= person(9_000 + n);
  for (let n = 0; n < 60; n++) await called(often ?? "", 300);
  await guard();
  const { figures } = await ok("GET", `/experiments/${id}/comparison`);
  const duration = figures.find(({ metric }: { metric: string }) => metric === "duration_s");
  const mean = (values: number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
  for (const { version_number, count, value } of duration.versions) {
    expect(count).toBe(durations.get(version_number)?.length);
    expect(value).toBeCloseTo(mean(durations.get(version_number) ?? []), 9);
  }
  expect(duration.differences[0]).toMatchObject({ verdict: "can't tell" });
  expect(duration.differences[0].says).toMatch(/^No difference can be told from 80 people; about /);
});

describe("guardrails", () => {
  test("return everybody at the next look after a fault, with an event and an audit entry, once", async () => {
    const id = await start({ variants: variants(50) });
    await people(20, () => "user");
    await guard();
    expect(await ok("GET", `/experiments/${id}`)).toMatchObject({ status: "running" });
    await people(40, (version) => (version === 2 ? "error" : "user"), 100);
    app.clock.advance(20_000);
    // Several processes look at the same time.
    await Promise.all([guard(), guard(), guard()]);
    const found = await ok("GET", `/experiments/${id}`);
    expect(found).toMatchObject({ status: "returned", last_updated_by: "guardrails" });
    expect(found.ended_because).toMatch(/^Errors happen to more people with version 2 \(p < /);
    expect((await comes(person(500))).version).toBe(1);
    const trail = await ok(
      "GET",
      `/audit_entries/?search_fields=resource&search_field_values=experiments&search_fields=resource_id&search_field_values=${id}`,
    );
    expect(trail.items.filter(({ action }: { action: string }) => action === "return")).toHaveLength(1);
    const events = await ok("GET", "/events/?search_fields=type&search_field_values=experiment-returned");
    expect(
      events.items.filter(({ source_id }: { source_id: string }) => source_id === String(id)),
    ).toHaveLength(1);
    const comparison = await ok("GET", `/experiments/${id}/comparison`);
    const errors = comparison.figures.find(({ metric }: { metric: string }) => metric === "errors");
    expect(errors.differences[0]).toMatchObject({ verdict: "worse", says: "Version 2 is worse." });
    const link = `/sessions/?search_fields=experiment_id&search_field_values=${id}&search_fields=experiment_outcome&search_field_values=errors`;
    expect((await ok("GET", link)).total_count).toBe(errors.versions[1].count);
  });

  test("return everybody within 60 seconds of a fault, by the job alone, whenever between two looks it begins", async () => {
    const job = app.jobs.find(({ job }) => job.name === "guard-experiments")!;
    const nextLook = async () => {
      const { rows } = await app.database.pool.query(
        "select run_at from graphile_worker._private_jobs where key = 'guard-experiments'",
      );
      return new Date(rows[0].run_at).getTime();
    };
    const id = await start({ variants: variants(50) });
    await job.run({}, { job: { attempts: 1 } } as never);
    // Right after a look is the worst moment.
    app.clock.advance(1);
    const broke = app.clock.now().getTime();
    let from = 3_000;
    while ((await ok("GET", `/experiments/${id}`)).status === "running") {
      // 40 people in 20 seconds; whoever meets the tried version meets an error.
      await people(40, (version) => (version === 2 ? "error" : "user"), from);
      from += 40;
      app.clock.advance((await nextLook()) - app.clock.now().getTime());
      await job.run({}, { job: { attempts: 1 } } as never);
    }
    const { status, ended_at } = await ok("GET", `/experiments/${id}`);
    expect(status).toBe("returned");
    expect(new Date(ended_at).getTime() - broke).toBeLessThanOrEqual(60_000);
  });

  test("see apologies of sessions that still run, slow turns, opt-outs and complaints that come later", async () => {
    const id = await start({ slow_ms: 1_000 });
    const { session_id } = await comes(person(1), { channel: "sms" });
    const now = app.clock.now().toISOString();
    await app.db
      .insertInto("session_messages")
      .values({
        session_id,
        seq: 90,
        turn_index: 1,
        role: "agent",
        text: "Sorry",
        timestamp: now,
        is_apology: true,
      })
      .execute();
    await app.db
      .insertInto("session_trace")
      .values({
        session_id,
        turn_index: 1,
        category: "turn",
        label: "finished",
        duration_ms: 3_000,
        measurement_start: now,
        timestamp: now,
      })
      .execute();
    await guard();
    const row = () =>
      app.db
        .selectFrom("experiment_sessions")
        .selectAll()
        .where("session_id", "=", session_id)
        .executeTakeFirst();
    expect(await row()).toMatchObject({ is_error: true, is_slow: true, is_over: false, is_opt_out: false });
    await ends(session_id, "idle");
    await guard();
    app.clock.advance(3_600_000);
    await ok("POST", "/suppressions/", { address: person(1), scope: "all", reason: "unsubscribed" });
    await guard();
    expect(await row()).toMatchObject({
      is_over: true,
      end_reason: "idle",
      is_opt_out: true,
      is_complaint: false,
    });
    expect(
      (await ok("GET", `/experiments/${id}/comparison`)).figures[2].versions
        .map(({ count }: { count: number }) => count)
        .reduce(sum),
    ).toBe(1);
  });

  test("take the ramp's next step when it is due, and no step twice", async () => {
    const ramp = [{ percent: 5 }, { percent: 25, after_minutes: 60 }, { percent: 100, after_minutes: 60 }];
    const id = await start({ variants: variants(5), ramp });
    const weights = async () =>
      (await ok("GET", `/experiments/${id}`)).stages.map(
        (stage: { weights: { weight: number }[] }) => stage.weights[1]?.weight,
      );
    await guard();
    expect(await weights()).toEqual([5]);
    app.clock.advance(60 * 60_000);
    await Promise.all([guard(), guard()]);
    await guard();
    expect(await weights()).toEqual([5, 25]);
    app.clock.advance(60 * 60_000);
    await guard();
    app.clock.advance(60 * 60_000);
    await guard();
    // Nobody has met the control: guardrails would have nothing to compare with.
    expect(await weights()).toEqual([5, 25]);
    await meetsControl();
    await guard();
    expect(await weights()).toEqual([5, 25, 100]);
  });

  test("keep something to compare with: the control gets 0 % only after somebody has met it", async () => {
    const id = await start();
    const all = {
      weights: [
        { version_number: 1, weight: 0 },
        { version_number: 2, weight: 100 },
      ],
    };
    const refused = await app.send("PUT", `/api/v1/experiments/${id}/weights`, all);
    expect({ status: refused.status, detail: refused.body.detail }).toMatchObject({
      status: 422,
      detail: [
        {
          loc: ["body", "weights", 0, "weight"],
          msg: "Nobody has met the control yet: without it nothing can be compared and no guardrail works",
        },
      ],
    });
    await meetsControl();
    await ok("PUT", `/experiments/${id}/weights`, all);
    expect((await comes(person(1))).version).toBe(2);
  });

  async function meetsControl(): Promise<void> {
    for (let n = 0; (await comes(person(n))).version !== 1; n++) expect(n).toBeLessThan(200);
  }
});

const version = (version_number: number, weight: number, is_control = false) => ({
  version_number,
  weight,
  is_control,
});

describe("what came of a stage", () => {
  const DAY_ms = 86_400_000;
  const keep = (session: number | null) =>
    ok("PUT", "/organizations/privacy", { retention: { session, request: null } });
  const expire = () =>
    app.jobs
      .find(({ job }) => job.name === "delete-expired")!
      .run({}, { stopping: new AbortController().signal } as never);
  const result = async (id: number, stage: number) => {
    const { versions, figures, kept_since } = await ok("GET", `/experiments/${id}/comparison?stage=${stage}`);
    return { versions, figures, kept_since };
  };

  test("stays what it was when retention deletes its sessions; the running one says since when it is whole", async () => {
    await keep(10);
    const id = await start({ variants: variants(50), guards: [] });
    await people(12, (version) => (version === 2 ? "error" : "user"));
    const weights = variants(40).map(({ version_number, weight }) => ({ version_number, weight }));
    await guard();
    await ok("PUT", `/experiments/${id}/weights`, { weights });
    await people(6, () => "user", 100);
    app.clock.advance(DAY_ms);
    await guard();
    const first = await result(id, 0);
    expect(first.kept_since).toBeNull();
    expect(first.versions[0].people + first.versions[1].people).toBe(12);

    app.clock.advance(10 * DAY_ms);
    await people(4, () => "user", 200);
    await guard();
    await expire();
    expect(await result(id, 0)).toEqual(first);
    const running = await result(id, 1);
    expect(running.kept_since).toBe(new Date(app.clock.now().getTime() - 10 * DAY_ms).toISOString());
    expect(running.versions[0].people + running.versions[1].people).toBe(4);

    // A stage that is over is told as it was when it was whole.
    await ok("POST", `/experiments/${id}/stop`, { reason: "Tried long enough" });
    await guard();
    app.clock.advance(20 * DAY_ms);
    await expire();
    expect(await result(id, 0)).toEqual(first);
    const last = await result(id, 1);
    expect(last.versions[0].people + last.versions[1].people).toBe(6);
    await keep(null);
  });

  test("is warned of before it runs where retention is short, at the draft and at its start", async () => {
    await keep(7);
    const { id } = await ok("POST", "/experiments/", input({ variants: variants(50), guards: [] }));
    const warned = [
      {
        id: "retention-shorter-than-experiment",
        severity: "warning",
        message: expect.stringContaining("Retention deletes this agent's sessions after 7 days."),
      },
    ];
    expect((await ok("GET", `/experiments/${id}`)).validation_issues).toMatchObject(warned);
    expect((await ok("POST", `/experiments/${id}/start`, {})).validation_issues).toMatchObject(warned);
    await keep(null);
    expect((await ok("GET", `/experiments/${id}`)).validation_issues).toEqual([]);
    await ok("POST", `/experiments/${id}/stop`, { reason: "Enough" });
  });

  test("is written down when it ends, also in its first hours", async () => {
    const id = await start({ variants: variants(50), guards: [] });
    await guard();
    await people(8, () => "user");
    await ok("POST", `/experiments/${id}/stop`, { reason: "Enough" });
    app.clock.advance(60_000);
    await guard();
    const before = await result(id, 0);
    expect(before.versions[0].people + before.versions[1].people).toBe(8);
    await keep(5);
    app.clock.advance(6 * DAY_ms);
    await expire();
    expect(await result(id, 0)).toEqual(before);
    await keep(null);
  });

  test("is written down when it ends, also where a clock that was set back since wrote the one before", async () => {
    const id = await start({ variants: variants(50), guards: [] });
    app.clock.jump(2 * DAY_ms);
    await guard();
    app.clock.jump(-2 * DAY_ms);
    await people(8, () => "user");
    await ok("POST", `/experiments/${id}/stop`, { reason: "Enough" });
    app.clock.advance(60_000);
    await guard();
    const { results_at, results } = await app.db
      .selectFrom("experiments")
      .select(["results_at", "results"])
      .where("id", "=", id)
      .executeTakeFirstOrThrow();
    expect(new Date(results_at ?? "")).toEqual(app.clock.now());
    expect(results).toMatchObject([await ok("GET", `/experiments/${id}/comparison?stage=0`)]);
  });
});

describe("what is wrong is told at its place", () => {
  const issues = async (more: object) => {
    const answer = await app.send("POST", "/api/v1/experiments/", input(more));
    expect(answer.status).toBe(422);
    return answer.body.detail.map(
      ({ loc, msg }: { loc: string[]; msg: string }) => `${loc.slice(1).join(".")}: ${msg}`,
    );
  };
  test("weights, versions, the control, a ramp, success, targets", async () => {
    expect(await issues({ variants: [version(1, 50, true), version(2, 40)] })).toEqual([
      "variants: Weights must add up to 100; these add up to 90",
    ]);
    expect(await issues({ variants: [version(1, 50, true), version(9, 50)] })).toEqual([
      "variants.1.version_number: Version 9 was not published",
    ]);
    expect(await issues({ variants: [version(1, 50), version(1, 50)] })).toEqual([
      "variants.1.version_number: This version is named twice",
      "variants: Exactly one version is the control; here 0 are",
    ]);
    // Nobody could be compared with, and no guardrail would ever return anybody.
    expect(await issues({ variants: [version(1, 0, true), version(2, 100)] })).toEqual([
      "variants.0.weight: The control needs some of the people at first: without any, nothing can be compared and no guardrail works",
    ]);
    expect(await issues({ ramp: [{ percent: 50 }, { percent: 20 }] })).toEqual([
      "ramp.1.percent: Each step is higher than the one before it",
    ]);
    expect(await issues({ success: { insight_key: "booked" } })).toEqual([
      "success.values: Give at least one value",
    ]);
    expect(await issues({ success: { tool: "dance" } })).toEqual([
      "success.tool: None of these versions has a tool dance; they have hangup",
    ]);
    expect(await issues({ success: { tool: "dance", end_reasons: ["user"] } })).toEqual([
      "success.end_reasons: Give one of these: an insight, a tool, or reasons for the end of a session",
      "success.tool: None of these versions has a tool dance; they have hangup",
    ]);
    expect(await issues({ success: {} })).toEqual([
      "success: Give an insight with its values, a tool, or reasons for the end of a session",
    ]);
    expect(await issues({ channel_target_id: 999_999, campaign_id: 999_999 })).toEqual([
      "channel_target_id: There is no target 999999",
      "campaign_id: There is no campaign 999999",
    ]);
  });

  test("an agent without versions, another's agent, and two experiments on the same people", async () => {
    const simple = await createAgent(app, { script: 'on "x" -> say "y"' });
    expect(await issues({ agent_id: simple.agent_id })).toEqual([
      "agent_id: No version of this agent is live. Make one live, and publish a second one",
    ]);
    expect(await issues({ agent_id: 999_999 })).toEqual(["agent_id: There is no agent 999999"]);
    await start();
    const { id } = await create({ name: "Another" });
    const second = await app.send("POST", `/api/v1/experiments/${id}/start`);
    expect(second).toMatchObject({ status: 409 });
    expect(second.body.detail).toContain('Experiment "Shorter answers" splits the same traffic');
  });

  test("of two that start at once, one does", async () => {
    const [one, other] = [await create(), await create()];
    const answers = await Promise.all(
      [one, other].map(({ id }) => app.send("POST", `/api/v1/experiments/${id}/start`)),
    );
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409]);
  });

  test("while traffic is split nothing else changes what people reach, and a running experiment is not deleted", async () => {
    const id = await start();
    const versioning = await app.send("PUT", `/api/v1/agents/${agent_id}/versioning`, {
      published_version: 2,
      gates: [],
    });
    expect(versioning).toMatchObject({ status: 409 });
    expect((await app.send("DELETE", `/api/v1/experiments/${id}?reason=x`)).status).toBe(409);
    expect((await app.send("PUT", "/api/v1/experiments/", { id, ...input() })).status).toBe(409);
    const removal = await app.send("DELETE", `/api/v1/agents/${agent_id}?reason=x`);
    expect(removal).toMatchObject({ status: 400 });
    expect(removal.body.detail).toMatch(/^Cannot delete agent .* while it is used by .*running experiment "/);
    const weights = [
      { version_number: 1, weight: 100 },
      { version_number: 3, weight: 0 },
    ];
    const changed = await app.send("PUT", `/api/v1/experiments/${id}/weights`, { weights });
    expect(changed.body.detail[0]).toMatchObject({ loc: ["body", "weights", 1, "version_number"] });
    await ok("POST", `/experiments/${id}/stop`, { reason: "Enough" });
    expect((await app.send("POST", `/api/v1/experiments/${id}/stop`, { reason: "x" })).status).toBe(409);
    await ok("DELETE", `/experiments/${id}?reason=x`);
  });

  test("who may edit experiments but not publish starts none, and may stop one", async () => {
    const { id } = await create();
    const editor = app.sendAs(await app.createToken(["experiments_write"]));
    expect((await editor("POST", `/api/v1/experiments/${id}/start`)).status).toBe(403);
    await ok("POST", `/experiments/${id}/start`);
    expect((await editor("POST", `/api/v1/experiments/${id}/stop`, { reason: "Complaints" })).status).toBe(
      200,
    );
  });

  test("a control that is not live is not started", async () => {
    const { id } = await create({ variants: [version(2, 50, true), version(1, 50)] });
    const refused = await app.send("POST", `/api/v1/experiments/${id}/start`);
    expect(refused.body.detail).toContain("The control is version 2, but people reach version 1");
  });
});

test("what comes of its sessions after an experiment was stopped is counted, too, and nothing else becomes of it", async () => {
  const id = await start({ success: { end_reasons: ["agent"] } });
  const { session_id, version } = await comes(person(1), { channel: "sms" });
  await guard();
  const { ended_at } = await ok("POST", `/experiments/${id}/stop`, { reason: "Enough" });
  const after = await comes(person(1), { channel: "sms" });
  const seen = async () => {
    await guard();
    const { versions, figures } = await ok("GET", `/experiments/${id}/comparison`);
    const of = (rows: { version_number: number }[]) =>
      rows.find(({ version_number }) => version_number === version);
    const named = (name: string) =>
      figures.find(({ metric }: { metric: string }) => metric === name).versions;
    return { ...of(versions), success: of(named("success")), opt_outs: of(named("opt_outs")) };
  };
  expect(await seen()).toMatchObject({ sessions: 1, running: 1, success: { total: 0 } });

  app.clock.advance(8 * 86_400_000);
  await ends(session_id, "agent");
  await ends(after.session_id, "agent");
  expect(await seen()).toMatchObject({
    sessions: 1,
    running: 0,
    success: { count: 1, total: 1 },
    opt_outs: { count: 0 },
  });
  expect(await ok("GET", `/experiments/${id}`)).toMatchObject({ status: "stopped", ended_at });
});

test("an opt-out in the week after an experiment is counted with the session before it", async () => {
  const id = await start();
  const { session_id } = await comes(person(1));
  await ends(session_id, "user");
  await guard();
  await ok("POST", `/experiments/${id}/stop`, { reason: "Enough" });
  app.clock.advance(5 * 86_400_000);
  await ok("POST", "/suppressions/", { address: person(1), scope: "all", reason: "do-not-call" });
  await guard();
  const { figures } = await ok("GET", `/experiments/${id}/comparison`);
  const { versions } = figures.find(({ metric }: { metric: string }) => metric === "opt_outs");
  expect(versions.map(({ count }: { count: number }) => count).reduce(sum)).toBe(1);
});

test("of three versions the last is returned for its errors, too, once nobody meets the control", async () => {
  const { prompt_id } = await ok("GET", `/agents/${agent_id}`);
  await save(prompt_id, 'on "open" -> say "Nine to six."');
  await publish({ take_live: false });
  const weights = (...of: number[]) => of.map((weight, n) => ({ version_number: n + 1, weight }));
  const id = await start({
    variants: weights(60, 20, 20).map((variant, n) => ({ ...variant, is_control: n === 0 })),
  });
  await people(60, () => "user", 7_000);
  await guard();
  await ok("PUT", `/experiments/${id}/weights`, { weights: weights(0, 50, 50) });
  await people(60, (version) => (version === 3 ? "error" : "user"), 8_000);
  await guard();
  expect((await ok("GET", `/experiments/${id}`)).ended_because).toMatch(
    /^Errors happen to more people with version 3 \(p < /,
  );
});
