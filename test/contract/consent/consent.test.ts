import { sql } from "kysely";
import { beforeAll, expect, test } from "vitest";
import { handleOptOut } from "../../../src/consent/opt-out.ts";
import { createTestApp, type TestApp } from "../../harness/app.ts";
import { sendForm } from "../../harness/form.ts";

let app: TestApp;
beforeAll(async () => {
  app = await createTestApp();
});

const PATH = "/api/v1/consents";
let people = 0;
const number = () => `+1512558${String(1000 + ++people)}`;
const given = (address: string, more: object = {}) =>
  app.send("POST", `${PATH}/`, {
    address,
    channel: "call",
    given_through: "form",
    wording: "Yes, call me about offers.",
    evidence: { form: "https://clinic.example/offers", ip: "192.0.2.7" },
    ...more,
  });
const of = async (address: string, query = "") =>
  (
    await app.send(
      "GET",
      `${PATH}/?search_fields=address&search_field_values=${encodeURIComponent(address)}${query}`,
    )
  ).body.items;
const all = (address: string) => of(address, "&search_fields=revoked&search_field_values=true");
const upload = (content: string) =>
  sendForm(app, "POST", `${PATH}/csv`, { file: { filename: "consents.csv", content } });
const HEAD = "address,purpose,channel,given_through,valid_from,wording,evidence";
const says = (address: string, text: string) =>
  app.db.transaction().execute((tx) =>
    handleOptOut(
      tx,
      {
        sub_organization_id: app.admin.sub_organization_id,
        medium: "sms",
        address,
        text,
        answered_as: null,
        at: app.clock.now(),
        session_id: null,
        message_id: "SM1",
        language: null,
        sender_name: "Sunrise Clinic",
      },
      app.clock.now(),
    ),
  );

test("a consent is kept with its wording and its proof, and recorded twice it stays the first", async () => {
  const ann = number();
  const first = await given(ann.replace("+1", "+1 "));
  expect(first.body).toMatchObject({
    address: ann,
    purpose: "marketing",
    channel: "call",
    wording: "Yes, call me about offers.",
    evidence: { form: "https://clinic.example/offers", ip: "192.0.2.7" },
    created_by: app.admin.email,
    revoked_at: null,
  });
  expect((await given(ann, { wording: "Another" })).body).toEqual(first.body);
  expect(await of(ann)).toEqual([first.body]);
});

test("a revoked consent stays in the ledger with who revoked it and why, and can't be revoked again", async () => {
  const ann = number();
  const { id } = (await given(ann)).body;
  expect((await app.send("DELETE", `${PATH}/${id}?reason=by%20letter`)).status).toBe(200);
  expect(await of(ann)).toEqual([]);
  expect(await all(ann)).toMatchObject([
    { id, revoked_through: "operator", revoked_said: "by letter", revoked_by: app.admin.email },
  ]);
  expect((await app.send("DELETE", `${PATH}/${id}?reason=again`)).status).toBe(412);
});

test("STOP revokes every consent of the address, and START brings none of them back", async () => {
  const ann = number();
  await given(ann);
  await given(ann, { channel: "text", given_through: "text" });
  app.clock.advance(1_000);
  await says(ann, "STOP");
  expect(await of(ann)).toEqual([]);
  expect((await all(ann)).map((c: { revoked_through: string }) => c.revoked_through)).toEqual([
    "text",
    "text",
  ]);
  await says(ann, "START");
  expect(await of(ann)).toEqual([]);
  app.clock.advance(1_000);
  expect((await given(ann)).status).toBe(200);
});

test("a do-not-call entry for calls leaves the consent to texts as it is", async () => {
  const ann = number();
  await given(ann);
  await given(ann, { channel: "text" });
  app.clock.advance(1_000);
  await app.send("POST", "/api/v1/suppressions/", { address: ann, scope: "voice" });
  expect((await of(ann)).map((c: { channel: string }) => c.channel)).toEqual(["text"]);
});

