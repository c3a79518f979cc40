import { gzipSync } from "node:zlib";
import { beforeAll, expect, test } from "vitest";
import { createTestApp, type TestApp } from "../../harness/app.ts";
import { type Form, png, sendForm } from "../../harness/form.ts";

const NOT_UTF8 = {
  status: 422,
  body: {
    detail: [
      {
        loc: ["body"],
        msg: "The body is not UTF-8 text. Encode it as UTF-8 and send it again.",
        type: "string_unicode",
      },
    ],
  },
};
const NOT_STORABLE = "String should not contain NUL or unpaired surrogate characters";

let app: TestApp;
beforeAll(async () => {
  app = await createTestApp();
});

const service = (name: string): string => JSON.stringify({ name, description: "" });
const FORM = { "content-type": "application/x-www-form-urlencoded" };

test("JSON in another encoding is refused whole, and the same text as UTF-8 is stored as it was sent", async () => {
  const text = service("Gdańsk – café 🦷 \ufffd");
  const latin = Buffer.from(service("café"), "latin1");
  const cut = Buffer.from(text).subarray(0, Buffer.from(text).indexOf("🦷") + 2);
  for (const body of [latin, cut, Buffer.from([0xff])])
    expect(await app.send("POST", "/api/v1/services/", body)).toMatchObject(NOT_UTF8);
  const saved = await app.send("POST", "/api/v1/services/", Buffer.from(text));
  expect(saved).toMatchObject({ status: 200, body: { name: "Gdańsk – café 🦷 \ufffd" } });
});

test("JSON after a byte order mark is read, and a second mark is no JSON", async () => {
  const marked = (name: string, marks: string) => Buffer.from(marks + service(name));
  expect(await app.send("POST", "/api/v1/services/", marked("Marked", "\ufeff"))).toMatchObject({
    status: 200,
  });
  expect(await app.send("POST", "/api/v1/services/", marked("Twice", "\ufeff\ufeff"))).toMatchObject({
    status: 422,
    body: { detail: [{ loc: ["body", 0], type: "json_invalid" }] },
  });
});

test("a compressed body is refused with what to do, and one that is said to be as it is is read", async () => {
  const url = "/api/v1/services/";
  for (const encoding of ["gzip", "br", "x-anything"])
    expect(
      await app.send("POST", url, gzipSync(service("Packed")), { "content-encoding": encoding }),
    ).toMatchObject({
      status: 415,
      body: { detail: "Send the body uncompressed, without Content-Encoding." },
    });
  expect(await app.send("POST", url, service("As it is"), { "content-encoding": "Identity" })).toMatchObject({
    status: 200,
  });
});

test("a form whose bytes or escapes are no UTF-8 is refused, and a percent sign alone stands for itself", async () => {
  const url = "/api/v1/outbound/batches/nobodys";
  for (const form of [Buffer.from("delete_reason=café", "latin1"), "delete_reason=caf%e9"])
    expect(await app.send("DELETE", url, form, FORM)).toMatchObject(NOT_UTF8);
  for (const form of ["delete_reason=caf%C3%A9+100%", "delete_reason=café%zz"])
    expect(await app.send("DELETE", url, form, FORM)).toMatchObject({ status: 404 });
});

test("a multipart form whose texts, names or file names are no UTF-8 is refused, and one in UTF-8 is stored as it was sent", async () => {
  const organization = "/api/v1/organizations/";
  const latin = (text: string) => Buffer.from(text, "latin1");
  const logo = (filename: string | Buffer) => ({ filename, content: png(120, 120) });
  const current = (await app.send("GET", organization)).body;
  const refused: Form[] = [
    { display_name: latin("Café") },
    { display_name: current.display_name, description: latin("Grüße") },
    { display_name: current.display_name, logo: logo(latin("Löwe.png")) },
  ];
  for (const form of refused) expect(await sendForm(app, "PUT", organization, form)).toMatchObject(NOT_UTF8);
  const saved = { display_name: "Café 🦷", logo: logo("Löwe.png") };
  expect(await sendForm(app, "PUT", organization, saved)).toMatchObject({
    status: 200,
    body: { display_name: "Café 🦷" },
  });
});

test("a file that is read as it comes is refused by a name that is no UTF-8", async () => {
  const folder = (await app.send("POST", "/api/v1/insights/folders/", { name: "Calls" })).body;
  const list = (await app.send("POST", "/api/v1/do-not-call-lists/", { name: "register" })).body;
  const content = "+12015550100\n";
  for (const url of [
    `/api/v1/insights/folders/${folder.id}/upload-file?call_id=1&start_time=2026-11-20T10:00:00Z`,
    `/api/v1/do-not-call-lists/${list.id}/csv`,
    "/api/v1/suppressions/csv",
  ]) {
    const file = { filename: Buffer.from("Müller.csv", "latin1"), content };
    expect(await sendForm(app, "POST", url, { file }), url).toMatchObject(NOT_UTF8);
  }
});

test.each(["\\ud800", "\\udc00\\ud800", "\\u0000"])(
  "%s, which no text in the database can have, is refused at its place, in the name of a member too",
  async (escaped) => {
    for (const [member, loc] of [
      [`"a":"${escaped}"`, ["body", "auth_values", "a"]],
      [`"${escaped}":"a"`, ["body", "auth_values"]],
    ] as const)
      expect(
        await app.send("POST", "/api/v1/services/", `{"name":"x","auth_values":{${member}}}`),
      ).toMatchObject({
        status: 422,
        body: { detail: [{ loc, msg: NOT_STORABLE }] },
      });
  },
);

test("a list that is filtered by parameters in brackets, as axios and PHP write them, is filtered", async () => {
  for (const name of ["bracket-a", "bracket-b"])
    await app.send("POST", "/api/v1/services/", { name, description: "" });
  for (const at of ["%5B%5D", "[0]"]) {
    const { body } = await app.send(
      "GET",
      `/api/v1/services/?search_fields${at}=name&search_field_values${at}=bracket-b`,
    );
    expect(body.items).toMatchObject([{ name: "bracket-b" }]);
  }
  expect(
    await app.send("GET", "/api/v1/services/?search_fields[]=nope&search_field_values[]=x"),
  ).toMatchObject({
    status: 422,
    body: { detail: [{ loc: ["query", "search_fields", 0] }] },
  });
});

test("a NUL in an address is refused at the part of it where it stands", async () => {
  const refused = (part: string) => ({
    status: 422,
    body: { detail: [{ loc: [part], msg: NOT_STORABLE, type: "string_unicode" }] },
  });
  const search = "search_fields=name&search_field_values=a%00";
  expect(await app.send("GET", `/api/v1/services/?${search}`)).toMatchObject(refused("query"));
  expect(await app.send("GET", `/api/v1/tools/a%00?${search}`)).toMatchObject(refused("path"));
});
