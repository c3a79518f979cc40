import fc from "fast-check";
import { sql } from "kysely";
import { beforeAll, expect, test } from "vitest";
import { SEALED_MARK } from "../../src/base/sealed-text.ts";
import { documentBytes, isSealedDocument } from "../../src/db/sealed-values.ts";
import { sealStored } from "../../src/erasure/seal-stored.ts";
import { organizationJsonSealer } from "../../src/redaction/text-sealer.ts";
import { createDeliverer } from "../../src/webhooks/delivery-loop.ts";
import { createTestApp, type TestApp } from "../harness/app.ts";
import { createOutbound, request } from "../harness/batch.ts";
import { createTestDialer } from "../harness/dialer.ts";
import { placesOf } from "../harness/everywhere.ts";
import { createPeer, json, type Peer } from "../harness/peer.ts";
import { rounds } from "../harness/seed.ts";
import { routesTo } from "../harness/webhooks.ts";

/** People of campaigns, in an organization that seals: one word through every door, then every column is searched for it. */
let app: TestApp;
let outbound: Awaited<ReturnType<typeof createOutbound>>;
let peer: Peer;

const EVERY_DAY = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"];
const seals = async (seal_texts: boolean) =>
  expect((await app.send("PUT", "/api/v1/organizations/privacy", { seal_texts })).status).toBe(200);

beforeAll(async () => {
  app = await createTestApp();
  outbound = await createOutbound(app);
  peer = await createPeer();
  peer.respond((_request, response) => json(response, 200, {}));
});

const WANTED = ["PENDING", "DUPLICATE", "INVALID", "QUEUED", "COMPLETED"];
const campaign = (more: object = {}) =>
  outbound.createCampaign({
    active_days: EVERY_DAY,
    hourly_rate: 3_600,
    campaign_variables: { clinic: "North" },
    webhooks: [
      { url: "https://good.example/hook", request_method: "POST", trigger_statuses: WANTED, ...more },
    ],
  });

/** Bodies that the receiver got since. */
async function delivered() {
  const egress = routesTo({ "good.example": peer });
  peer.requests.length = 0;
  await createDeliverer({ ...app, egress, random: () => 0.5 }).drain();
  await egress.close();
  return peer.requests.map(({ body }) => JSON.parse(String(body)).data);
}

/** Added one by one and by file, with duplicates and faults, called and told; what everybody got to read. */
async function throughACampaign(word: string, nth: number) {
  const { id } = await campaign();
  const { batch_id } = await outbound.createBatch({ campaign_id: id });
  const of = (n: number) => `+15125${nth}${String(n).padStart(5, "0")}`;
  const added = await outbound.add(batch_id, [
    request("a", of(1), { name: `${word} one`, 7: "seven", empty: "" }),
    request("a2", of(1), { name: `${word} again` }),
    request("none", "nobody", { name: `${word} nowhere` }),
    request("bare", of(2), {}),
  ]);
  expect(added.body).toMatchObject({ accepted: 2, duplicates: 1, invalid: 1 });
  const file = await outbound.createBatch({ campaign_id: id });
  const csv = [
    "reference_id,target,first name,notes",
    ...Array.from({ length: 1_200 }, (_, n) => `f${n},${of(100 + n)},${word},"said: ""${n}"""`),
    `f1,${of(9_000)},${word},twice`,
  ].join("\n");
  expect((await outbound.upload(file.batch_id, csv)).body).toMatchObject({ accepted: 1_200, duplicates: 1 });
  const dialer = createTestDialer(app, () => ({ tells: ["IN-PROGRESS", "COMPLETED"] }));
  await dialer.pass(1, 1_000);
  await app.db.updateTable("batches").set({ status: "CANCELED" }).execute();
  const path = `/api/v1/outbound/campaigns/${id}`;
  const csvOf = await app.api.server.inject({
    url: `/api/v1/outbound/batches/${file.batch_id}/results`,
    headers: { "service-api-key": app.token, accept: "text/csv" },
  });
  return {
    handed: dialer.world.handed,
    one: (await outbound.results(batch_id)).body,
    filled: (await outbound.results(file.batch_id)).body,
    csv: csvOf.body,
    listed: (await app.send("GET", `${path}/requests?limit=200`)).body.requests,
    told: await delivered(),
  };
}
type Outcome = Awaited<ReturnType<typeof throughACampaign>>;

/** The same of an outcome, whatever its word and numbers. */
const shown = ({ handed, one, filled, listed, told, csv }: Outcome, word: string) =>
  JSON.parse(
    JSON.stringify([
      handed.map(({ variables }) => variables),
      one.map((row: { request_variables: object }) => row.request_variables),
      filled.map((row: { request_variables: object }) => row.request_variables),
      listed.map((row: { request_variables: object }) => row.request_variables),
      // Whoever is told at the same moment is told in any order.
      told
        .map((row) => [row.reference_id, row.channel_manager_status, row.request_variables])
        .toSorted((a, b) => (String(a) < String(b) ? -1 : 1)),
      csv.split("\n").map((line) => line.split(",").length),
    ]).replaceAll(word, "WORD"),
  );

