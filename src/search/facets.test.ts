import { expect, test } from "vitest";
import { facetsOf } from "./facets.ts";

const PLAIN = {
  sub_organization_id: 3,
  channel: "voice",
  agent_id: 7,
  agent_version: null,
  prompt_version_number: 2,
  campaign_id: null,
  end_reason: null,
  is_error: false,
  calls: [],
  events: [],
  configurations: [],
};

test("a session is found by what it has, and by nothing that it lacks", () => {
  expect(facetsOf(PLAIN).toSorted()).toEqual(["agent:7", "channel:voice", "org:3", "prompt:2"]);
  expect(
    facetsOf({
      ...PLAIN,
      agent_version: 4,
      campaign_id: 9,
      end_reason: "hang-up",
      is_error: true,
      events: [{ category: "tool", type: null }],
      configurations: ["german"],
    }).toSorted(),
  ).toEqual([
    "agent:7",
    "campaign:9",
    "channel:voice",
    "end:hang-up",
    "error:any",
    "event:other",
    "events:tool",
    "org:3",
    "prompt:2",
    "version:4",
    "version:7.4",
    "words:german",
  ]);
});

test("a tool that was called twice and failed once is found as called and as failed, each once", () => {
  const calls = [
    { tool_name: "book", has_failed: false },
    { tool_name: "book", has_failed: true },
    { tool_name: "find", has_failed: false },
  ];
  const found = facetsOf({ ...PLAIN, calls }).filter((one) => /^(tool|failed):/.test(one));
  expect(found.toSorted()).toEqual(["failed:*", "failed:book", "tool:book", "tool:find"]);
});
