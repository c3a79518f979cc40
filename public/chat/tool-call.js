// @ts-check
/** What the agent asked a tool and what it answered: one line, open for those who want to look. */
import { element } from "./element.js";

/** @param {import("./server.js").ShownCall} call */
export function toolCall({ tool_name, arguments: asked, result, error, duration_ms }) {
  const summary = element(
    "summary",
    {},
    element("code", {}, tool_name),
    error === null ? ` ${duration_ms} ms` : ` failed: ${error}`,
  );
  const details = element(
    "details",
    { class: error === null ? "tool" : "tool problem" },
    summary,
    element("pre", {}, inLines(asked)),
    element("pre", {}, inLines(result)),
  );
  return element("div", { class: "turn agent wide" }, details);
}

/** @param {unknown} value */
const inLines = (value) => JSON.stringify(value, null, 2) ?? "null";
