/*
 * Most members of what was sent say the same every time. They are not stored, and are put back when they are read; rows from
 * before have them.
 */

export const USUAL_ROUND: Readonly<Record<string, unknown>> = {
  request_id: null,
  retries: [],
  warnings: [],
  error: null,
  temperature: null,
  seed: null,
  tool_choice: "auto",
  text: "",
  calls: [],
};

/** Rows name these headers by leaving them out, so they stay as they are when the program sends others one day. */
export const USUAL_EXCHANGE: Readonly<Record<string, unknown>> = {
  headers: { accept: "application/json, text/plain;q=0.9, */*;q=0.5", "user-agent": "Parley" },
  body: null,
  outcome: "response",
  status: 200,
  problem: null,
};

export function withoutUsual(
  given: object,
  usual: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const members = Object.entries(given).filter(
    ([name, value]) => !(name in usual && isSame(value, usual[name])),
  );
  return Object.fromEntries(members);
}

const isSame = (value: unknown, usual: unknown): boolean =>
  typeof usual === "object" ? JSON.stringify(value) === JSON.stringify(usual) : value === usual;
