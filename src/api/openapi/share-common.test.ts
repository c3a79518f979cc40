import { expect, test } from "vitest";
import { expandShared } from "./expand-shared.ts";
import { documentText, shareCommon } from "./share-common.ts";

const refOf = (name: string) => ({ $ref: `#/components/schemas/${name}` });
const answer = (schema: object) => ({
  description: "Default Response",
  content: { "application/json": { schema } },
});
const limit = { name: "limit", in: "query", schema: { type: "integer", maximum: Number.MAX_SAFE_INTEGER } };
const SCHEMAS = {
  Thing: { type: "object", properties: { id: { type: "integer" } }, required: ["id"] },
  Error: {},
};
const responses = (schema: object) => ({
  200: answer(schema),
  401: answer(refOf("Error")),
  403: answer(refOf("Error")),
});
const PATHS = Object.fromEntries(
  Array.from({ length: 20 }, (_, n) => [
    `/api/v1/things${n}/`,
    { get: { parameters: [limit], responses: responses(refOf("Thing")) } },
  ]),
);

test("refusals and parameters of several operations stand once, and are found again at each operation", () => {
  const shared = shareCommon({ paths: PATHS, components: { schemas: SCHEMAS } });
  expect(shared.paths["/api/v1/things3/"].get).toEqual({
    operationId: "get_things3",
    parameters: [{ $ref: "#/components/parameters/limit" }],
    responses: {
      200: { ...answer(refOf("Thing")), description: "Done" },
      default: { $ref: "#/components/responses/Error" },
    },
  });
  const { get } = (expandShared(shared) as typeof shared).paths["/api/v1/things3/"];
  expect(get.parameters).toEqual([{ name: "limit", in: "query", schema: { type: "integer" } }]);
  expect(get.responses[200]).toEqual({ ...answer(refOf("Thing")), description: "Done" });
  for (const status of [401, 403])
    expect(get.responses[status].content).toEqual(answer(refOf("Error")).content);
});

test("of two parameters with one name, only the more frequent is shared", () => {
  const text = { name: "id", in: "path", schema: { type: "string", maxLength: 9 } };
  const number = { name: "id", in: "path", schema: { type: "integer" } };
  const paths = Object.fromEntries(
    [text, number, number, text, number, text, number].map((parameter, n) => [
      `/p${n}`,
      { get: { parameters: [parameter], responses: responses(refOf("Thing")) } },
    ]),
  );
  const shared = shareCommon({ paths, components: { schemas: SCHEMAS } });
  expect(shared.components.parameters.id).toEqual(number);
  expect(shared.paths["/p0"].get.parameters).toEqual([text]);
  for (const [path, { get }] of Object.entries<typeof shared>((expandShared(shared) as typeof shared).paths))
    expect(get.parameters).toEqual(paths[path]?.get.parameters);
});

test("a page of records is the frame that all have, and its records", () => {
  const number = { type: "integer" };
  const total = { anyOf: [number, { type: "null" }] };
  const items = { type: "array", items: refOf("Thing") };
  const page = {
    type: "object",
    properties: { items, page: number, page_size: number, total_pages: total, total_count: total },
    required: ["items", "page", "page_size"],
  };
  const paths = { "/things": { get: { responses: responses(page) } } };
  const shared = shareCommon({ paths, components: { schemas: SCHEMAS } });
  const inner = { type: "object", properties: { items }, required: ["items"] };
  const { schema } = shared.paths["/things"].get.responses[200].content["application/json"];
  expect(schema).toEqual({ allOf: [refOf("Page"), inner] });
  const { get } = (expandShared(shared) as typeof shared).paths["/things"];
  const whole = get.responses[200].content["application/json"].schema;
  expect(whole.required.toSorted()).toEqual(page.required.toSorted());
  const either = { type: ["integer", "null"] };
  expect(whole.properties).toEqual({ ...page.properties, total_pages: either, total_count: either });
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
  expect(text).toContain('\n"A":{"type":"string"}');
});
