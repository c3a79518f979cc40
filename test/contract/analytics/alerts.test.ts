import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { WelcomeMail } from "../../../src/accounts/welcome-mail.ts";
import { json as jsonValue } from "../../../src/db/database.ts";
import { createDeliverer } from "../../../src/webhooks/delivery-loop.ts";
import { sendSessionEnded } from "../../../src/webhooks/event-delivery.ts";
import { createTestApp, START, type TestApp } from "../../harness/app.ts";
import { insertFacts } from "../../harness/facts.ts";
import { createPeer, json, type Peer } from "../../harness/peer.ts";
import { insertSession } from "../../harness/rows.ts";
import { routesTo, secretOf } from "../../harness/webhooks.ts";

const mails: WelcomeMail[] = [];
let app: TestApp;
let peer: Peer;
let deliver: () => Promise<number>;
beforeAll(async () => {
  app = await createTestApp({}, undefined, { sendMail: async (mail) => void mails.push(mail) });
  peer = await createPeer();
  const egress = routesTo({ "good.example": peer });
  const deliverer = createDeliverer({ ...app, egress, random: () => 0.5 });
  deliver = () => deliverer.drain();
  return () => egress.close();
});
beforeEach(() => {
  mails.length = 0;
  peer.requests.length = 0;
  peer.respond((_, response) => json(response, 200, {}));
});

const jobOf = (name: string) => {
  const found = app.jobs.find(({ job }) => job.name === name);
  if (!found) throw new Error(`no job ${name}`);
  return found;
};
const context = { stopping: new AbortController().signal } as never;
/** What two processes do in the same minute. */
const check = () => Promise.all([1, 2].map(() => jobOf("check-alerts").run({}, context)));
async function mailAll() {
  const { rows } = await app.database.pool.query(
    "delete from graphile_worker._private_jobs job using graphile_worker._private_tasks task where task.id = job.task_id and task.identifier = 'mail-alert' returning job.payload",
  );
  for (const { payload } of rows) await jobOf("mail-alert").run(payload, context);
}
const rule = (more: object = {}) => ({
  metric: { name: "errors" },
  condition: "above",
  threshold: 0.05,
  least_sessions: 20,
  window_minutes: 60,
  ...more,
});
const subscribe = async (more: object = {}) =>
  (
    await app.send("POST", "/api/v1/webhooks/", {
      name: "Receiver",
      url: "https://good.example/hook",
      ...more,
    })
  ).body;

