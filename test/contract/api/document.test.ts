import { beforeAll, expect, test } from "vitest";
import { createTestApp } from "../../harness/app.ts";

type Schema = { $ref?: string; format?: string; default?: unknown; properties?: Record<string, Schema> };
type Parameter = { $ref?: string; name: string; schema: Schema; description?: string };
type Operation = { parameters?: Parameter[] };

let paths: Record<string, Record<string, Operation>>;
let schemas: Record<string, Schema>;
let shared: Record<string, Parameter>;
beforeAll(async () => {
  const app = await createTestApp();
  const { body } = await app.send("GET", "/openapi.json");
  ({ paths } = body);
  ({ schemas, parameters: shared } = body.components);
});

const parametersOf = ({ parameters = [] }: Operation): Parameter[] =>
  parameters.map((one) => (one.$ref ? (shared[one.$ref.split("/").at(-1) as string] as Parameter) : one));

test("a time that is sent is a date-time to generators of clients, as one that is answered is", () => {
  const sent = {
    InsightWorkflowInput: ["start_datetime", "end_datetime"],
    IncidentCreateRequest: ["start_datetime", "resolution_datetime"],
    CommunicationBatchUpdate: ["expires_on"],
  };
  for (const [schema, names] of Object.entries(sent))
    for (const name of names)
      expect(schemas[schema]?.properties?.[name], `${schema}.${name}`).toMatchObject({ format: "date-time" });
});

test("no parameter is a named schema alone: its default and its description would be lost", () => {
  const bare = Object.entries(paths).flatMap(([path, methods]) =>
    Object.values(methods)
      .flatMap(parametersOf)
      .filter(({ schema }) => schema.$ref !== undefined)
      .map(({ name }) => `${path} ${name}`),
  );
  expect(bare).toEqual([]);
  const [format] = parametersOf(paths["/api/v1/directory_members/download/"]?.get ?? {});
  expect(format).toMatchObject({ schema: { default: "normalized" }, description: expect.any(String) });
});
