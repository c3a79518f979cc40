import { expect, test } from "vitest";
import { z } from "zod";
import { withEarlierSpelling } from "./earlier-spelling.ts";

const Endpoint = withEarlierSpelling(
  z.object({ url: z.string(), argument_location: z.enum(["body", "path"]), timeout: z.number().optional() }),
  { argumentLocation: "argument_location", time_out: "timeout" },
);
const url = "https://a.example";

test.each([
  [{ argument_location: "body" }, { argument_location: "body" }],
  [{ argumentLocation: "body" }, { argument_location: "body" }],
  [
    { argumentLocation: "body", argument_location: "path", time_out: 7 },
    { argument_location: "path", timeout: 7 },
  ],
])("%j is read as %j", (sent, read) => {
  expect(Endpoint.parse({ url, ...sent })).toEqual({ url, ...read });
});

test.each([
  [{ url }, [["argument_location"]]],
  [{}, [["url"], ["argument_location"]]],
  [{ url, argumentLocation: "header" }, [["argumentLocation"]]],
  [{ url, argumentLocation: "header", argument_location: "body" }, [["argumentLocation"]]],
  [{ url, argument_location: "body", time_out: "7" }, [["time_out"]]],
  ["text", [[]]],
])("what is wrong with %j is told at the name that was sent", (sent, paths) => {
  expect(Endpoint.safeParse(sent).error?.issues.map((issue) => issue.path)).toEqual(paths);
});

test("the earlier names are documented for requests, and not for answers", () => {
  const names = (io: "input" | "output") => Object.keys(z.toJSONSchema(Endpoint, { io }).properties ?? {});
  expect(names("input")).toEqual(["url", "argument_location", "timeout", "argumentLocation", "time_out"]);
  expect(names("output")).toEqual(["url", "argument_location", "timeout"]);
});

test("tells cases of a union apart as the plain object would", () => {
  const Action = z.discriminatedUnion("action", [
    withEarlierSpelling(z.object({ action: z.literal("set"), valueFrom: z.string() }), {
      value_from: "valueFrom",
    }),
    z.object({ action: z.literal("say") }),
  ]);
  expect(Action.parse({ action: "set", value_from: "a" })).toEqual({ action: "set", valueFrom: "a" });
  expect(Action.parse({ action: "say" })).toEqual({ action: "say" });
});