describe("an alert", () => {
  test.each([
    [{ threshold: 5 }, "threshold"],
    [{ metric: { name: "sessions" }, condition: "below", threshold: 10 }, "least_sessions"],
  ])("that could never fire is refused, as is its preview: %j", async (more, field) => {
    const refusal = { status: 422, body: { detail: [{ loc: ["body", field] }] } };
    expect(await app.send("POST", "/api/v1/alerts/", { name: "Never", ...rule(more) })).toMatchObject(
      refusal,
    );
    expect(await app.send("POST", "/api/v1/alerts/preview", rule(more))).toMatchObject(refusal);
  });

  test("compares with no week of which retention has deleted a part, and says so in place of firing", async () => {
    const settings = "/api/v1/organizations/privacy";
    const daysAgo = (days: number) => new Date(app.clock.now().getTime() - days * 86_400_000).toISOString();
    // 30 each week; of the week before ten are left.
    const ends = [...Array(30).fill(1), ...Array(10).fill(8)].map(daysAgo);
    await insertFacts(app, 40, (n) => ({ agent_id: 72, began_at: ends[n], ended_at: ends[n] }));
    const rises = { metric: { name: "sessions" }, condition: "rises_by", threshold: 0.5, least_sessions: 5 };
    const { id } = (
      await app.send("POST", "/api/v1/alerts/", {
        name: "Rush",
        ...rule(rises),
        window_minutes: 7 * 1_440,
        search_fields: ["agent_id"],
        search_field_values: ["72"],
      })
    ).body;
    const keptFor = async (days: number | null) => {
      await app.send("PUT", settings, { retention: { session: days } });
      app.clock.advance(60_000);
      await check();
      const { state, problem } = (await app.send("GET", `/api/v1/alerts/${id}`)).body;
      return { state, problem };
    };
    const problem =
      "Retention deletes sessions of the window before, so there is nothing to compare with. Choose a shorter window, or keep sessions for longer.";
    expect(await keptFor(10)).toMatchObject({ problem });
    expect((await keptFor(10)).state).not.toBe("firing");
    const asked = { ...rule(rises), window_minutes: 7 * 1_440 };
    expect((await app.send("POST", "/api/v1/alerts/preview", asked)).body).toMatchObject({
      problem,
      fired: [],
    });
    expect(await keptFor(15)).toEqual({ state: "firing", problem: null });
    await keptFor(null);
    await app.send("DELETE", `/api/v1/alerts/${id}?reason=test`);
  });

  test("shows its figures to who may see what it looks at: a token that reads alerts reads no insight", async () => {
    const insights = {
      metric: { name: "insight_mean", insight: "score" },
      condition: "below",
      threshold: 3,
      least_sessions: 0,
    };
    const filtered = { search_fields: ["insight"], search_field_values: ["mood=bad"] };
    const ids: number[] = [];
    const none = { search_fields: [], search_field_values: [] };
    const rules = [
      ["Score", { ...rule(insights), ...none }],
      ["Mood", { ...rule({ metric: { name: "sessions" }, threshold: 3 }), ...filtered }],
      ["Errors", { ...rule(), ...none }],
    ] as const;
    const watched = rules.map(([, { metric, search_fields, search_field_values }]) => ({
      metric: jsonValue(metric),
      search_fields,
      search_field_values,
    }));
    for (const [name, more] of rules)
      ids.push((await app.send("POST", "/api/v1/alerts/", { name, ...more })).body.id);
    const told = { last_value: 2.5, last_sessions: 30 };
    await app.db.updateTable("alert_rules").set(told).where("id", "in", ids).execute();
    await app.db
      .insertInto("alert_changes")
      .values(
        ids.map((alert_rule_id, n) => ({
          ...watched[n],
          alert_rule_id,
          sub_organization_id: app.admin.sub_organization_id,
          at: START,
          state: "firing" as const,
          value: 2.5,
          sessions: 30,
          description: "The score is 2.5",
        })),
      )
      .execute();
    const read = async (permissions: string[]) => {
      const reader = app.sendAs(await app.createToken(["alerts_read", ...permissions]));
      const { items } = (await reader("GET", "/api/v1/alerts/")).body;
      const one = (await reader("GET", `/api/v1/alerts/${ids[0]}`)).body;
      const changes = (await reader("GET", "/api/v1/alerts/changes")).body.items;
      const shown = (id: number) => [
        items.find((each: { id: number }) => each.id === id).last_value,
        changes.find((each: { alert_rule_id: number }) => each.alert_rule_id === id).description,
      ];
      return [...ids.map(shown), one.last_sessions];
    };
    const hidden = [null, null];
    const seen = [2.5, "The score is 2.5"];
    expect(await read([])).toEqual([hidden, hidden, seen, null]);
    expect(await read(["insights_read"])).toEqual([seen, seen, seen, 30]);
    // The rules look at something else from now on, and what they found before is still of insights.
    for (const id of ids.slice(0, 2))
      await app.send("PUT", "/api/v1/alerts/", { id, name: `Now errors ${id}`, ...rule() });
    expect(await read([])).toEqual([hidden, hidden, seen, null]);
    const trail = "audit_entries/?search_fields=resource&search_field_values=alerts&limit=1000";
    const { items } = (await app.send("GET", `/api/v1/${trail}`)).body;
    const named = items.flatMap(({ before, after }: Record<"before" | "after", object | null>) =>
      Object.keys({ ...before, ...after }),
    );
    expect(named).toContain("threshold");
    expect(named).not.toContain("last_value");
    const kept = [null, "The score is 2.5"];
    expect(await read(["insights_read"])).toEqual([kept, kept, seen, null]);
    for (const id of ids) await app.send("DELETE", `/api/v1/alerts/${id}?reason=test`);
  });

  test("of a planted fault is told once when it fires and once when it resolves, by mail and webhook, though two processes check", async () => {
    const hook = await subscribe({
      name: "On call",
      events: ["alert"],
      auth_values: { hmac_secret: secretOf(1) },
    });
    expect(hook).toMatchObject({ auth_value_keys: ["hmac_secret"], disabled_at: null });
    const input = { name: "Errors", notified_users: [app.admin.user_id], remind_hours: 2, ...rule() };
    const { id } = (await app.send("POST", "/api/v1/alerts/", input)).body;
    await check();
    expect((await app.send("GET", `/api/v1/alerts/${id}`)).body).toMatchObject({
      state: "ok",
      last_sessions: 0,
    });

    const ended_at = new Date(Date.parse(START) + 30_000).toISOString();
    await insertFacts(app, 40, (n) => ({ is_error: n < 5, ended_at }));
    for (let minute = 0; minute < 3; minute++) {
      app.clock.advance(60_000);
      await check();
    }
    await mailAll();
    await deliver();
    const description = "Sessions with an error: 12.5 % of 40 sessions in 60 minutes (limit: above 5 %).";
    expect(mails).toMatchObject([{ to: "admin@example.com", subject: "Alert: Errors" }]);
    expect(mails[0]?.text).toContain(description);
    expect(peer.requests.map(({ body }) => JSON.parse(String(body)))).toMatchObject([
      {
        type: "alert",
        data: { alert_rule_id: id, state: "firing", value: 0.125, sessions: 40, description },
      },
    ]);
    expect(peer.requests[0]?.headers["webhook-signature"]).toMatch(/^v1,/);

    app.clock.advance(3_600_000);
    await insertFacts(app, 20, () => ({}));
    app.clock.advance(60_000);
    await check();
    await check();
    await mailAll();
    await deliver();
    expect(mails.map(({ subject }) => subject)).toEqual(["Alert: Errors", "Resolved: Errors"]);
    expect(peer.requests).toHaveLength(2);
    const { items } = (
      await app.send("GET", `/api/v1/alerts/changes?search_fields=alert_rule_id&search_field_values=${id}`)
    ).body;
    expect(items.map(({ state }: { state: string }) => state)).toEqual(["resolved", "firing"]);
    const watched = await app.db
      .selectFrom("alert_changes")
      .select(["metric", "search_fields", "search_field_values"])
      .where("alert_rule_id", "=", id)
      .execute();
    expect(watched).toEqual(
      Array(2).fill({ metric: { name: "errors" }, search_fields: [], search_field_values: [] }),
    );
    const preview = await app.send("POST", "/api/v1/alerts/preview", rule());
    expect(preview.body).toMatchObject({ windows: 168, fired: [{ value: 0.125, sessions: 40 }] });
    const log = (await app.send("GET", "/api/v1/webhooks/deliveries")).body.items;
    expect(log).toMatchObject([{ event: "alert", state: "DELIVERED" }, { state: "DELIVERED" }]);
    const again = await app.send("POST", `/api/v1/webhooks/deliveries/${log[0].id}/resend`);
    expect(again.body).toMatchObject({ id: log[0].id, state: "WAITING" });
    await deliver();
    expect(peer.requests.at(-1)?.headers["webhook-id"]).toBe(log[0].id);
  });

  test("names what it can't watch or whom it can't mail at the place, and is its organization's own", async () => {
    const wrong = [
      { search_fields: ["channel"], search_field_values: ["smoke"] },
      { notified_users: [999] },
      { window_minutes: 1 },
    ];
    const places = [];
    for (const more of wrong)
      places.push(
        (await app.send("POST", "/api/v1/alerts/", { name: "x", ...rule(more) })).body.detail?.[0]?.loc,
      );
    expect(places).toEqual([
      ["body", "search_field_values", 0],
      ["body", "notified_users"],
      ["body", "window_minutes"],
    ]);
    const { id } = (await app.send("POST", "/api/v1/alerts/", { name: "Mine", ...rule() })).body;
    const neighbour = await app.createNeighbour();
    expect((await neighbour.send("GET", `/api/v1/alerts/${id}`)).status).toBe(404);
    expect((await neighbour.send("GET", "/api/v1/alerts/changes")).body.items).toEqual([]);
    expect((await neighbour.send("GET", "/api/v1/webhooks/deliveries")).body.items).toEqual([]);
  });
});

