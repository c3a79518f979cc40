import { beforeAll, expect, test } from "vitest";
import { createTestApp, type TestApp } from "../harness/app.ts";

type Node = { [key: string]: unknown };
type Operation = {
  parameters?: { name: string; schema: Node }[];
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
  document = (await app.send("GET", "/openapi.json")).body;
});

const REF = "#/components/schemas/";

/** Every array that a sender may fill, by the first way that leads to it. */
function arraysOf(schema: Node, way: string, seen: Set<string>, found: Map<Node, string>): void {
  if (typeof schema !== "object" || schema === null) return;
  if (typeof schema.$ref === "string") {
    if (seen.has(schema.$ref)) return;
    seen.add(schema.$ref);
    const name = schema.$ref.slice(REF.length);
    arraysOf(document.components.schemas[name] as Node, name, seen, found);
    return;
  }
  if (schema.type === "array") found.set(schema, way);
  for (const [key, inner] of Object.entries(schema))
    if (typeof inner === "object" && inner !== null)
      arraysOf(inner as Node, key === "properties" || key === "items" ? way : `${way}.${key}`, seen, found);
}

test("every list that anybody can send has a maximum, of 10,000 at the most", () => {
  const seen = new Set<string>();
  const found = new Map<Node, string>();
  for (const [path, methods] of Object.entries(document.paths)) {
    for (const [method, operation] of Object.entries(methods)) {
      const way = `${method.toUpperCase()} ${path}`;
      for (const { name, schema } of operation.parameters ?? [])
        arraysOf(schema, `${way} ${name}`, seen, found);
      for (const { schema } of Object.values(operation.requestBody?.content ?? {}))
        arraysOf(schema, way, seen, found);
    }
  }
  expect(found.size).toBeGreaterThan(50);
  const unbounded = [...found].filter(
    ([{ maxItems }]) => !(typeof maxItems === "number" && maxItems <= 10_000),
  );
  expect(unbounded.map(([, way]) => way)).toEqual([]);
});
