import { sql } from "kysely";
import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { personsStatement, readPersons } from "../../../src/address-book/persons.ts";
import { suppress } from "../../../src/consent/suppression.ts";
import { FEW_BY_KEY, planned } from "../../../src/db/plans.ts";
import { createTestApp, type TestApp } from "../../harness/app.ts";
import { BATCHES, request } from "../../harness/batch.ts";
import { contactAt, createContact } from "../../harness/contacts.ts";
import { createTestDialer } from "../../harness/dialer.ts";
import { createDialing, type Dialing } from "../../harness/dialing.ts";
import { StatementCounter } from "../../harness/statement-counter.ts";

/** Boston and Seattle: an hour of three apart. */
const HOME = "+16175580001";
const MOBILE = "+12065580002";
const MAIL = "ann@example.com";
const FAST = { hourly_rate: 3600 };
const DAYS = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"];
const DAY_ms = 86_400_000;

let app: TestApp;
let dialing: Dialing;
beforeAll(async () => {
  app = await createTestApp({ OUTREACH_MOST_PER_PERSON: "2/24h" });
  dialing = await createDialing(app);
});
beforeEach(async () => {
  // 10:00 on a Wednesday in New York, 07:00 in Seattle.
  app.clock.set("2026-11-18T15:00:00Z");
  await dialing.forget();
  await sql`truncate suppressions, contacts cascade`.execute(app.db);
  await sql`update organizations set outreach_rules = null, contact_key_variable = null`.execute(app.db);
});

const rules = (more: object) =>
  app.send("PUT", "/api/v1/outbound/rules", { person_clock: false, contact_hours: [], caps: [], ...more });
const dialerOf = (more: object = {}) => createTestDialer(app, () => ({ tells: ["NO-ANSWER"] }), more);
const reached = ({ world }: ReturnType<typeof createTestDialer>) => world.handed.map(({ target }) => target);
const nextOf = async (batch_id: string) =>
  (await app.send("GET", `${BATCHES}/${batch_id}/requests/p0/trace`)).body.next_step;
const campaignOf = async (number: string): Promise<string> => (await dialing.filled([number], FAST)).batch_id;

describe("attempts to one person", () => {
  test("a cap over campaigns counts calls to all addresses of the contact, and the trace says so", async () => {
    await rules({ caps: [{ channel: "call", attempts: 1, days: 1 }] });
    await createContact(app, [HOME, MOBILE, MAIL]);
    await campaignOf(HOME);
    const second = await campaignOf(MOBILE);
    const dialer = dialerOf();
    await dialer.pass(2);
    expect(reached(dialer)).toEqual([HOME]);
    expect(await nextOf(second)).toMatchObject({ reason: "contact-cap" });
    expect((await app.send("GET", contactAt(MAIL))).body.caps).toMatchObject([{ channel: "call", used: 1 }]);
    app.clock.advance(DAY_ms);
    await dialer.tick();
    expect(reached(dialer)).toEqual([HOME, MOBILE]);
  });

  test("no more than one starts of two that are due at once, in one process or in several", async () => {
    await rules({ caps: [{ channel: "any", attempts: 1, days: 1 }] });
    await createContact(app, [HOME, MOBILE]);
    for (let n = 0; n < 3; n++) for (const number of [HOME, MOBILE]) await campaignOf(number);
    const dialers = [dialerOf(), dialerOf(), dialerOf()];
    for (let n = 0; n < 5; n++) {
      await Promise.all(dialers.map((dialer) => dialer.tick()));
      for (const dialer of dialers) await dialer.settle();
      app.clock.advance(1_000);
    }
    expect(dialers.flatMap(reached)).toHaveLength(1);
  });

  test("nobody is called at two of their telephones at once, by one process or several, and those behind them are not held up", async () => {
    await createContact(app, [HOME, MOBILE]);
    await campaignOf(HOME);
    const { batch_id } = await dialing.filled([MOBILE, "+13125550003"], FAST);
    // Calls that go on until the test ends them.
    const dialers = [1, 2].map(() => createTestDialer(app, () => ({ tells: [] })));
    for (let n = 0; n < 5; n++) {
      await Promise.all(dialers.map((dialer) => dialer.tick()));
      app.clock.advance(1_000);
    }
    expect(dialers.flatMap(reached).toSorted()).toEqual([HOME, "+13125550003"].toSorted());
    expect(await nextOf(batch_id)).toMatchObject({
      reason: "same-address",
      text: "Waiting: another attempt to the same person is under way.",
    });
    await sql`update attempts set state = 'ENDED', holds_slot = false where target = ${HOME}`.execute(app.db);
    app.clock.advance(1_000);
    await dialers[0]?.tick();
    expect(dialers.flatMap(reached)).toContain(MOBILE);
  });

  test("where nothing is linked, each address counts for itself", async () => {
    await rules({ caps: [{ channel: "call", attempts: 1, days: 1 }] });
    await createContact(app, [HOME, MAIL]);
    await campaignOf(HOME);
    await campaignOf(MOBILE);
    const dialer = dialerOf();
    await dialer.pass(2);
    expect(reached(dialer).toSorted()).toEqual([HOME, MOBILE].toSorted());
  });

  test("the installation's limit per person counts them, too", async () => {
    await createContact(app, [HOME, MOBILE]);
    const limits = { per_source: 20, per_organization: 100, kept_for_callers: 0.3 };
    const dialer = dialerOf({ limits: { ...limits, per_person: { attempts: 1, window_ms: DAY_ms } } });
    await campaignOf(HOME);
    await dialer.pass(1);
    const second = await campaignOf(MOBILE);
    await dialer.pass(1);
    expect(reached(dialer)).toEqual([HOME]);
    expect(second).toBeTruthy();
  });
});

