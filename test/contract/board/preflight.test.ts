import { sql } from "kysely";
import { beforeAll, expect, test } from "vitest";
import { createTestApp, type TestApp } from "../../harness/app.ts";
import { request } from "../../harness/batch.ts";
import { createTestDialer } from "../../harness/dialer.ts";
import { createDialing, type Dialing } from "../../harness/dialing.ts";
import { sendForm } from "../../harness/form.ts";

let app: TestApp;
let dialing: Dialing;
beforeAll(async () => {
  app = await createTestApp();
  dialing = await createDialing(app);
  // 10:00 on a Wednesday in New York, 07:00 in Seattle.
  app.clock.set("2026-11-18T15:00:00Z");
});

const DAYS = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"];
const check = async (campaign_id: number, body: object = {}) =>
  (await app.send("POST", `/api/v1/outbound/campaigns/${campaign_id}/preflight`, body)).body;
const reasons = (counted: { reason: string; count: number }[]) =>
  Object.fromEntries(counted.map(({ reason, count }) => [reason, count]));

test("a check says how many would be contacted and why the others would not, and the dialer then does just that", async () => {
  await app.send("PUT", "/api/v1/outbound/rules", {
    person_clock: true,
    caps: [],
    contact_hours: [{ jurisdiction: "*", channel: "call", days: DAYS, from: "08:00", to: "21:00" }],
  });
  const { campaign_id, batch_id } = await dialing.filled(0, { hourly_rate: 3600 }, { paused: true });
  const boston = (n: number) => `+161755500${n}`;
  await dialing.outbound.add(batch_id, [
    request("free", boston(10)),
    request("free2", boston(11)),
    request("optedout", boston(12)),
    request("listed", boston(13)),
    request("seattle", "+12065580002"),
    request("late", boston(14), { not_after: "2026-11-18T09:00" }),
    request("later", boston(15), { not_before: "2026-11-18T12:00" }),
    request("same", boston(10)),
    request("none", "12"),
    request("premium", "+19005551234"),
  ]);
  await app.send("POST", "/api/v1/suppressions/", { address: boston(12) });
  const list = await app.send("POST", "/api/v1/do-not-call-lists/", {
    name: "Registry",
    kind: "national",
    purposes: ["informational"],
  });
  await sendForm(app, "POST", `/api/v1/do-not-call-lists/${list.body.id}/csv?as_of=2026-10-01`, {
    file: { filename: "dnc.csv", content: `address\n${boston(13)}\n` },
  });
  const told = await check(campaign_id);
  expect(told).toMatchObject({ waiting: 8, judged: 8, contacted: 2, outdated_lists: ["Registry"] });
  expect(told.batches).toEqual([{ batch_id, text: "Waiting: the batch is paused." }]);
  expect(reasons(told.later)).toEqual({ "person-hours": 1, "not-before": 1 });
  expect(reasons(told.skipped)).toEqual({
    suppressed: 1,
    "do-not-call": 1,
    "too-late": 1,
    destination: 1,
    duplicate: 1,
    invalid: 1,
  });
  await app.send("POST", `/api/v1/outbound/campaigns/${campaign_id}/start`);
  const dialer = createTestDialer(app, () => ({ tells: ["COMPLETED"] }));
  await dialer.pass(0.5, 1_000);
  expect(dialer.world.handed.map(({ target }) => target)).toEqual([boston(10), boston(11)]);
  const { rows } = await sql<{ n: number }>`
    select count(*) as n from requests r join batches b on b.key = r.batch_key
    where b.batch_id = ${batch_id} and r.request_status = 'SKIPPED'`.execute(app.db);
  expect(rows[0]?.n).toBe(4);
  expect(await check(campaign_id)).toMatchObject({ waiting: 2, contacted: 0, batches: [] });
});

test("one batch alone is checked when it is named, and another campaign's batch is unknown", async () => {
  const one = await dialing.filled(2);
  await app.send("POST", "/api/v1/outbound/batches", { batch_id: "second", campaign_id: one.campaign_id });
  await dialing.outbound.add("second", [request("x", dialing.person())]);
  expect(await check(one.campaign_id)).toMatchObject({ waiting: 3 });
  expect(await check(one.campaign_id, { batch_id: "second" })).toMatchObject({ waiting: 1 });
  const neighbour = await app.createNeighbour();
  const url = `/api/v1/outbound/campaigns/${one.campaign_id}/preflight`;
  expect((await neighbour.send("POST", url, {})).status).toBe(404);
});

test("a caller ID that is no number of ours is named, and what to do about it", async () => {
  const { campaign_id } = await dialing.filled(1);
  expect((await check(campaign_id)).sender).toEqual([]);
  await app.db
    .updateTable("campaigns")
    .set({ caller_id: "+12125550999" })
    .where("id", "=", campaign_id)
    .execute();
  expect((await check(campaign_id)).sender).toMatchObject([{ number: "+12125550999", problem: "not-ours" }]);
});
