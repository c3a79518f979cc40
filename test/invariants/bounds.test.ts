import { beforeAll, expect, test } from "vitest";
import { expandShared } from "../../src/api/openapi/expand-shared.ts";
import { createTestApp, type TestApp } from "../harness/app.ts";

type Node = { [key: string]: unknown };
type Operation = {
  parameters?: { name: string; in: string; schema: Node }[];
  requestBody?: { content: Record<string, { schema: Node }> };
};
type Document = {
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Node> };
};

let app: TestApp;
let document: Document;
beforeAll(async () => {
  app = await createTestApp();
  document = expandShared((await app.send("GET", "/openapi.json")).body);
});

const REF = "#/components/schemas/";

type Found = Map<Node, string>;

/** Every schema of this kind that a sender may fill, by the first way that leads to it. */
function schemasOf(is: (schema: Node) => boolean): Found {
  const seen = new Set<string>();
  const found: Found = new Map();
  const walk = (schema: Node, way: string): void => {
    if (typeof schema !== "object" || schema === null) return;
    if (typeof schema.$ref === "string") {
      if (seen.has(schema.$ref)) return;
      seen.add(schema.$ref);
      const name = schema.$ref.slice(REF.length);
      walk(document.components.schemas[name] as Node, name);
      return;
    }
    if (is(schema)) found.set(schema, way);
    for (const [key, inner] of Object.entries(schema)) {
      if (typeof inner !== "object" || inner === null || DATA.has(key)) continue;
      if (key === "properties")
        for (const [name, member] of Object.entries(inner)) walk(member as Node, `${way}.${name}`);
      else walk(inner as Node, key === "items" ? `${way}[]` : way);
    }
  };
  for (const [path, methods] of Object.entries(document.paths)) {
    for (const [method, operation] of Object.entries(methods)) {
      const way = `${method.toUpperCase()} ${path}`;
      for (const { name, schema } of operation.parameters ?? []) walk(schema, `${way} ${name}`);
      for (const { schema } of Object.values(operation.requestBody?.content ?? {})) walk(schema, way);
    }
  }
  return found;
}

/** Keywords whose values are data, not schemas. */
const DATA = new Set(["const", "default", "enum", "example", "examples", "required"]);

const waysOf = (found: Found): string[] => [...found.values()];
const upTo = (value: unknown, most: number): boolean => typeof value === "number" && value <= most;

test("every list that anybody can send has a maximum, of 10,000 at the most", () => {
  const lists = schemasOf(({ type }) => type === "array");
  expect(lists.size).toBeGreaterThan(50);
  const unbounded = schemasOf(({ type, maxItems }) => type === "array" && !upTo(maxItems, 10_000));
  expect(waysOf(unbounded)).toEqual([]);
});

test("every text that anybody can send has a maximum: in a body, a path, a query, and for the names of a map", () => {
  const isText = ({ type, format, enum: values, const: value }: Node) =>
    [type].flat().includes("string") && format !== "binary" && values === undefined && value === undefined;
  expect(schemasOf(isText).size).toBeGreaterThan(300);
  expect(waysOf(schemasOf((schema) => isText(schema) && !upTo(schema.maxLength, 1_000_000)))).toEqual([]);
  for (const [path, methods] of Object.entries(document.paths)) {
    for (const { name, schema, in: place } of Object.values(methods).flatMap(
      ({ parameters }) => parameters ?? [],
    ))
      if (isText(schema))
        expect(schema.maxLength, `${path} ${name}`).toBeLessThanOrEqual(place === "path" ? 1_000 : 16_000);
  }
});

test("a text that is longer is refused at its place, whether its schema names a maximum or not", async () => {
  const long = "a".repeat(1_000_001);
  const { status, body } = await app.send("POST", "/api/v1/outbound/batches/1/requests", {
    requests: [{ to: long }, { request_variables: { [long]: long } }],
  });
  expect(status).toBe(422);
  const tooLong = { msg: "String should have at most 1000000 characters", type: "string_too_long" };
  expect(body.detail).toEqual([
    { ...tooLong, loc: ["body", "requests", 0, "to"] },
    { ...tooLong, loc: ["body", "requests", 1, "request_variables"] },
  ]);
  const named = await app.send("POST", "/api/v1/services/", { name: "a".repeat(256), description: "" });
  expect(named).toMatchObject({
    status: 422,
    body: {
      detail: [
        {
          loc: ["body", "name"],
          msg: "String should have at most 255 characters",
          type: "string_too_long",
        },
      ],
    },
  });
});

test("any JSON nests up to a hundred levels and has the size of its body; more is refused before it is read", async () => {
  const nested = (levels: number) => `${"[".repeat(levels)}${"]".repeat(levels)}`;
  const bodyOf = (value: string) =>
    `{"name":"x","service_id":1,"definition":{"type":"endpoint","tool":{"type":"function","function":{"name":"x","description":"","parameters":{}}},"result":${value}}}`;
  const deep = await app.send("POST", "/api/v1/tools/check", bodyOf(nested(100)));
  expect(deep).toMatchObject({ status: 422, body: { detail: [{ type: "json_invalid" }] } });
  const large = await app.send("POST", "/api/v1/tools/check", bodyOf(`"${"a".repeat(1_100_000)}"`));
  expect(large).toMatchObject({
    status: 413,
    body: { detail: "The body is larger than 1 MB, the most that is accepted here." },
  });
  expect((await app.send("POST", "/api/v1/tools/check", bodyOf(nested(50)))).status).not.toBe(422);
});