describe("a webhook", () => {
  test("for session.ended is told in the transaction that ends the session, and of no test session", async () => {
    const hook = await subscribe({ name: "Ends", events: ["session.ended", "insight.found"] });
    const at = app.clock.now().toISOString();
    const ended = async (is_test: boolean) => {
      const id = await insertSession(app, { ended_at: at, end_reason: "user", is_test });
      const row = await app.db
        .selectFrom("sessions")
        .selectAll()
        .where("id", "=", id)
        .executeTakeFirstOrThrow();
      return row as Parameters<typeof sendSessionEnded>[1];
    };
    const session = await ended(false);
    const undone = app.db.transaction().execute(async (tx) => {
      await sendSessionEnded(tx, session);
      throw new Error("undone");
    });
    await expect(undone).rejects.toThrow("undone");
    await app.db.transaction().execute(async (tx) => sendSessionEnded(tx, await ended(true)));
    await app.db.transaction().execute((tx) => sendSessionEnded(tx, session));
    await deliver();
    expect(peer.requests.map(({ body }) => JSON.parse(String(body)))).toMatchObject([
      { type: "session.ended", data: { session_id: String(session.id), end_reason: "user" } },
    ]);

    const gone = await app.send("DELETE", `/api/v1/sessions/${session.id}?reason=test`);
    expect(gone.status).toBe(200);
    const left = await app.send(
      "GET",
      `/api/v1/webhooks/deliveries?search_fields=webhook_id&search_field_values=${hook.id}`,
    );
    expect(left.body.items).toEqual([]);
  });

  test("is held while it is disabled, and sent what was held when it is enabled", async () => {
    const hook = await subscribe({ name: "Held", events: ["session.ended"] });
    await app.send("POST", `/api/v1/webhooks/${hook.id}/disable`);
    expect((await app.send("POST", `/api/v1/webhooks/${hook.id}/test`, { event: "alert" })).status).toBe(400);
    const id = await insertSession(app, { ended_at: app.clock.now().toISOString(), end_reason: "user" });
    const row = await app.db
      .selectFrom("sessions")
      .selectAll()
      .where("id", "=", id)
      .executeTakeFirstOrThrow();
    await app.db.transaction().execute((tx) => sendSessionEnded(tx, row as never));
    await deliver();
    const states = async () =>
      (
        await app.send(
          "GET",
          `/api/v1/webhooks/deliveries?search_fields=webhook_id&search_field_values=${hook.id}`,
        )
      ).body.items.map(({ state }: { state: string }) => state);
    expect(await states()).toEqual(["HELD"]);
    await app.send("POST", `/api/v1/webhooks/${hook.id}/enable`, { send_held: true });
    await deliver();
    expect(await states()).toEqual(["DELIVERED"]);
  });

  test("keeps its secret to itself, and a new address needs it again", async () => {
    const secret = { auth_values: { hmac_secret: secretOf(2) } };
    const hook = await subscribe({ name: "Secret", events: ["alert"], ...secret });
    expect(JSON.stringify(hook)).not.toContain(secretOf(2));
    const moved = { id: hook.id, name: "Secret", events: ["alert"], url: "https://other.example/" };
    expect((await app.send("PUT", "/api/v1/webhooks/", moved)).body.detail).toMatchObject([
      { loc: ["body", "auth_values", "hmac_secret"] },
    ]);
    expect((await app.send("PUT", "/api/v1/webhooks/", { ...moved, ...secret })).status).toBe(200);
    const plain = await app.send("POST", "/api/v1/webhooks/", { ...moved, url: "http://other.example" });
    expect(plain).toMatchObject({ status: 422, body: { detail: [{ loc: ["body", "url"] }] } });
  });
});

