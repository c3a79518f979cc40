import { Readable } from "node:stream";
import { sql } from "kysely";
import { beforeAll, beforeEach, expect, onTestFinished, test, vi } from "vitest";
import { NOBODY_KNOWN } from "../../../src/address-book/persons.ts";
import { replaceNumbers } from "../../../src/consent/do-not-call-file.ts";
import { reachStatement } from "../../../src/consent/reach-check.ts";
import { createTestApp, type TestApp } from "../../harness/app.ts";
import { BATCHES } from "../../harness/batch.ts";
import { createTestDialer } from "../../harness/dialer.ts";
import { createDialing, type Dialing } from "../../harness/dialing.ts";
import { sendForm } from "../../harness/form.ts";
import { NIGHTLY } from "../../harness/seed.ts";
import { givenUp, slowSender } from "../../harness/slow-sender.ts";

let app: TestApp;
let dialing: Dialing;
beforeAll(async () => {
  app = await createTestApp();
  dialing = await createDialing(app);
});
beforeEach(async () => {
  app.clock.set("2026-11-18T15:00:00Z");
  await dialing.forget();
  await sql`truncate do_not_call_numbers, do_not_call_lists cascade`.execute(app.db);
});

const LISTS = "/api/v1/do-not-call-lists";
const create = async (body: object) => (await app.send("POST", `${LISTS}/`, body)).body;
const load = (id: number, content: string, query = "") =>
  sendForm(app, "POST", `${LISTS}/${id}/csv${query}`, { file: { filename: "dnc.csv", content } });
const skipOf = async (batch_id: string) =>
  (await app.send("GET", `${BATCHES}/${batch_id}/requests/p0/trace`)).body.next_step;
const FAST = { hourly_rate: 3600 };

test("campaigns of its purposes skip a number on a list, right before the call too, and say which list it is", async () => {
  const national = await create({ name: "Registry", kind: "national", purposes: ["marketing"] });
  const own = await create({ name: "Ours", purposes: ["marketing", "informational"] });
  const [listed, ours, free] = [dialing.person(), dialing.person(), dialing.person()];
  expect((await load(national.id, `address\n${listed}\n`)).body).toMatchObject({ numbers: 1 });
  await load(own.id, `address\n${ours}\n`);
  const informational = await dialing.filled([listed, ours, free], FAST);
  const dialer = createTestDialer(app, () => ({ tells: ["COMPLETED"] }));
  await dialer.pass(0.1, 1_000);
  expect(dialer.world.handed.map(({ target }) => target)).toEqual([listed, free]);
  expect(await dialing.shown(informational.batch_id)).toContain("SKIPPED CANCELED 0");

  const marketing = await dialing.filled([listed], FAST);
  await app.send("PUT", `/api/v1/outbound/campaigns/${marketing.campaign_id}/reach-rules`, {
    purpose: "marketing",
  });
  await dialer.pass(0.1, 1_000);
  expect(await skipOf(marketing.batch_id)).toMatchObject({
    kind: "over",
    reason: "do-not-call",
    text: `Skipped: ${listed} is on the do-not-call list "Registry".`,
  });
});

test("a consent on record overrides a list that allows it, and no other", async () => {
  const target = dialing.person();
  await app.send("POST", "/api/v1/consents/", {
    address: target,
    purpose: "marketing",
    channel: "call",
    given_through: "form",
  });
  for (const consent_overrides of [false, true]) {
    await dialing.forget();
    const { id } = await create({ name: `List ${consent_overrides}`, consent_overrides });
    await load(id, `address\n${target}\n`);
    const { campaign_id } = await dialing.filled([target], FAST);
    await app.send("PUT", `/api/v1/outbound/campaigns/${campaign_id}/reach-rules`, { purpose: "marketing" });
    const dialer = createTestDialer(app, () => ({ tells: ["COMPLETED"] }));
    await dialer.tick();
    expect(dialer.world.handed).toHaveLength(consent_overrides ? 1 : 0);
    await app.send("DELETE", `${LISTS}/${id}?reason=over`);
  }
});

test("a file replaces the list as a whole, in each of its forms, and one with a fault changes nothing", async () => {
  const { id } = await create({ name: "Registry", kind: "national" });
  expect((await load(id, "212,5550101\n212,5550102\n212,5550101\n")).body).toMatchObject({ numbers: 2 });
  expect((await load(id, "+12125550103\n(212) 555-0104\n")).body).toMatchObject({ numbers: 2 });
  expect((await load(id, "area_code,number\n212,5550105\n")).body).toMatchObject({ numbers: 1 });
  const check = async (number: string) =>
    (await app.send("GET", `${LISTS}/check/${encodeURIComponent(number)}`)).body.lists;
  expect(await check("+12125550105")).toEqual(["Registry"]);
  expect(await check("+12125550103")).toEqual([]);
  const refused = await load(id, "address\n+12125550106\nnobody\n");
  expect(refused.status).toBe(422);
  expect(refused.body.detail[0].loc.slice(-2)).toEqual([3, "address"]);
  expect(await check("+12125550105")).toEqual(["Registry"]);
  expect((await load(id, "", "")).status).toBe(422);
});

