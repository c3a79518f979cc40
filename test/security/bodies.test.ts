import { readFileSync } from "node:fs";
import { beforeAll, describe, expect, test } from "vitest";
import { expandShared } from "../../src/api/openapi/expand-shared.ts";
import { createTestApp, type TestApp } from "../harness/app.ts";
import { multipart } from "../harness/form.ts";
import { expectFreeLoop, LONGEST_BLOCK_MS } from "../harness/loop-watch.ts";

type Node = { [key: string]: unknown };
type Document = {
  paths: Record<string, Record<string, { requestBody?: { content: Record<string, { schema: Node }> } }>>;
  components: { schemas: Record<string, { properties?: Record<string, Node> }> };
};

const document: Document = expandShared(
  JSON.parse(readFileSync(new URL("../../openapi.json", import.meta.url), "utf8")),
);
let app: TestApp;
beforeAll(async () => {
  app = await createTestApp();
});

/** As many of these as a body takes. */
const full = (entry: string, bytes = 1_000_000): string =>
  `[${`${entry},`.repeat(Math.max(1, Math.floor(bytes / (entry.length + 1)))).slice(0, -1)}]`;

const step = (entries: string, key: string): string =>
  `{"name":"x","service_id":1,"definition":{"type":"context","tool":{"type":"function","function":{"name":"x","parameters":{}}},"context":{"version":"v1alpha","task":{"type":"steps","id":"x","steps":[{"id":"a","${key}":${entries}}]}}}}`;

const members = (count: number): string => Array.from({ length: count }, (_, n) => `"k${n}":1`).join(",");

