import { expect, test } from "vitest";
import { documentText, expandShared, shareCommon } from "./share-common.ts";

const response = (name: string) => ({
  description: "Default Response",
  content: { "application/json": { schema: { $ref: `#/components/schemas/${name}` } } },
});
const limit = { name: "limit", in: "query", schema: { type: "integer", maximum: Number.MAX_SAFE_INTEGER } };
const PATHS = Object.fromEntries(
  Array.from({ length: 20 }, (_, n) => [
    `/api/v1/things${n}/`,
    { get: { parameters: [limit], responses: { 200: response("Thing"), 401: response("Error") } } },
  ]),
);

test("refusals and the parameters of lists stand once, and are found again at each operation", () => {
  const shared = shareCommon({ paths: PATHS, components: { schemas: {} } });
  expect(shared.paths["/api/v1/things3/"].get).toEqual({
    operationId: "get_things3",
    parameters: [{ $ref: "#/components/parameters/limit" }],
    responses: {
      200: { ...response("Thing"), description: "Done" },
      401: { $ref: "#/components/responses/NotAuthenticated" },
    },
  });
  const { get } = (expandShared(shared) as typeof shared).paths["/api/v1/things3/"];
  expect(get.parameters).toEqual([{ name: "limit", in: "query", schema: { type: "integer" } }]);
  expect(get.responses[401].content).toEqual(response("Error").content);
});

test("the text is the same document, an operation and a schema a line", () => {
  const document = {
    openapi: "3.1.0",
    paths: PATHS,
    tags: [{ name: "a" }],
    components: { schemas: { A: { type: "string" } } },
  };
  const text = documentText(document);
  expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(document)));
  expect(text.split("\n").filter((line) => line.includes('"get":'))).toHaveLength(20);
  expect(text).toContain('\n      "A": {"type":"string"}');
});