test("an alert that fires and is then set on other sessions does not fire because the former ones were beyond its limit", async () => {
  const id = await make("Moved");
  await insertFacts(app, 40, () => ({ is_error: true }));
  app.clock.advance(60_000);
  await check();
  const state = async () => (await app.send("GET", `/api/v1/alerts/${id}`)).body.state;
  const change = (more: object) => app.send("PUT", "/api/v1/alerts/", { id, name: "Moved", ...rule(more) });
  expect(await state()).toBe("firing");
  await change({ threshold: 0.1 });
  expect(await state()).toBe("firing");
  await change({ search_fields: ["channel"], search_field_values: ["email"] });
  expect(await state()).toBe(null);
  app.clock.advance(60_000);
  await check();
  expect(await state()).toBe("ok");
});

test("an alert is not over because nobody comes any more: it fires on, says so where it reminds, and is resolved once enough came", async () => {
  const input = { name: "Outage", notified_users: [app.admin.user_id], remind_hours: 1 };
  const { id } = (await app.send("POST", "/api/v1/alerts/", { ...input, ...rule() })).body;
  const state = async () => (await app.send("GET", `/api/v1/alerts/${id}`)).body.state;
  const checkAfter = async (ms: number) => {
    app.clock.advance(ms);
    await check();
    await mailAll();
    return mails.filter(({ subject }) => subject.endsWith("Outage"));
  };
  await insertFacts(app, 40, () => ({ is_error: true }));
  expect(await checkAfter(60_000)).toMatchObject([{ subject: "Alert: Outage" }]);

  await insertFacts(app, 1, () => ({ ended_at: new Date(app.clock.now().getTime() + 60_000).toISOString() }));
  const few = /0 % of 1 sessions .* too few sessions to tell whether the problem is over/;
  expect(await checkAfter(3_600_000)).toMatchObject([
    { subject: "Alert: Outage" },
    { subject: "Still firing: Outage", text: expect.stringMatching(few) },
  ]);
  expect(await state()).toBe("firing");

  await insertFacts(app, 20, () => ({}));
  expect((await checkAfter(60_000)).at(-1)).toMatchObject({ subject: "Resolved: Outage" });
  expect(await state()).toBe("ok");
});

