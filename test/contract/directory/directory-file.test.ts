import fc from "fast-check";
import { beforeEach, describe, expect, test } from "vitest";
import { createTestApp, type TestApp } from "../../harness/app.ts";
import { sendForm } from "../../harness/form.ts";
import { rounds } from "../../harness/seed.ts";

let app: TestApp;
beforeEach(async () => {
  app ??= await createTestApp();
  await app.db.deleteFrom("directory_member_versions").execute();
  await app.db.deleteFrom("directory_members").execute();
});

const path = "/api/v1/directory_members/";
const send = (content: string | Buffer, { field = "file", token = app.token } = {}) =>
  sendForm(
    app,
    "PUT",
    `${path}upload/`,
    { [field]: { filename: "members", content: Buffer.from(content) } },
    token,
  );
const download = async (query = "") => (await app.send("GET", `${path}download/${query}`)).body;
const essence = ({ name, type, extensions, contact_tags }: Record<string, unknown>) => ({
  name,
  type,
  extensions,
  contact_tags,
});

describe("an uploaded directory", () => {
  test("as JSON creates members, replaces those of the same name and type and leaves the others", async () => {
    const kept = (await app.send("POST", path, { name: "Kept", type: "t" })).body;
    const old = (await app.send("POST", path, { name: "Ann", type: "t", comments: "old" })).body;
    app.clock.advance(60_000);
    const members = [
      { name: "Ann", type: "t", contact_tags: { vip: ["yes"] } },
      { name: "Ann", type: "Operator", extensions: [{ name: "work" }], comments: "new" },
    ];
    expect(await send(JSON.stringify(members))).toMatchObject({
      status: 200,
      body: { success: true, created: 1, updated: 1 },
    });
    const all = await download();
    expect(all).toHaveLength(3);
    expect(all[0]).toEqual(kept);
    expect(all[1]).toMatchObject({
      id: old.id,
      created_at: old.created_at,
      contact_tags: { vip: ["yes"] },
      extensions: null,
      comments: null,
    });
    expect(all[1].updated_at).not.toBe(old.updated_at);
    expect(all[2]).toMatchObject({
      name: "Ann",
      type: "Operator",
      extensions: [{ name: "work", numbers: null }],
    });
    const { items } = (await app.send("GET", `${path}${old.id}/history`)).body;
    expect(items.map(({ operation }: { operation: string }) => operation)).toEqual(["create", "bulk_load"]);
  });

  test("as CSV has a row a number; rows of one member, extension or number come together", async () => {
    const { status, body } = await send(
      [
        "name,type,extension,number,language,days,start_time,end_time,tags",
        "Front desk,Department,work,+15125551234,es,mo-fr,9:00,17:00,floor:1|vip:yes",
        "Front desk,Department,work,+15125551234,en,,,,floor:2",
        "Front desk,Department,,+15125550000,,,,,",
        "Front desk,Department,night,sip:night@pbx.example,,,22:00,6:00,",
        "Nobody,contact,,,,,,,",
      ].join("\n"),
    );
    expect([status, body]).toEqual([200, { success: true, created: 2, updated: 0 }]);
    expect((await download()).map(essence)).toEqual([
      {
        name: "Front desk",
        type: "Department",
        extensions: [
          {
            name: "work",
            numbers: [
              {
                number: "+15125551234",
                rules: [
                  { language: "es", days: "mo,tu,we,th,fr", start_time: "09:00", end_time: "17:00" },
                  { language: "en" },
                ],
              },
              { number: "+15125550000", rules: [{}] },
            ],
          },
          {
            name: "night",
            numbers: [
              { number: "sip:night@pbx.example", rules: [{ start_time: "22:00", end_time: "06:00" }] },
            ],
          },
        ],
        contact_tags: { floor: ["1", "2"], vip: ["yes"] },
      },
      { name: "Nobody", type: "contact", extensions: [], contact_tags: {} },
    ]);
  });

  test("a deleted member of that name stays deleted beside the new one", async () => {
    const old = (await app.send("POST", path, { name: "Ann", type: "t" })).body;
    await app.send("DELETE", `${path}${old.id}?comment=x`);
    expect((await send("name,type\nAnn,t\n")).body).toMatchObject({ created: 1, updated: 0 });
    expect((await download()).map(({ id }: { id: number }) => id)).not.toContain(old.id);
  });

  test("uploads at once wait for one another, whatever the order of their entries", async () => {
    const entries = Array.from({ length: 50 }, (_, n) => ({ name: `Member ${n}`, type: "t" }));
    const uploads = [entries, entries.toReversed(), entries, entries.toReversed()];
    const answers = await Promise.all(uploads.map((members) => send(JSON.stringify(members))));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    const created = answers.reduce((sum, { body }) => sum + body.created, 0);
    expect([created, (await download()).length]).toEqual([50, 50]);
    const versions = await app.db.selectFrom("directory_member_versions").select("version").execute();
    expect(versions.filter(({ version }) => version === 4)).toHaveLength(50);
  });

  test("one upload writes one audit entry, whatever it holds", async () => {
    const count = async () =>
      (await app.db.selectFrom("audit_entries").select("id").where("action", "=", "bulk_load").execute())
        .length;
    const before = await count();
    await send("name,type\nAnn,t\nBob,t\n");
    await send("[]");
    expect(await count()).toBe(before + 2);
  });

  test.each([
    ["a broken CSV", 'name,type\nAnn,"t\n', "row 2"],
    ["a column nobody knows", "name,type,phone\nAnn,t,1\n", "row 1, phone: Unknown column"],
    ["no column for the type", "name\nAnn\n", "row 1, type: Column required"],
    ["an empty name", "name,type\nAnn,t\n,t\n", "row 3, name: "],
    ["a number that is none", "name,type,number\nAnn,t,call me\n", "row 2, number: "],
    [
      "an extension of no number",
      "name,type,extension,number,days\nAnn,t,work,,mon\n",
      "row 2, number: Row has no number for its extension, days",
    ],
    ["a day that is none", "name,type,number,days\nAnn,t,1,monday\n", "row 2, days: "],
    ["a start without an end", "name,type,number,start_time\nAnn,t,1,09:00\n", "row 2, end_time: "],
    ["tags without values", "name,type,tags\nAnn,t,vip\n", "row 2, tags: "],
    ["broken JSON", '[{"name": ', "JSON decode error"],
    ["JSON that is no list", '{"name": "Ann"}', "Input should be a valid list"],
    [
      "an entry without a type",
      '[{"name": "Ann", "type": "t"}, {"name": "Bob"}]',
      "entry 1, type: Field required",
    ],
    [
      "an entry twice",
      '[{"name": "Ann", "type": "t"}, {"name": "Ann", "type": "t"}]',
      'entry 1: Entries before it have a "Ann" of type "t"',
    ],
    [
      "a rule of an entry",
      '[{"name": "Ann", "type": "t", "extensions": [{"name": "w", "numbers": [{"number": "1", "rules": [{"days": "x"}]}]}]}]',
      "entry 0, extensions.0.numbers.0.rules.0.days: ",
    ],
    ["bytes that are no text", Buffer.from([0x5b, 0xff]), "UTF-8"],
  ])("with %s is refused at its place, and nothing is stored", async (_, content, place) => {
    const { status, body } = await send(content);
    expect(status).toBe(400);
    expect(body.detail).toContain("Nothing was stored. ");
    expect(body.detail).toContain(place);
    expect(await download()).toEqual([]);
  });

  test("every row that is wrong is told, up to a number that a person reads", async () => {
    const { body } = await send(`name,type\n${",t\n".repeat(30)}`);
    expect(body.detail).toContain("row 2, name");
    expect(body.detail).toContain("; and 10 more");
  });

  test("without a file, and without the permission, it is refused", async () => {
    expect(await send("[]", { field: "other" })).toMatchObject({
      status: 422,
      body: { detail: [{ loc: ["body", "file"] }] },
    });
    const token = await app.createToken(["directory_read"]);
    expect((await send("[]", { token })).status).toBe(403);
    expect((await app.sendAs(token)("GET", `${path}download/`)).status).toBe(200);
  });

  test("never reaches a neighbour's members", async () => {
    const neighbour = await app.createNeighbour();
    const theirs = (await neighbour.send("POST", path, { name: "Ann", type: "t" })).body;
    expect((await send("name,type\nAnn,t\n")).body).toMatchObject({ created: 1, updated: 0 });
    expect((await neighbour.send("GET", `${path}download/`)).body).toEqual([theirs]);
  });

  test("what was downloaded, raw or normalized, uploads to the same members", async () => {
    const rule = fc.constantFrom<Record<string, string>>(
      {},
      { language: "es" },
      { when: "@hours fr-mo 22:00-6:00", invert: "true" },
      { date: "2026-12-24", timezone: "America/New_York" },
    );
    const text = fc.stringMatching(/^[ -~é中]{1,12}$/);
    const numbers = fc.array(
      fc.record({
        number: fc.constantFrom("1", "+15125551234"),
        rules: fc.option(fc.array(rule, { maxLength: 2 })),
      }),
      { maxLength: 2 },
    );
    const member = fc.record({
      name: text,
      type: fc.constantFrom("contact", "Operator"),
      extensions: fc.option(
        fc.array(fc.record({ name: text, numbers: fc.option(numbers) }), { maxLength: 2 }),
      ),
      contact_tags: fc.option(
        fc.dictionary(fc.stringMatching(/^[a-z]{1,5}$/), fc.array(text, { maxLength: 2 }), {
          noNullPrototype: true,
        }),
      ),
      comments: fc.option(text),
    });
    const members = fc.uniqueArray(member, { maxLength: 5, selector: ({ name, type }) => `${type}/${name}` });
    await fc.assert(
      fc.asyncProperty(members, fc.constantFrom("", "?response_format=raw"), async (sent, format) => {
        expect((await send(JSON.stringify(sent))).status).toBe(200);
        const before = await download();
        for (const member of sent) {
          const raw = (await download("?response_format=raw")).find(
            ({ name, type }: typeof member) => name === member.name && type === member.type,
          );
          expect(raw).toMatchObject(member);
        }
        expect((await send(JSON.stringify(await download(format)))).body).toMatchObject({ created: 0 });
        expect((await download()).map(essence)).toEqual(before.map(essence));
      }),
      { numRuns: rounds(15, 400) },
    );
  });
});
