import { sql } from "kysely";
import { beforeAll, beforeEach, expect, test } from "vitest";
import { hostsAt } from "../../../src/carriers/twilio/twilio-api.ts";
import { createTwilio } from "../../../src/carriers/twilio/twilio-carrier.ts";
import type { Carrier, Carriers } from "../../../src/channels/carrier.ts";
import documented from "../../fixtures/twilio/lookup-reassigned.json" with { type: "json" };
import { createTestApp, type TestApp } from "../../harness/app.ts";
import { BATCHES } from "../../harness/batch.ts";
import { createTestDialer } from "../../harness/dialer.ts";
import { createDialing, type Dialing } from "../../harness/dialing.ts";
import { createPeer, json, type Peer } from "../../harness/peer.ts";
import { createSender } from "../../harness/sender.ts";

const CAMPAIGNS = "/api/v1/outbound/campaigns";
const SINCE = "2026-01-02";
const TEXTS = "+15125550190";

let app: TestApp;
let dialing: Dialing;
let twilio: Peer;
let twilios: Carriers;
beforeAll(async () => {
  app = await createTestApp();
  dialing = await createDialing(app);
  await createSender(app, app.admin, { target: TEXTS, mode: "sms" });
  twilio = await createPeer();
  const carrier = createTwilio({
    egress: app.egress,
    publicUrl: "https://parley.example",
    hosts: hostsAt(twilio.url),
    name: "twilio",
    simulated: false,
  });
  twilios = carriersOf(carrier);
});
beforeEach(async () => {
  await dialing.forget();
  twilio.requests.length = 0;
});

const carriersOf = (carrier: Carrier): Carriers => ({
  of: async ({ id }) => ({ carrier, account: { channel_id: id, credentials: {} } }),
});

/** What Twilio says of each number, in the shape that its documentation shows. */
const says = (answerOf: (number: string) => object, before: () => unknown = () => {}) =>
  twilio.respond(async ({ path }, response) => {
    await before();
    const number = decodeURIComponent(new URL(path, "http://x").pathname.split("/").at(-1) as string);
    const reassigned_number = { ...documented.body.reassigned_number, ...answerOf(number) };
    json(response, 200, { ...documented.body, phone_number: number, reassigned_number });
  });
const asked = () =>
  twilio.requests.map(({ path }) => {
    const { pathname, searchParams } = new URL(path, "http://x");
    const number = decodeURIComponent(pathname.split("/").at(-1) as string);
    return `${number} ${searchParams.get("Fields")} ${searchParams.get("LastVerifiedDate")}`;
  });

const consent = (address: string) =>
  app.send("POST", "/api/v1/consents/", {
    address,
    channel: "call",
    given_through: "form",
    valid_from: `${SINCE}T10:00:00Z`,
  });
const checked = async (whom: string[]) => {
  const made = await dialing.filled(whom, { hourly_rate: 3600 });
  const path = `${CAMPAIGNS}/${made.campaign_id}/reach-rules`;
  const saved = await app.send("PUT", path, { purpose: "informational", check_reassigned: true });
  expect(saved.body).toEqual({ purpose: "informational", check_reassigned: true });
  return made;
};
const traceOf = async (batch_id: string, reference_id = "p0") =>
  (await app.send("GET", `${BATCHES}/${batch_id}/requests/${reference_id}/trace`)).body;
const dialerOf = (carriers: Carriers) =>
  createTestDialer(app, () => ({ tells: ["COMPLETED" as const] }), { carriers });
const numbers = ({ world }: ReturnType<typeof createTestDialer>) => world.handed.map(({ target }) => target);

test("a number that was given to somebody else since its consent is skipped with the reason, and the others are called", async () => {
  const [ann, bob] = [dialing.person(), dialing.person()];
  await consent(ann);
  await consent(bob);
  says((number) => ({ is_number_reassigned: number === ann ? "yes" : "no" }));
  const { batch_id, campaign_id } = await checked([ann, bob]);
  expect((await traceOf(batch_id)).next_step).toMatchObject({
    reason: "lookup",
    text: `Waiting: the carrier is asked whether the number was given to somebody else since ${SINCE}.`,
  });
  const dialer = dialerOf(twilios);
  await dialer.pass(3);
  expect(numbers(dialer)).toEqual([bob]);
  expect(asked().toSorted()).toEqual([ann, bob].map((n) => `${n} reassigned_number 20260102`).toSorted());
  expect(await dialing.shown(batch_id)).toEqual(["SKIPPED CANCELED 0", "COMPLETED COMPLETED 1"]);
  expect((await traceOf(batch_id)).next_step).toMatchObject({
    reason: "reassigned",
    text: `Skipped: the number was given to somebody else since ${SINCE}, says the carrier.`,
  });
  expect((await traceOf(batch_id, "p1")).number_check).toBe(
    `The carrier says that the number was not given to somebody else since ${SINCE}.`,
  );
  const board = await app.send("GET", `${CAMPAIGNS}/${campaign_id}/board`);
  expect(board.body.skip_counts).toEqual({ reassigned: 1 });
});