const make = async (name: string): Promise<number> =>
  (await app.send("POST", "/api/v1/alerts/", { name, ...rule() })).body.id;

test("an alert is checked in the first minute after the clock was set back, and not only when that has caught up", async () => {
  const id = await make("Set back");
  const checkedAt = async () => {
    const { checked_at } = await app.db
      .selectFrom("alert_rules")
      .select("checked_at")
      .where("id", "=", id)
      .executeTakeFirstOrThrow();
    return Date.parse(checked_at as string);
  };
  app.clock.jump(3_600_000);
  await check();
  const ahead = await checkedAt();
  app.clock.jump(-3_600_000);
  await check();
  expect(ahead - (await checkedAt())).toBe(3_600_000);
});

test("an alert that fired before the clock was set back reminds after its hours from then on, and not as much later", async () => {
  const input = { name: "Fired ahead", notified_users: [app.admin.user_id], remind_hours: 1 };
  await app.send("POST", "/api/v1/alerts/", { ...input, ...rule() });
  const subjectsAfter = async (move: () => void) => {
    move();
    await insertFacts(app, 40, () => ({ is_error: true }));
    app.clock.advance(60_000);
    await check();
    await mailAll();
    return mails.map(({ subject }) => subject).filter((subject) => subject.endsWith("Fired ahead"));
  };
  const fired = ["Alert: Fired ahead"];
  expect(await subjectsAfter(() => app.clock.jump(5 * 3_600_000))).toEqual(fired);
  expect(await subjectsAfter(() => app.clock.jump(-5 * 3_600_000))).toEqual(fired);
  expect(await subjectsAfter(() => app.clock.advance(3_600_000))).toEqual([
    ...fired,
    "Still firing: Fired ahead",
  ]);
  // So that the tests below find none of these sessions.
  app.clock.advance(7_200_000);
});

test("an alert is checked in its minute also where the rule before it can't be, as after an error of the database", async () => {
  const [broken, sound] = [await make("Broken"), await make("Sound")];
  await app.db
    .updateTable("alert_rules")
    .set({ metric: jsonValue({ name: "no such metric" }), checked_at: "2020-01-01T00:00:00Z" })
    .where("id", "=", broken)
    .execute();
  await app.db
    .updateTable("alert_rules")
    .set({ checked_at: "2020-01-01T00:01:00Z" })
    .where("id", "=", sound)
    .execute();
  await expect(jobOf("check-alerts").run({}, context)).rejects.toThrow();
  const { state } = await app.db
    .selectFrom("alert_rules")
    .select("state")
    .where("id", "=", sound)
    .executeTakeFirstOrThrow();
  expect(state).toBe("ok");
});
