import { expect, test } from "vitest";
import { listAt } from "./record-name.ts";

test("a number is of a list where a field of the record says so, and not where somebody's own name below it does", () => {
  expect(listAt("prompt_id")).toBe("GET /api/v1/prompts/");
  expect(listAt("roles.2.role_id")).toBe("GET /api/v1/roles/");
  expect(listAt("insight_tool_ids.0")).toBe("GET /api/v1/insights/tool-configurations");
  expect(listAt("tool book_appointment.service_id")).toBe("GET /api/v1/services/");
  expect(listAt("settings.bridge_phrases_id")).toBe("GET /api/v1/bridge_phrases/");
  expect(listAt("tool book_appointment.definition.defaults.agent_id")).toBeUndefined();
  expect(listAt("definition.defaults.agent_id")).toBeUndefined();
  expect(listAt("variables.role_id")).toBeUndefined();
  expect(listAt("name")).toBeUndefined();
});
