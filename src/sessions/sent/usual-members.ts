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
};

export const USUAL_EXCHANGE: Readonly<Record<string, unknown>> = {
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
  Array.isArray(usual) ? Array.isArray(value) && value.length === 0 : value === usual;