describe("opt-outs of one person", () => {
  const opted = async (more: object) => {
    const { sub_organization_id } = app.admin;
    const at = app.clock.now();
    const proof = { at, through: "text", said: "STOP", session_id: null, message_id: null } as const;
    const entry = {
      sub_organization_id,
      address: HOME,
      scope: "all",
      reason: "unsubscribed",
      proof,
    } as const;
    await app.db.transaction().execute((tx) => suppress(tx, [{ ...entry, ...more }], at));
  };
  const proof = (through: "speech" | "operator" | "carrier") => ({
    proof: { at: app.clock.now(), through, said: null, session_id: null, message_id: null },
  });

  test.each([
    ["on all channels, by a text", () => ({}), true],
    ["on all channels, by an operator", () => ({ reason: "do-not-call", ...proof("operator") }), true],
    ["of calls, told in a conversation", () => ({ scope: "voice", ...proof("speech") }), true],
    [
      "of calls, by an operator",
      () => ({ scope: "voice", reason: "do-not-call", ...proof("operator") }),
      false,
    ],
    ["of texts, told in a conversation", () => ({ scope: "sms", ...proof("speech") }), false],
    ["that is none but a bounce", () => ({ reason: "bounced", ...proof("carrier") }), false],
  ])("an opt-out %s", async (_, more, holds) => {
    await createContact(app, [HOME, MOBILE]);
    await opted(more());
    const batch_id = await campaignOf(MOBILE);
    const dialer = dialerOf();
    await dialer.pass(1);
    expect(reached(dialer)).toEqual(holds ? [] : [MOBILE]);
    if (!holds) return;
    expect(await dialing.shown(batch_id)).toEqual(["SKIPPED PRIOR_UNSUBSCRIBED 0"]);
    expect((await nextOf(batch_id)).text).toContain(
      `${MOBILE} is of one contact with ${HOME}, which is on the list of those who must not be reached`,
    );
  });

  test("one that comes between the claim and the carrier withdraws the attempt to the other address", async () => {
    await createContact(app, [HOME, MOBILE]);
    await campaignOf(MOBILE);
    const dialer = createTestDialer(app, () => ({ tells: ["COMPLETED"] }));
    const { sub_organization_id } = app.admin;
    const { handOverGate } = await import("../../../src/dialing/hand-over-gate.ts");
    const gate = handOverGate(app.db);
    const question = {
      sub_organization_id,
      mode: "voice",
      purpose: "informational",
      address: MOBILE,
    } as const;
    await gate(question, null);
    await opted({});
    await expect(gate(question, null)).rejects.toThrow();
    expect(dialer.world.handed).toEqual([]);
  });
});

test("the contact's zone is the person's clock: after the request's own, before the number's area", async () => {
  const contact_hours = [{ jurisdiction: "*", channel: "call", days: DAYS, from: "08:00", to: "21:00" }];
  await rules({ person_clock: true, contact_hours });
  await app.send("PUT", contactAt(HOME), { timezone: "America/Los_Angeles" });
  const batch_id = await campaignOf(HOME);
  const dialer = dialerOf();
  await dialer.tick();
  expect(reached(dialer)).toEqual([]);
  expect(await nextOf(batch_id)).toMatchObject({
    reason: "person-hours",
    text: "Waiting for 08:00 in Los Angeles, the contact's zone.",
  });
  const own = await dialing.filled(0, FAST);
  await dialing.outbound.add(own.batch_id, [request("p0", HOME, { timezone: "America/New_York" })]);
  await dialer.tick();
  expect(reached(dialer)).toEqual([HOME]);
});