test("what is known of a campaign's people lies in no column, and the channel, lists, CSV files and webhooks get it as without the seal", async () => {
  const clear = await throughACampaign("giraffe", 1);
  expect(await placesOf(app, "giraffe")).toEqual(["requests.request_variables", "webhook_deliveries.body"]);
  expect(clear.handed.length).toBeGreaterThan(1);
  expect(JSON.stringify(clear.told)).toContain("giraffe");

  await seals(true);
  const sealed = await throughACampaign("zebra", 2);
  expect(await placesOf(app, "zebra")).toEqual([]);
  expect(shown(sealed, "zebra")).toEqual(shown(clear, "giraffe"));
  expect(JSON.stringify(sealed)).not.toContain(SEALED_MARK);
});

test("a webhook leaves out variables of more than 10,000 bytes as they are sent, however they are stored", async () => {
  const { id } = await campaign();
  for (const seal of [false, true]) {
    await seals(seal);
    const { batch_id } = await outbound.createBatch({ campaign_id: id });
    const around = JSON.stringify({ text: "" }).length;
    // One character of two bytes.
    const texts = {
      fits: `ä${"x".repeat(10_000 - around - 2)}`,
      over: `ä${"x".repeat(10_000 - around - 1)}`,
    };
    const people = Object.entries(texts).map(([name, text], n) =>
      request(`${name}-${seal}`, `+15127${Number(seal)}0000${n}`, { text }),
    );
    expect((await outbound.add(batch_id, people)).body.accepted).toBe(2);
    const told = await delivered();
    // Two deliveries arrive in either order.
    expect(told).toHaveLength(2);
    const variablesOf = new Map(told.map((each) => [each.reference_id, each.request_variables]));
    expect(variablesOf.get(`fits-${seal}`)).toEqual({ text: texts.fits });
    expect(variablesOf.get(`over-${seal}`)).toBeNull();
  }
});

test("a sealed document of any content and size is read as it was and counts as many bytes", async () => {
  await seals(true);
  const seal = await organizationJsonSealer(app.db, app.vault, app.admin.sub_organization_id);
  const stored = new Set<string>();
  const text = fc.string({ unit: "grapheme", maxLength: 60 }).map((value) => value.replaceAll("\0", ""));
  await fc.assert(
    fc.asyncProperty(fc.dictionary(text, text, { maxKeys: 6 }), async (variables) => {
      const plain = JSON.stringify(variables);
      const sealed = seal?.(plain) ?? "";
      if (plain !== "{}") {
        expect(sealed.startsWith(`"${SEALED_MARK}`)).toBe(true);
        expect(stored.has(sealed)).toBe(false);
        stored.add(sealed);
      }
      const { rows } = await sql<{ document: object; bytes: number; within: string }>`
        select d.document, ${documentBytes(sql`d.document`)} as bytes, json_build_object('it', d.document)::text as within
        from (select ${sealed}::json as document) d`.execute(app.db);
      expect(rows[0]?.document).toEqual(JSON.parse(plain));
      expect(rows[0]?.bytes).toBe(Buffer.byteLength(plain));
      expect(JSON.parse(rows[0]?.within ?? "")).toEqual({ it: JSON.parse(plain) });
    }),
    { numRuns: rounds(150), examples: [[{ toString: "", constructor: "it" }]] },
  );
});

test("what was stored before the switch is read as before, and sealed by the rotation that dies anywhere and goes on", async () => {
  await seals(false);
  const { id } = await campaign();
  const { batch_id } = await outbound.createBatch({ campaign_id: id });
  const people = Array.from({ length: 1_300 }, (_, n) =>
    request(`o${n}`, `+1512888${String(n).padStart(4, "0")}`, { name: `ocelot ${n}`, 9: "9" }),
  );
  expect((await outbound.add(batch_id, [...people, request("bare", "+15128899999", {})])).body.accepted).toBe(
    1_301,
  );
  await seals(true);
  const before = (await outbound.results(batch_id)).body;
  const clearRows = async () => {
    const { rows } = await sql<{ n: number }>`
      select count(*) as n from requests where request_variables::text like '%ocelot%'`.execute(app.db);
    return rows[0]?.n ?? 0;
  };
  let steps = 0;
  for (let after = 1; (await clearRows()) > 0; after++) {
    // Dies after each of its transactions, one after the other.
    const died = sealStored(app, {}, () => {
      if (++steps % 2 === 1) throw new Error("killed");
    });
    await died.catch(() => {});
    expect((await outbound.results(batch_id)).body).toEqual(before);
    expect(after).toBeLessThan(10);
  }
  expect(steps).toBeGreaterThan(2);
  // Whoever is held by somebody is passed over, and named.
  const held = await app.database.pool.connect();
  const row = `select from requests where reference_id = 'o7' for update`;
  await sql`update requests set request_variables = '{"name": "ocelot"}' where reference_id = 'o7'`.execute(
    app.db,
  );
  await held.query("begin");
  await held.query(row);
  expect(await sealStored(app)).toMatchObject({ left: 1 });
  await held.query("commit");
  held.release();
  expect(await sealStored(app)).toMatchObject({ sealed: 1, left: 0 });
  expect(await sealStored(app)).toEqual({ sealed: 0, left: 0 });
  expect((await placesOf(app, "ocelot")).filter((place) => !place.startsWith("webhook"))).toEqual([]);
});

