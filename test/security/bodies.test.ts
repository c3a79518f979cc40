import { beforeAll, describe, expect, test } from "vitest";
import { createTestApp, type TestApp } from "../harness/app.ts";
import { expectFreeLoop, LONGEST_BLOCK_MS } from "../harness/loop-watch.ts";

type Node = { [key: string]: unknown };
type Document = {
  paths: Record<string, Record<string, { requestBody?: { content: Record<string, { schema: Node }> } }>>;
  components: { schemas: Record<string, { properties?: Record<string, Node> }> };
};

let app: TestApp;
let document: Document;
beforeAll(async () => {
  app = await createTestApp();
  document = (await app.send("GET", "/openapi.json")).body;
});

/** As many of these as a body takes. */
const full = (entry: string, bytes = 1_000_000): string =>
  `[${Array.from({ length: Math.floor(bytes / (entry.length + 1)) }, () => entry).join(",")}]`;

const step = (entries: string, key: string): string =>
  `{"name":"x","service_id":1,"definition":{"type":"context","tool":{"type":"function","function":{"name":"x","parameters":{}}},"context":{"version":"v1alpha","task":{"type":"steps","id":"x","steps":[{"id":"a","${key}":${entries}}]}}}}`;

describe("a body does not hold up the main loop", () => {
  test("of sixty thousand steps, which are refused for their number", async () => {
    const steps = full("{}", 180_000);
    const body = `{"name":"x","service_id":1,"definition":{"type":"context","tool":{"type":"function","function":{"name":"x","parameters":{}}},"context":{"version":"v1alpha","task":{"type":"steps","id":"x","steps":${steps}}}}}`;
    const answer = await expectFreeLoop("sixty thousand steps", () =>
      app.send("POST", "/api/v1/tools/", body),
    );
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
  ])("of a tool: %s", async (name, body) => {
    const answer = await expectFreeLoop(`a tool with ${name}`, () =>
      app.send("POST", "/api/v1/tools/", body),
    );
    expect([400, 413, 422]).toContain(answer.status);
    expect(JSON.stringify(answer.body).length).toBeLessThan(100_000);
  });

  test("of any operation that takes one: each member a list as long as the body, or as long as is allowed", async () => {
    for (const [path, methods] of Object.entries(document.paths)) {
      for (const [method, { requestBody }] of Object.entries(methods)) {
        const schema = requestBody?.content["application/json"]?.schema;
        if (!schema) continue;
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
        const url = path.replaceAll(/\{\w+\}/g, "1");
        await expectFreeLoop(`${method.toUpperCase()} ${path}`, async () => {
          for (const body of bodies) {
            const { status } = await app.send(method.toUpperCase(), url, body);
            expect(status, `${method} ${path}`).toBeLessThan(500);
          }
        });
      }
    }
  });

  test("longer than an operation takes: it is refused unread", async () => {
    const answer = await expectFreeLoop("2 MB of wrong JSON", () =>
      app.send("POST", "/api/v1/tools/", full("{}", 2_000_000)),
    );
    expect(answer).toMatchObject({ status: 413 });
    expect(LONGEST_BLOCK_MS).toBe(200);
  });
});