describe("requests that carry the key of their person", () => {
  const keyed = async () => {
    const answer = await app.send("PUT", "/api/v1/outbound/contact-key", { variable: "patient_id" });
    expect(answer.status).toBe(200);
  };
  const recordOf = async (address: string) => (await app.send("GET", contactAt(address))).body.record;
  const addressesOf = async (address: string) =>
    ((await recordOf(address))?.addresses ?? []).map((each: { address: string }) => each.address).toSorted();

  test("link their addresses, from a file or one by one, and count at the very next claim", async () => {
    await keyed();
    await rules({ caps: [{ channel: "call", attempts: 1, days: 1 }] });
    const file = await dialing.filled(0, FAST);
    await dialing.outbound.upload(
      file.batch_id,
      `reference_id,target,patient_id\nann,${HOME},7\nbob,${BOB},8\ncy,${CY},\n`,
    );
    const added = await dialing.filled(0, FAST);
    await dialing.outbound.add(added.batch_id, [request("p0", MOBILE, { patient_id: " 7 " })]);
    expect(await addressesOf(HOME)).toEqual([HOME, MOBILE].toSorted());
    expect(await recordOf(MOBILE)).toMatchObject({
      key: "7",
      addresses: [{ linked_through: "request" }, {}],
    });
    expect(await addressesOf(BOB)).toEqual([BOB]);
    expect(await recordOf(CY)).toBeNull();
    const dialer = dialerOf();
    await dialer.pass(3);
    expect(reached(dialer).filter((each) => each === HOME || each === MOBILE)).toHaveLength(1);
  });

  test("never move an address that is another contact's, and an event tells of it", async () => {
    await keyed();
    await createContact(app, [HOME, MAIL], { name: "Ann", key: "1" });
    const { batch_id } = await dialing.filled(0, FAST);
    const added = await dialing.outbound.add(batch_id, [
      request("p0", HOME, { patient_id: "2" }),
      request("p1", MOBILE, { patient_id: "2" }),
    ]);
    expect(added.status).toBe(200);
    expect(await addressesOf(HOME)).toEqual([HOME, MAIL].toSorted());
    expect(await addressesOf(MOBILE)).toEqual([MOBILE]);
    const events = await app.db
      .selectFrom("events")
      .selectAll()
      .where("type", "=", "contact-conflict")
      .execute();
    expect(events).toMatchObject([
      {
        user_id: HOME,
        description: `${HOME} of batch "${batch_id}" was not linked to the contact with patient_id "2": it belongs to another contact and stays there.`,
      },
    ]);
  });

  test("join nobody until an organization names the variable", async () => {
    const { batch_id } = await dialing.filled(0, FAST);
    await dialing.outbound.add(batch_id, [request("p0", HOME, { patient_id: "7" })]);
    expect(await recordOf(HOME)).toBeNull();
  });
});
const BOB = "+16175580003";
const CY = "+16175580004";

test("a claim asks about all of its candidates in one statement, each looked up by its index", async () => {
  const { sub_organization_id } = app.admin;
  await sql`
    with made as (
      insert into contacts (sub_organization_id, key, created_at, updated_at, last_updated_by)
      select ${sub_organization_id}, 'k' || n, now(), now(), 'test' from generate_series(1, 20000) n returning id, key
    )
    insert into contact_addresses (sub_organization_id, address, contact_id, linked_at, linked_through)
    select ${sub_organization_id}, kind || key, id, now(), 'request' from made cross join unnest('{a,b}'::text[]) kind`.execute(
    app.db,
  );
  await sql`analyze contacts, contact_addresses`.execute(app.db);
  const wanted = Array.from({ length: 200 }, (_, n) => ({ sub_organization_id, address: `ak${n + 1}` }));
  const counter = new StatementCounter();
  const persons = await readPersons(app.db.withPlugin(counter), wanted);
  expect(counter.count).toBe(1);
  expect(persons.addressesOf(sub_organization_id, ["ak7"])).toEqual(["ak7", "bk7"]);
  const plan = await planned(app.db, FEW_BY_KEY, async (tx) => {
    const { rows } = await sql<{ "QUERY PLAN": string }>`explain ${personsStatement(wanted)}`.execute(tx);
    return rows.map((row) => row["QUERY PLAN"]).join("\n");
  });
  expect(plan).not.toContain("Seq Scan");
  expect(plan).toContain("contact_addresses_pkey");
  expect(plan).toContain("contact_addresses_contact");
});