test("processes that look ahead at the same moment ask about each number once", async () => {
  const people = [dialing.person(), dialing.person()];
  for (const person of people) await consent(person);
  await checked(people);
  const [one, other] = [dialerOf(twilios), dialerOf(twilios)];
  let meanwhile: Promise<unknown> | undefined;
  says(
    () => ({ is_number_reassigned: "no" }),
    () => {
      if (meanwhile) return;
      meanwhile = other.tick();
      return meanwhile;
    },
  );
  app.clock.advance(1_000);
  await one.tick();
  expect(asked().length).toBe(people.length);
  await one.pass(3);
  expect(numbers(one)).toEqual(people);
});

test("without a consent the column last_verified is asked about; without either nobody is asked, and the trace says so", async () => {
  const [ann, bob] = [dialing.person(), dialing.person()];
  says(() => ({ is_number_reassigned: "no" }));
  const { batch_id } = await checked([ann, bob]);
  await sql`update requests set request_variables = '{"last_verified": "2026-03-04"}' where target = ${ann}`.execute(
    app.db,
  );
  const dialer = dialerOf(twilios);
  await dialer.pass(3);
  expect(numbers(dialer).toSorted()).toEqual([ann, bob].toSorted());
  expect(asked()).toEqual([`${ann} reassigned_number 20260304`]);
  expect((await traceOf(batch_id, "p1")).number_check).toContain("neither a consent on record nor a column");
});

test("an answer is kept: a second campaign within a day asks nothing", async () => {
  const ann = dialing.person();
  await consent(ann);
  says(() => ({ is_number_reassigned: "no" }));
  await checked([ann]);
  await dialerOf(twilios).pass(3);
  const again = await checked([ann]);
  const dialer = dialerOf(twilios);
  await dialer.pass(3);
  expect(await dialing.shown(again.batch_id)).toEqual(["COMPLETED COMPLETED 1"]);
  expect(asked()).toHaveLength(1);
});

test("while the carrier fails nobody is called unchecked; they are once it answers", async () => {
  const ann = dialing.person();
  await consent(ann);
  says(() => ({ is_number_reassigned: null, error_code: 60606 }));
  const { batch_id } = await checked([ann]);
  const dialer = dialerOf(twilios);
  await dialer.pass(2);
  expect(numbers(dialer)).toEqual([]);
  expect((await traceOf(batch_id)).next_step.text).toMatch(/^Waiting: the carrier .*60606/);
  says(() => ({ is_number_reassigned: "no" }));
  await dialer.pass(3);
  expect(numbers(dialer)).toEqual([ann]);
});

test("a number that the carrier has no data on is called, and the trace says that nobody knows", async () => {
  const ann = dialing.person();
  await consent(ann);
  says(() => ({ is_number_reassigned: "no_data_available" }));
  const { batch_id } = await checked([ann]);
  const dialer = dialerOf(twilios);
  await dialer.pass(3);
  expect(numbers(dialer)).toEqual([ann]);
  expect((await traceOf(batch_id)).number_check).toBe(
    `The carrier does not know whether the number was given to somebody else since ${SINCE}.`,
  );
});

test("where no carrier can tell, people are called, and the trace says that nobody could be asked", async () => {
  const ann = dialing.person();
  await consent(ann);
  const { batch_id } = await checked([ann]);
  const dialer = dialerOf({ of: async () => null });
  await dialer.pass(3);
  expect(numbers(dialer)).toEqual([ann]);
  expect((await traceOf(batch_id)).number_check).toContain("No carrier of the organization can tell");
});

test("a campaign that does not ask costs no question, and a PUT of the purpose alone keeps the check", async () => {
  const ann = dialing.person();
  await consent(ann);
  const { batch_id, campaign_id } = await dialing.filled([ann], { hourly_rate: 3600 });
  const dialer = dialerOf(twilios);
  await dialer.pass(3);
  expect([numbers(dialer), asked()]).toEqual([[ann], []]);
  expect((await traceOf(batch_id)).number_check).toBeNull();
  const path = `${CAMPAIGNS}/${campaign_id}/reach-rules`;
  await app.send("PUT", path, { purpose: "informational", check_reassigned: true });
  const kept = await app.send("PUT", path, { purpose: "emergency" });
  expect(kept.body).toEqual({ purpose: "emergency", check_reassigned: true });
});

test("whoever has the number now is not texted by a later step either, nor called again once the carrier has said it", async () => {
  const [ann, bob] = [dialing.person(), dialing.person()];
  await consent(ann);
  await consent(bob);
  says((number) => ({ is_number_reassigned: number === ann ? "yes" : "no" }));
  const { batch_id, campaign_id } = await checked([ann, bob]);
  const steps = [{ mode: "sms", source: TEXTS, wait: "1s" }];
  expect((await app.send("PUT", `${CAMPAIGNS}/${campaign_id}/cadence`, { steps })).status).toBe(200);
  const dialer = createTestDialer(app, () => ({ tells: ["NO-ANSWER" as const] }), { carriers: twilios });
  await dialer.pass(5);
  expect(dialer.world.handed.map(({ target, mode }) => `${mode} ${target}`)).toEqual([
    `voice ${bob}`,
    `sms ${bob}`,
  ]);
  expect((await dialing.shown(batch_id))[0]).toBe("SKIPPED CANCELED 0");
});
