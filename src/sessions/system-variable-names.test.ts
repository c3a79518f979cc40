import { expect, test } from "vitest";
import { SYSTEM_VARIABLES } from "../tools/system-variable.ts";
import { localTime, systemVariables } from "./variables.ts";

test("the system variables that saving knows are those that a session has", () => {
  const facts = {
    session_id: 1,
    conversation_id: 1,
    agent_name: "",
    timezone: "UTC",
    channel: "voice",
    source: null,
    target: null,
    is_outbound: false,
    verified: true,
    claimed_user: null,
    user_name: null,
  };
  const given = systemVariables(facts, "en-US", localTime(new Date(0), "UTC"), "ann");
  expect(Object.keys(given).toSorted()).toEqual([...SYSTEM_VARIABLES].toSorted());
});