test("a national list without a file, or with one older than 31 days, is outdated; a date in the future is refused", async () => {
  const { id, is_outdated } = await create({ name: "Registry", kind: "national" });
  expect(is_outdated).toBe(true);
  const one = "212,5550101\n";
  expect((await load(id, one, "?as_of=2026-10-18")).body).toMatchObject({ age_days: 31, is_outdated: false });
  expect((await load(id, one, "?as_of=2026-10-17")).body).toMatchObject({ age_days: 32, is_outdated: true });
  expect((await load(id, one, "?as_of=2026-12-01")).status).toBe(422);
  expect((await load(id, one, "?as_of=2026-02-30")).status).toBe(422);
  const { items } = (await app.send("GET", `${LISTS}/?search_fields=is_outdated&search_field_values=true`))
    .body;
  expect(items).toMatchObject([{ id, as_of: "2026-10-17" }]);
});

test("a list belongs to its sub-organization, its name is used once, and its changes are refused to readers", async () => {
  const { id } = await create({ name: "Ours" });
  expect((await app.send("POST", `${LISTS}/`, { name: "Ours" })).status).toBe(400);
  const neighbour = await app.createNeighbour();
  expect((await neighbour.send("GET", `${LISTS}/`)).body.items).toEqual([]);
  expect((await neighbour.send("PUT", `${LISTS}/${id}`, { name: "Theirs" })).status).toBe(404);
  expect((await neighbour.send("DELETE", `${LISTS}/${id}?reason=x`)).status).toBe(404);
});

const ROWS = NIGHTLY ? 10_000_000 : 50_000;
test(`a file of ${ROWS} numbers is stored in bounded memory, and each is found by one look-up in the index`, async () => {
  const { id } = await create({ name: "Large", purposes: ["marketing", "informational"] });
  let most_MB = 0;
  const before_MB = process.memoryUsage().heapUsed / 1e6;
  async function* numbers() {
    for (let n = 0; n < ROWS; n++) {
      yield `+1${String(2_000_000_000 + n)}`;
      if (n % 100_000 === 0) most_MB = Math.max(most_MB, process.memoryUsage().heapUsed / 1e6 - before_MB);
    }
  }
  const stored = await app.db
    .transaction()
    .execute((tx) => replaceNumbers(tx, id, Readable.from(numbers()) as AsyncIterable<string>));
  expect(stored).toEqual({ numbers: ROWS, repeated: 0 });
  expect(most_MB).toBeLessThan(150);
  await sql`analyze do_not_call_numbers`.execute(app.db);
  const { sub_organization_id } = app.admin;
  const question = { sub_organization_id, mode: "voice", purpose: "informational" } as const;
  const { rows } = await sql<{ "QUERY PLAN": string }>`explain ${reachStatement(
    [{ ...question, address: "+12000000001" }],
    NOBODY_KNOWN,
  )}`.execute(app.db);
  const plan = rows.map((row) => row["QUERY PLAN"]).join("\n");
  expect(plan).toContain("do_not_call_numbers_pkey");
  expect(plan).not.toContain("Seq Scan on do_not_call_numbers");
});

test("imports whose senders stall give their places and the list back, which is as it was", async () => {
  const { id } = await create({ name: "Stalled" });
  const listed = dialing.person();
  await load(id, `address\n${listed}\n`);
  const url = await app.listen();
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
  onTestFinished(() => void vi.useRealTimers());
  const [inFile, before] = [
    slowSender(`${url}${LISTS}/${id}/csv`, app.token),
    slowSender(`${url}${LISTS}/${id}/csv`, app.token),
  ];
  inFile.beginFile();
  inFile.send(`address\n${dialing.person()}\n`);
  before.begin();
  const stalled = {
    status: 400,
    body: { detail: "The upload stalled, and nothing was stored. Send the file again." },
  };
  expect(await givenUp(inFile, before)).toEqual([stalled, stalled]);
  expect((await app.send("GET", `${LISTS}/check/${listed}`)).body.lists).toEqual(["Stalled"]);
  expect((await load(id, `address\n${listed}\n`)).body).toMatchObject({ numbers: 1 });
});