test("keys of people link the same addresses, whether or not the variables that carry them are sealed", async () => {
  const named = await app.send("PUT", "/api/v1/outbound/contact-key", { variable: "patient_id" });
  expect(named.status).toBe(200);
  const { id } = await campaign();
  const of = (n: number) => `+1512999${String(n).padStart(4, "0")}`;
  // One of a file of more rows than are opened together, and one of each kind that came alone.
  const file = Array.from({ length: 1_100 }, (_, n) => `f${n},${of(n)},Ann,${n < 1_099 ? n : " 7 "}`);
  const alone = [
    { patient_id: "7" },
    { patient_id: "", "vars.patient_id": "8" },
    { patient_id: "8", "vars.patient_id": "9" },
    { patient_id: " " },
    { patient_id: "x".repeat(201) },
    { "vars.patient_id": "constructor" },
    { name: "7" },
    {},
  ];
  const linked = async () => {
    await sql`truncate contacts cascade`.execute(app.db);
    const { batch_id } = await outbound.createBatch({ campaign_id: id });
    const uploaded = await outbound.upload(
      batch_id,
      ["reference_id,target,name,patient_id", ...file, "none,nobody,Ann,7"].join("\n"),
    );
    expect(uploaded.body).toMatchObject({ accepted: 1_100, invalid: 1 });
    const { batch_id: more } = await outbound.createBatch({ campaign_id: id });
    const people = alone.map((variables, n) => request(`a${n}`, of(2_000 + n), variables));
    expect((await outbound.add(more, people)).body.accepted).toBe(alone.length);
    const { rows } = await sql<{ key: string; addresses: string[] }>`
      select c.key, array_agg(a.address order by a.address) as addresses
      from contacts c join contact_addresses a on a.contact_id = c.id group by c.id, c.key`.execute(app.db);
    // Sealed keys lie in an order of their own.
    return rows.toSorted((a, b) => (a.key < b.key ? -1 : 1));
  };
  await seals(false);
  const clear = await linked();
  await seals(true);
  expect(await linked()).toEqual(clear);
  const addressesOf = (key: string) => clear.find((contact) => contact.key === key)?.addresses;
  expect(addressesOf("7")).toEqual([of(7), of(1_099), of(2_000)]);
  expect(addressesOf("8")).toEqual([of(8), of(2_001), of(2_002)]);
  expect(addressesOf("constructor")).toEqual([of(2_005)]);
  const { rows } = await sql<{ sealed: number; all: number }>`
    select count(*) filter (where ${isSealedDocument(sql`request_variables`)}) as sealed, count(*) as all
    from requests where target like '+1512999%' and request_variables::text <> '{}'`.execute(app.db);
  expect(rows).toEqual([{ sealed: 1_107, all: 2_214 }]);
});

test("a file can't have a sealed value opened that somebody copied", async () => {
  await seals(true);
  const { id } = await campaign();
  const { batch_id } = await outbound.createBatch({ campaign_id: id });
  await outbound.add(batch_id, [request("own", "+15126660001", { name: "hidden" })]);
  const { rows } = await app.database.pool.query<{ copied: string }>(
    "select request_variables as copied from requests where reference_id = 'own'",
  );
  const token = rows[0]?.copied ?? "";
  expect(token).toContain(SEALED_MARK);
  const { batch_id: mine } = await outbound.createBatch({ campaign_id: id });
  for (const row of [`x,+15126660002,${token}`, `${token},+15126660002,x`, `x,${token},x`]) {
    const answer = await outbound.upload(mine, `reference_id,target,name\n${row}\n`);
    expect(answer.status).toBe(422);
    expect(JSON.stringify(answer.body)).toContain("which begins sealed values");
  }
});

test("people taken from a batch that was stored in clear lie sealed in the one they are taken into", async () => {
  await seals(false);
  const { id } = await campaign();
  const [from, into] = [await batchOf(id), await batchOf(id)];
  await outbound.add(from, [request("z", "+15125559999", { name: "zebra" })]);
  await seals(true);
  const copied = await app.send("POST", `/api/v1/outbound/batches/${into}/requests/from`, { batch_id: from });
  expect(copied.body).toMatchObject({ accepted: 1 });
  const { rows } = await sql<{ batch_id: string; is_sealed: boolean }>`
    select b.batch_id, ${isSealedDocument(sql`r.request_variables`)} as is_sealed
    from requests r join batches b on b.key = r.batch_key where b.batch_id in (${from}, ${into}) order by r.id`.execute(
    app.db,
  );
  expect(rows.find(({ batch_id }) => batch_id === into)).toEqual({ batch_id: into, is_sealed: true });
  expect((await outbound.results(into)).body[0].request_variables).toEqual({ name: "zebra" });
});

const batchOf = async (campaign_id: number): Promise<string> =>
  (await outbound.createBatch({ campaign_id })).batch_id;
