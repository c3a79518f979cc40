import { beforeAll, expect, test } from "vitest";
import { createTestApp, type TestApp } from "../../harness/app.ts";
import { createDialing, type Dialing } from "../../harness/dialing.ts";
import { createNumbers, NUMBER_GROUPS } from "../../harness/number-group.ts";

let app: TestApp;
let dialing: Dialing;
beforeAll(async () => {
  app = await createTestApp();
  dialing = await createDialing(app);
});

let counter = 0;
const create = (more: object = {}) =>
  app.send("POST", `${NUMBER_GROUPS}/`, { name: `Group ${++counter}`, channel_target_ids: [], ...more });
const numberOf = () => `+1512666${String(++counter).padStart(4, "0")}`;

test("a group keeps its settings and numbers, and tells which campaigns send from it", async () => {
  const ids = await createNumbers(app, [numberOf(), numberOf()]);
  const health = { window_hours: 24, least_share: 0.5, least_attempts: 30, rest_hours: 12 };
  const made = await create({ channel_target_ids: ids, daily_cap: 50, timezone: "america/chicago", health });
  expect(made).toMatchObject({
    status: 200,
    body: {
      mode: "voice",
      timezone: "America/Chicago",
      daily_cap: 50,
      local_presence: true,
      health,
      channel_target_ids: ids,
      numbers: 2,
      resting: 0,
      campaigns: [],
    },
  });
  const { id, name } = made.body;
  const { campaign_id } = await dialing.filled(0);
  const url = `/api/v1/outbound/campaigns/${campaign_id}/number-group`;
  expect((await app.send("GET", url)).body).toEqual({ number_group_id: null });
  expect((await app.send("PUT", url, { number_group_id: id })).body).toEqual({ number_group_id: id });
  const read = (await app.send("GET", `${NUMBER_GROUPS}/${id}`)).body;
  expect(read.campaigns).toHaveLength(1);

  const refused = await app.send("DELETE", `${NUMBER_GROUPS}/${id}?reason=test`);
  expect(refused.status).toBe(400);
  expect(refused.body.detail).toMatch(`Cannot delete number group "${name}" while it is used by campaign "`);
  await app.send("PUT", url, { number_group_id: null });
  expect((await app.send("DELETE", `${NUMBER_GROUPS}/${id}?reason=test`)).status).toBe(200);
  expect((await app.send("GET", `${NUMBER_GROUPS}/${id}`)).status).toBe(404);
  // Its numbers are free for another group.
  expect((await create({ channel_target_ids: ids })).status).toBe(200);
});

test("a number is in one group at most, of the group's mode, and the organization's own", async () => {
  const [mine] = await createNumbers(app, [numberOf()]);
  const [text] = await createNumbers(app, [numberOf()], app.admin, "sms");
  const neighbour = await app.createNeighbour();
  const [theirs] = await createNumbers(app, [numberOf()], neighbour.caller);
  const first = (await create({ channel_target_ids: [mine] })).body;
  const { status, body } = await create({ channel_target_ids: [mine, text, theirs] });
  expect(status).toBe(422);
  expect(body.detail.map(({ loc, msg }: { loc: unknown[]; msg: string }) => [loc.at(-1), msg])).toEqual([
    [0, expect.stringContaining(`is in the number group "${first.name}". Take it out there first`)],
    [1, expect.stringContaining("is not connected for calls")],
    [2, `Channel target with ID ${theirs} not found`],
  ]);
  for (const wrong of [{ daily_cap: 0 }, { timezone: "Mars" }, { health: { window_hours: 1 } }, { extra: 1 }])
    expect((await create(wrong)).status).toBe(422);
  expect((await neighbour.send("GET", `${NUMBER_GROUPS}/${first.id}`)).status).toBe(404);
  expect((await neighbour.send("GET", `${NUMBER_GROUPS}/${first.id}/report`)).status).toBe(404);
  const rest = `${NUMBER_GROUPS}/${first.id}/numbers/${mine}/rest`;
  expect((await neighbour.send("PUT", rest, { resting_until: null })).status).toBe(404);
});

test("a campaign takes a group of its own channel only", async () => {
  const texts = (await create({ mode: "sms" })).body;
  const { campaign_id } = await dialing.filled(0);
  const url = `/api/v1/outbound/campaigns/${campaign_id}/number-group`;
  const refused = await app.send("PUT", url, { number_group_id: texts.id });
  expect(refused.status).toBe(422);
  expect(refused.body.detail[0].msg).toMatch(/are used for texts, and the campaign is not/);
  expect((await app.send("PUT", url, { number_group_id: 999_999 })).status).toBe(422);
});

test("a number that stays in its group through a change keeps its rest", async () => {
  const [resting, other] = await createNumbers(app, [numberOf(), numberOf()]);
  const { id, name } = (await create({ channel_target_ids: [resting] })).body;
  const until = new Date(app.clock.now().getTime() + 3_600_000).toISOString();
  const url = `${NUMBER_GROUPS}/${id}/numbers/${resting}/rest`;
  const rested = (await app.send("PUT", url, { resting_until: until })).body;
  expect(new Date(rested.resting_until).toISOString()).toBe(until);
  const changed = await app.send("PUT", `${NUMBER_GROUPS}/`, {
    id,
    name,
    channel_target_ids: [resting, other],
  });
  expect(changed.body).toMatchObject({ numbers: 2, resting: 1 });
  const { numbers } = (await app.send("GET", `${NUMBER_GROUPS}/${id}/report`)).body;
  expect(numbers).toHaveLength(2);
  await app.send("PUT", url, { resting_until: null });
  expect((await app.send("GET", `${NUMBER_GROUPS}/${id}`)).body.resting).toBe(0);
});
