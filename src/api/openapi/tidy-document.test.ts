import { expect, test } from "vitest";
import { tidyDocument } from "./tidy-document.ts";

const document = (paths: object, schemas: object) =>
  tidyDocument({
    openapiObject: { openapi: "3.1.0", info: { title: "t", version: "1" }, paths, components: { schemas } },
  } as never);

const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` });

test("what nothing refers to is left out, also when it refers to itself", () => {
  const tidy = document({ "/a": ref("A") }, { A: { b: ref("B") }, B: {}, C: { c: ref("C") } });
  expect(Object.keys(tidy.components?.schemas ?? {})).toEqual(["A", "B"]);
});

test("an answer is published open, and an input that differed in that only still has its name", () => {
  const thing = { type: "object", properties: { id: {} } };
  const closed = { ...thing, additionalProperties: false };
  const tidy = document(
    {
      "/a": {
        get: {
          requestBody: ref("AInput"),
          responses: { 200: [ref("A"), ref("B"), closed] },
          x: ref("BInput"),
        },
      },
    },
    { A: closed, AInput: thing, B: closed, BInput: closed },
  );
  // What is sent and takes no other fields says so.
  expect(tidy.components?.schemas).toEqual({ A: thing, AInput: ref("A"), B: closed });
  expect(tidy.paths).toEqual({
    "/a": { get: { requestBody: ref("A"), responses: { 200: [ref("A"), ref("B"), thing] }, x: ref("B") } },
  });
});

test("an input gets its plain name unless the output of that name differs, directly or by what it refers to", () => {
  const tidy = document(
    {
      "/a": {
        get: [ref("AInput"), ref("A"), ref("BInput"), ref("B"), ref("CInput"), ref("D"), ref("DInput")],
      },
    },
    {
      A: { type: "string" },
      AInput: { type: "string" },
      B: { d: ref("D") },
      BInput: { d: ref("DInput") },
      C: {},
      CInput: { type: "number" },
      D: { type: "string" },
      DInput: { type: "number" },
    },
  );
  expect(tidy.components?.schemas).toEqual({
    A: { type: "string" },
    B: { d: ref("D") },
    BInput: { d: ref("DInput") },
    C: { type: "number" },
    D: { type: "string" },
    DInput: { type: "number" },
  });
  expect(tidy.paths).toEqual({
    "/a": { get: [ref("A"), ref("A"), ref("BInput"), ref("B"), ref("C"), ref("D"), ref("DInput")] },
  });
});