describe("a body does not hold up the main loop", () => {
  const task = (steps: string) =>
    `{"name":"x","service_id":1,"definition":{"type":"context","tool":{"type":"function","function":{"name":"x","parameters":{}}},"context":{"version":"v1alpha","task":{"type":"steps","id":"x","steps":${steps}}}}}`;

  test("of an agent's or a suite's file with sixty thousand keys, or as many as are read", async () => {
    const keys = (count: number) => Array.from({ length: count }, (_, n) => `k${n}: 1`).join("\n");
    const send = (kind: string, text: string) =>
      expectFreeLoop(`${kind} of ${text.length} characters`, () =>
        app.send("POST", `/api/v1/${kind}/import`, { text }),
      );
    for (const [kind, text] of [
      ["agents", keys(8_000)],
      ["test_suites", keys(8_000)],
      ["agents", keys(60_000)],
    ] as const)
      expect((await send(kind, text)).status).toBe(422);
    const [large, twice] = [
      await send("agents", keys(60_000)),
      await send("agents", "a: 1\nb: {c: 2, c: 3}"),
    ];
    expect(JSON.stringify(large.body)).toContain("Divide it into several files");
    expect(JSON.stringify(twice.body)).toContain("Line 2, column 11: Map keys must be unique");
  });

  test("of sixty thousand steps, which are refused for their number, and so are six thousand", async () => {
    const send = (bytes: number) => app.send("POST", "/api/v1/tools/", task(full("{}", bytes)));
    const most = await expectFreeLoop("sixty thousand steps", () => send(180_000));
    expect(most.status).toBe(413);
    const answer = await expectFreeLoop("six thousand steps", () => send(18_000));
    expect(answer.status).toBe(422);
    expect(answer.body.detail).toContainEqual({
      loc: ["body", "definition", "context", "task", "steps"],
      msg: "List should have at most 1000 items after validation",
      type: "too_long",
    });
  });

  test.each([
    ["next steps of the wrong type", step(full("7"), "next")],
    ["a thousand lists of a thousand wrong inputs", step(full("{}", 900), "inputs").replace("{}", "7")],
    [
      "a thousand steps of a hundred wrong actions",
      `{"name":"x","definition":{"type":"context","context":{"task":{"type":"steps","steps":${full(
        `{"on":{"enter":${full('{"action":7}', 900)}}}`,
      )}}}}}`,
    ],
    [
      "cases in cases",
      step(
        `[{"if":${'{"case":[{"if":'.repeat(30)}7${"}]}".repeat(30)}},${full("{}", 900_000).slice(1)}`,
        "next",
      ),
    ],
    ["members that nobody knows", `{${Array.from({ length: 90_000 }, (_, n) => `"k${n}":1`).join(",")}}`],
    // As large as a body may be, and no larger.
    ["as many members that nobody knows as may be", `{${members(4_990)}}`],
    ["as many strange members in lists as may be", `{"name":[${`{${members(4_990)}},`.repeat(3)}7]}`],
    [
      "a thousand steps of nine wrong actions",
      task(full(`{"on":{"enter":${full('{"action":7}', 92)}}}`, 105_000)),
    ],
    ["as many wrong next steps as may be", step(full("7", 39_000), "next")],
    ["as many empty steps as may be", step(full("{}", 28_000), "next")],
  ])("of a tool: %s", async (name, body) => {
    const answer = await expectFreeLoop(`a tool with ${name}`, () =>
      app.send("POST", "/api/v1/tools/", body),
    );
    expect([400, 413, 422]).toContain(answer.status);
    expect(JSON.stringify(answer.body).length).toBeLessThan(100_000);
  });

  const taking = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, { requestBody }]) => {
      const schema = requestBody?.content["application/json"]?.schema;
      return schema ? [{ operation: `${method.toUpperCase()} ${path}`, schema }] : [];
    }),
  );

  test.each(taking)(
    "of $operation: each member a list as long as the body, or as long as is allowed",
    async ({ operation, schema }) => {
      const named = typeof schema.$ref === "string" ? schema.$ref.split("/").at(-1) : undefined;
      const properties = Object.keys(
        (named ? document.components.schemas[named]?.properties : (schema.properties as object)) ?? {},
      );
      const share = Math.floor(900_000 / Math.max(properties.length, 1));
      const bodies = [
        full("{}"),
        full("7"),
        ...["{}", '"a"', "[{}]"].map(
          (entry) => `{${properties.map((key) => `"${key}":${full(entry, share)}`).join(",")}}`,
        ),
        `{${properties.map((key) => `"${key}":${full('{"type":7}', Math.min(share, 9_900))}`).join(",")}}`,
      ];
      const [method, path] = operation.split(" ") as [string, string];
      await expectFreeLoop(operation, async () => {
        for (const body of bodies) {
          const { status } = await app.send(method, path.replaceAll(/\{\w+\}/g, "1"), body);
          expect(status).toBeLessThan(500);
        }
      });
    },
  );

  /** Objects whose members have names that no other has: what JSON.parse is slowest at. */
  const strange = (bytes: number): string => {
    let named = 0;
    const one = () => `{${Array.from({ length: 100 }, () => `"${(named++).toString(36)}":1`).join(",")}}`;
    const objects: string[] = [];
    for (let length = 0; length < bytes; length += objects.at(-1)?.length ?? 0) objects.push(one());
    return `[${objects.join(",")}]`;
  };

  test.each([
    ["a tool", "/api/v1/tools/", 1_000_000],
    ["a batch's requests", "/api/v1/outbound/batches/none/requests", 4_000_000],
  ])("of %s, in which every member has a name of its own", async (name, url, bytes) => {
    const body = strange(bytes);
    const answer = await expectFreeLoop(`${name} of ${bytes} bytes of names`, () =>
      app.send("POST", url, body),
    );
    expect(answer).toMatchObject({
      status: 413,
      body: { detail: expect.stringContaining("more than 5,000 different names") },
    });
  });

  test("of a directory's file, in which every member has a name of its own", async () => {
    const form = multipart({ file: { filename: "members.json", content: strange(5_000_000) } });
    const answer = await expectFreeLoop("5 MB of names in a file", () =>
      app.send("PUT", "/api/v1/directory_members/upload/", form.body, form.headers),
    );
    expect(answer).toMatchObject({
      status: 400,
      body: { detail: expect.stringContaining("more than 5,000 different names") },
    });
    const full_list = `[${'{"name":"a","type":"x","extensions":[{"extension":"1","numbers":[{"number":"7","rules":[{},{},{}]}]}]},'.repeat(11_000)}7]`;
    const many = multipart({ file: { filename: "members.json", content: full_list } });
    const read = await expectFreeLoop("a directory as large as may be", () =>
      app.send("PUT", "/api/v1/directory_members/upload/", many.body, many.headers),
    );
    expect(read.status).toBe(400);
    expect(JSON.stringify(read.body)).not.toContain("more than");
  });

  test.each([
    ["requests that are wrong everywhere", full('{"a":[{},{},{},{},{},{},{},{},{}],"b":{"c":7}}', 210_000)],
    [
      "requests of twenty strange variables",
      `[${`{"reference_id":"1","target":"x","request_variables":{${members(20)}}},`.repeat(4_100)}7]`,
    ],
  ])("of a batch's requests: %s, as many as may be", async (name, body) => {
    const answer = await expectFreeLoop(name, () =>
      app.send("POST", "/api/v1/outbound/batches/none/requests", body),
    );
    expect(answer.status).toBe(422);
  });

  test.each([
    ["a header of a million columns", Array.from({ length: 900_000 }, (_, n) => n.toString(36)).join(",")],
    ["a header of 90,000 columns", Array.from({ length: 90_000 }, (_, n) => n.toString(36)).join(",")],
    ["empty lines", "\n".repeat(5_000_000)],
    ["empty cells", `word,pronunciation\n${",".repeat(5_000_000)}`],
    ["wrong rows, as many as may be", `word,pronunciation\n${"a,b\n".repeat(19_000)}`],
  ])("of a table of pronunciations: %s", async (name, content) => {
    const form = multipart({ file: { filename: "table.csv", content } });
    const answer = await expectFreeLoop(`a table with ${name}`, () =>
      app.send("POST", "/api/v1/pronunciations/csv", form.body, form.headers),
    );
    expect(answer.status).toBe(422);
  });

  test("of a form of as many fields as it has room for, from anybody", async () => {
    const form = Array.from({ length: 150_000 }, (_, n) => `${n.toString(36)}=1`).join("&");
    const answer = await expectFreeLoop("a form of 150,000 fields", () =>
      app.sendAs(null)("POST", "/carriers/twilio/1/voice", form, {
        "content-type": "application/x-www-form-urlencoded",
      }),
    );
    expect(answer.status).toBe(413);
  });

  test("with more values than anybody sends: it is refused, and one just as large is read", async () => {
    const many = await app.send("POST", "/api/v1/tools/", step(full("7", 60_000), "next"));
    expect(many).toMatchObject({
      status: 413,
      body: { detail: expect.stringContaining("more than 20,000 values") },
    });
    const fewer = await app.send("POST", "/api/v1/tools/", step(full("7", 38_000), "next"));
    expect(fewer.status).toBe(422);
  });

  test("longer than an operation takes: it is refused unread", async () => {
    const answer = await expectFreeLoop("2 MB of wrong JSON", () =>
      app.send("POST", "/api/v1/tools/", full("{}", 2_000_000)),
    );
    expect(answer).toMatchObject({ status: 413 });
    expect(LONGEST_BLOCK_MS).toBe(200);
  });
});
