import { createHash } from "node:crypto";
import fc from "fast-check";
import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { PronunciationOverridesDictionary } from "../../../src/speech/pronunciation.ts";
import { createTestApp, type TestApp } from "../../harness/app.ts";
import { sendForm } from "../../harness/form.ts";
import { rounds } from "../../harness/seed.ts";

let app: TestApp;
beforeAll(async () => {
  app = await createTestApp();
});

const path = "/api/v1/pronunciations";
const send = (csv: string | Buffer, { field = "file", token = app.token } = {}) =>
  sendForm(
    app,
    "POST",
    `${path}/csv`,
    { [field]: { filename: "words.csv", content: Buffer.from(csv) } },
    token,
  );
const stored = async () => (await app.send("GET", path)).body.pronunciations;
const override = (more: object) => ({
  text: "",
  replacement: "",
  languages: [],
  provider: "",
  voice: "",
  match_type: "exact",
  match_options: [],
  enabled: true,
  notes: "",
  ...more,
});
const HEADER = "text,replacement,languages,provider,voice,match_type,match_options,enabled,notes";

beforeEach(async () => {
  await app.send("DELETE", `${path}/csv`);
});

describe("pronunciations", () => {
  test("where nothing was uploaded the dictionary is empty", async () => {
    const { status, body } = await app.send("GET", path);
    expect(status).toBe(200);
    expect(body).toEqual({
      type: "pronunciations_v1",
      pronunciations: [],
      voices: {},
      metadata: { entries: 0, hash: expect.stringMatching(/^sha256:[0-9a-f]{64}$/), source: "" },
    });
    expect(PronunciationOverridesDictionary.parse(body)).toEqual(body);
    expect((await app.send("GET", `${path}/csv`)).body).toBe(`\uFEFF${HEADER}\r\n`);
    const neighbour = await app.createNeighbour();
    expect((await neighbour.send("GET", path)).body).toEqual(body);
  });

  test("an uploaded file replaces the dictionary and is told with its revision and hash", async () => {
    await send("text,replacement\nold,OLD\n");
    app.clock.advance(60_000);
    const { status, body } = await send(
      `${HEADER}\nDr.,Doctor,en-US|es,Google,openai:alloy,substring,first_only|case_sensitive,FALSE,"titles, mostly"\nNYC,"New York\nCity",,,,,,,\n`,
    );
    expect(status).toBe(202);
    expect(body).toEqual({
      revision: expect.any(Number),
      hash: expect.stringMatching(/^sha256:[0-9a-f]{64}$/),
      entries: 2,
      uploaded_at: expect.stringMatching(/^2026-11-18T12:0\d:00\+00:00$/),
      uploaded_by: "admin@example.com",
    });
    const dictionary = (await app.send("GET", path)).body;
    expect(dictionary.pronunciations).toEqual([
      override({
        text: "Dr.",
        replacement: "Doctor",
        languages: ["en-US", "es"],
        provider: "Google",
        voice: "openai:alloy",
        match_type: "substring",
        match_options: ["first_only", "case_sensitive"],
        enabled: false,
        notes: "titles, mostly",
      }),
      override({ text: "NYC", replacement: "New York\nCity" }),
    ]);
    expect(dictionary.voices).toEqual({ "openai:alloy": { display_name: "Alloy", provider: "OpenAI" } });
    expect(dictionary.metadata).toEqual({ entries: 2, hash: body.hash, source: "" });
    expect((await app.send("GET", `${path}/metadata`)).body).toEqual(dictionary.metadata);
    expect((await send("text,replacement\na,b\n")).body.revision).toBe(body.revision + 1);
  });

  test("the downloaded file is what the hash is of, and uploaded again it is the same dictionary", async () => {
    await send('replacement,text\n" b ",a\n');
    const { body, headers } = await app.send("GET", `${path}/csv`);
    expect(headers).toMatchObject({
      "content-type": "text/csv; charset=utf-8",
      "content-disposition": 'attachment; filename="pronunciations.csv"',
    });
    expect(body).toBe(`\uFEFF${HEADER}\r\na," b ",,,,exact,,true,\r\n`);
    const { hash } = (await app.send("GET", `${path}/metadata`)).body;
    expect(hash).toBe(`sha256:${createHash("sha256").update(body).digest("hex")}`);
    expect((await send(body)).body.hash).toBe(hash);
  });

  test("columns may stand in any order, with a byte order mark, other line ends and empty lines", async () => {
    expect((await send("\uFEFFnotes,replacement,text\r\n\r\nn,r,t\r\n,,\r\n")).status).toBe(202);
    expect(await stored()).toEqual([override({ text: "t", replacement: "r", notes: "n" })]);
    expect((await send("text,replacement\rt,r")).body.entries).toBe(1);
  });

  test.each<[string, string, (string | number)[][]]>([
    [
      "an empty file",
      "",
      [
        ["file", 1, "text"],
        ["file", 1, "replacement"],
      ],
    ],
    ["no column for the replacement", "text\na\n", [["file", 1, "replacement"]]],
    ["a column nobody knows", "text,replacement,say\na,b,c\n", [["file", 1, "say"]]],
    ["a column twice", "text,replacement,text\na,b,c\n", [["file", 1, "text"]]],
    ["more cells than columns", "text,replacement\na,b\na,b,c\n", [["file", 3]]],
    ["an open quote", 'text,replacement\na,b\na,"b\n', [["file", 3, 2]]],
    [
      "several rows that are wrong",
      "text,replacement,match_type,enabled\na,b,,\n,,fuzzy,perhaps\n\na,,,\n",
      [
        ["file", 3, "text"],
        ["file", 3, "replacement"],
        ["file", 3, "match_type"],
        ["file", 3, "enabled"],
        ["file", 5, "replacement"],
      ],
    ],
    ["a language that is none", "text,replacement,languages\na,b,en|inglés\n", [["file", 2, "languages"]]],
    ["an option that is none", "text,replacement,match_options\na,b,loud\n", [["file", 2, "match_options"]]],
    ["a NUL", "text,replacement\na,\0\n", [["file", 2, "replacement"]]],
  ])("%s is refused at its row and column, and nothing is stored", async (_, csv, locs) => {
    await send("text,replacement\nkept,KEPT\n");
    const { status, body } = await send(csv);
    expect(status).toBe(422);
    expect(body.detail.map(({ loc }: { loc: unknown }) => loc)).toEqual(locs);
    expect(await stored()).toEqual([override({ text: "kept", replacement: "KEPT" })]);
  });

  test("bytes that are no text, a form without the file and no form at all are refused", async () => {
    expect((await send(Buffer.from([0xff, 0xfe, 0x00]))).body.detail).toMatchObject([{ loc: ["file"] }]);
    expect(await send("text", { field: "other" })).toMatchObject({
      status: 422,
      body: { detail: [{ loc: ["body", "file"] }] },
    });
    expect((await app.send("POST", `${path}/csv`, { file: "text" })).status).toBe(415);
    for (const type of ["multipart/form-data; boundary=x", "multipart/form-data"]) {
      expect(await app.send("POST", `${path}/csv`, "--x\r\n", { "content-type": type })).toMatchObject({
        status: 422,
        body: { detail: [{ loc: ["body"], type: "form_invalid" }] },
      });
    }
    expect((await send("x".repeat(6 * 1024 * 1024))).status).toBe(413);
  });

  test("deleting leaves an empty dictionary and no body, and does so again", async () => {
    await send("text,replacement\na,b\n");
    for (let i = 0; i < 2; i++) {
      const { status, body } = await app.send("DELETE", `${path}/csv`);
      expect([status, body]).toEqual([204, ""]);
      expect(await stored()).toEqual([]);
    }
  });

  test("every change writes one audit entry", async () => {
    const entries = () =>
      app.db
        .selectFrom("audit_entries")
        .select(["action", "before", "after"])
        .where("resource", "=", "pronunciations")
        .orderBy("id", "desc")
        .execute();
    const before = await entries();
    const { body } = await send("text,replacement\na,b\n");
    await send("text\n");
    await app.send("DELETE", `${path}/csv`);
    const [deleted, updated, ...rest] = await entries();
    expect(rest).toEqual(before);
    expect(updated).toMatchObject({ action: "update", after: body });
    expect(deleted).toMatchObject({ action: "delete", before: body, after: { entries: 0 } });
  });

  test("a neighbour has a dictionary of their own", async () => {
    await send("text,replacement\nmine,MINE\n");
    const neighbour = await app.createNeighbour();
    await send("text,replacement\ntheirs,THEIRS\n", { token: neighbour.token });
    expect((await stored()).map(({ text }: { text: string }) => text)).toEqual(["mine"]);
    await neighbour.send("DELETE", `${path}/csv`);
    expect(await stored()).toHaveLength(1);
  });

  test("reading, writing and deleting need their own permission", async () => {
    const token = await app.createToken(["pronunciations_read"]);
    const reader = app.sendAs(token);
    expect((await reader("GET", `${path}/csv`)).status).toBe(200);
    expect((await send("text,replacement\n", { token })).status).toBe(403);
    expect((await reader("DELETE", `${path}/csv`)).status).toBe(403);
  });

  test("whatever is accepted comes back equal, in its order, from what was downloaded too", async () => {
    const text = fc
      .oneof(fc.string({ unit: "grapheme", maxLength: 12 }), fc.stringMatching(/^[ ,"\r\n|]{1,6}$/))
      .filter((value) => !value.includes("\0"));
    const filled = text.filter((value) => value !== "");
    const anyOverride = fc.record({
      text: filled,
      replacement: filled,
      languages: fc.uniqueArray(fc.constantFrom("en", "en-US", "es-US", "zh-CN"), { maxLength: 3 }),
      provider: fc.constantFrom("", "Google", "Cartesia"),
      voice: fc.constantFrom("", "openai:alloy", "elevenlabs:Alice"),
      match_type: fc.constantFrom("exact", "substring"),
      match_options: fc.uniqueArray(fc.constantFrom("case_sensitive", "first_only")),
      enabled: fc.boolean(),
      notes: text,
    });
    type Override = Record<string, string | boolean | string[]>;
    const cell = (value: string | boolean | string[] | undefined) =>
      `"${String(Array.isArray(value) ? value.join("|") : value).replaceAll('"', '""')}"`;
    const csv = (overrides: Override[]) =>
      [
        HEADER,
        ...overrides.map((entry) =>
          HEADER.split(",")
            .map((name) => cell(entry[name]))
            .join(","),
        ),
      ].join("\n");
    await fc.assert(
      fc.asyncProperty(fc.array(anyOverride, { maxLength: 5 }), async (overrides) => {
        expect((await send(csv(overrides))).status).toBe(202);
        expect(await stored()).toEqual(overrides);
        expect((await send((await app.send("GET", `${path}/csv`)).body)).status).toBe(202);
        expect(await stored()).toEqual(overrides);
      }),
      { numRuns: rounds(15, 400) },
    );
  });

  test("a part of the form without a name is told, like any other broken input", async () => {
    const body = "--x\r\ncontent-disposition: form-data\r\n\r\nwhat for?\r\n--x--\r\n";
    const answer = await app.send("POST", "/api/v1/pronunciations/csv", body, {
      "content-type": "multipart/form-data; boundary=x",
    });
    expect(answer).toMatchObject({
      status: 422,
      body: { detail: [{ loc: ["body"], msg: "Every part of the form needs a name" }] },
    });
  });
});
