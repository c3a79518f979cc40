import fc from "fast-check";
import { beforeAll, expect, test } from "vitest";
import { ToolDefinition } from "../../../src/tools/tool-definition.ts";
import { createTestApp, type TestApp } from "../../harness/app.ts";
import { arbitraryDefinition, respelt } from "../../harness/arbitrary-definition.ts";
import { rounds } from "../../harness/seed.ts";

let app: TestApp;
let service_id: number;
beforeAll(async () => {
  app = await createTestApp();
  service_id = (await app.send("POST", "/api/v1/services/", { name: "Clinic", description: "" })).body.id;
});

const definitions = arbitraryDefinition("any_tool");

test("a definition written in full is read as it was written, in whatever spelling it was sent", () => {
  fc.assert(
    fc.property(definitions, (definition) => {
      expect(ToolDefinition.parse(definition)).toEqual(definition);
      expect(ToolDefinition.parse(respelt(definition))).toEqual(definition);
    }),
    { numRuns: rounds(500) },
  );
});

test("a tool comes back with the definition it was saved with, now and in its history", async () => {
  let version = 0;
  await fc.assert(
    fc.asyncProperty(definitions, async (definition) => {
      const known = await app.send("GET", "/api/v1/tools/any_tool");
      const save = known.status === 200 ? { method: "PUT", id: known.body.id } : { method: "POST" };
      const input = { name: "any_tool", service_id, definition: respelt(definition), id: known.body.id };
      const saved = await app.send(save.method, "/api/v1/tools/", input);
      expect(saved.body.detail).toBeUndefined();
      expect(saved.body).toMatchObject({ definition, version_number: ++version });
      expect((await app.send("GET", "/api/v1/tools/any_tool")).body.definition).toEqual(definition);
      const history = `/api/v1/tools/${saved.body.id}/history?order_by_direction=desc&limit=1`;
      expect((await app.send("GET", history)).body.items[0].definition).toEqual(definition);
    }),
    { numRuns: rounds(15, 400) },
  );
});