test("a do-not-call file revokes the consents that were given before its entries, not those given after", async () => {
  const [ann, bob] = [number(), number()];
  for (const address of [ann, bob]) await given(address, { valid_from: "2026-03-01T00:00:00Z" });
  await sendForm(app, "POST", "/api/v1/suppressions/csv", {
    file: {
      filename: "dnc.csv",
      content: `address,occurred_at\n${ann},2026-04-01T00:00:00Z\n${bob},2026-02-01T00:00:00Z\n`,
    },
  });
  expect(await of(ann)).toEqual([]);
  expect(await of(bob)).toHaveLength(1);
});

test("an old file does not bring back what its people withdrew since", async () => {
  const [ann, bob] = [number(), number()];
  const file = `${HEAD}\n${ann},marketing,call,form,2026-01-31,Yes,page 1\n${bob},marketing,call,paper,2026-01-31,,\n`;
  expect((await upload(file)).body).toEqual({ added: 2, known: 0, withdrawn: 0, revoked: 0 });
  expect((await upload(file)).body).toEqual({ added: 0, known: 2, withdrawn: 0, revoked: 0 });
  expect((await of(ann))[0]).toMatchObject({
    valid_from: "2026-01-31T00:00:00+00:00",
    evidence: { note: "page 1", file: "consents.csv", row: "2" },
  });
  await says(ann, "STOP");
  await says(ann, "START");
  expect((await upload(file)).body).toEqual({ added: 0, known: 1, withdrawn: 1, revoked: 0 });
  expect(await of(ann)).toEqual([]);
  const refused = await given(ann, { valid_from: "2026-01-31T00:00:00Z" });
  expect(refused.status).toBe(412);
  expect(refused.body.detail).toContain("Record one that was given later");
});

test("a file with wrong dates, purposes or channels is refused with every row and column, and nothing of it is stored", async () => {
  const ann = number();
  const { status, body } = await upload(
    `${HEAD}\n${ann},marketing,call,form,2026-02-30x,,\n${ann},sales,fax,form,31.01.2026,,\n${ann},marketing,email,form,2099-01-01,,\nnobody,marketing,call,form,2026-01-31,,\n${ann},marketing,text,form,2026-01-31,,\n`,
  );
  expect(status).toBe(422);
  const places = body.detail.map(({ loc }: { loc: unknown[] }) => loc.slice(-2).join(" "));
  expect(places).toEqual([
    "2 valid_from",
    "3 purpose",
    "3 channel",
    "3 valid_from",
    "4 channel",
    "4 valid_from",
    "5 address",
  ]);
  expect(await all(ann)).toEqual([]);
  expect(await of(ann)).toEqual([]);
});

test("a consent of tomorrow, to nobody, or to write to a number is refused", async () => {
  const wrong = async (body: object) => (await given(number(), body)).body.detail[0].loc;
  expect(await wrong({ valid_from: "2099-01-01T00:00:00Z" })).toEqual(["body", "valid_from"]);
  expect(await wrong({ address: "Ann" })).toEqual(["body", "address"]);
  expect(await wrong({ channel: "email" })).toEqual(["body", "channel"]);
});

test("the ledger refuses to be rewritten, whoever asks the database", async () => {
  const ann = number();
  const { id } = (await given(ann)).body;
  const attempts = [
    sql`delete from consents where id = ${id}`,
    sql`update consents set address = '+15125550000' where id = ${id}`,
    sql`update consents set wording = 'Yes to everything' where id = ${id}`,
    sql`update consents set valid_from = now() where id = ${id}`,
  ];
  for (const attempt of attempts) await expect(attempt.execute(app.db)).rejects.toThrow("append-only");
  await app.send("DELETE", `${PATH}/${id}?reason=x`);
  const undo = sql`update consents set revoked_at = null, revoked_through = null where id = ${id}`;
  await expect(undo.execute(app.db)).rejects.toThrow("append-only");
});

test("the export has every consent with its proof, revoked ones too", async () => {
  const ann = number();
  const { id } = (await given(ann)).body;
  await app.send("DELETE", `${PATH}/${id}?reason=by%20letter`);
  const { body } = await app.send("GET", `${PATH}/csv`);
  expect(body).toMatch(/^\uFEFFaddress,purpose/);
  const line = String(body)
    .split("\r\n")
    .find((row) => row.includes(ann.slice(1)));
  expect(line).toContain("by letter");
  expect(line).toContain("192.0.2.7");
});
