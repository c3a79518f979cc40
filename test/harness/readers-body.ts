/*
 * The bodies of the examples (`examples/`), as they stand in openapi.json: the same in every run, and without what only tests need.
 */

/** What `next()` of a maker counts from, so that its numbers are told from others. */
export const COUNTED_FROM = 5_000;
/** With the mark that sets it off: "Front desk 5012", "find_slots_5012", "person-5012@example.com". */
const COUNTED = /[ _-]?(?<!\d)5\d{3}(?!\d)/g;

/** Texts that differ from run to run, or lead to this machine. */
const STAND_INS: [RegExp, string][] = [
  [/https?:\/\/127\.0\.0\.1:\d+/g, "https://api.example.com"],
  [/^\d+\.\d+\.\d+\.\d+\/32$/, "203.0.113.10/32"],
  [/^msg_[0-9a-f]{32}$/, "msg_0123456789abcdef0123456789abcdef"],
];
const PHONE = /^\+1\d{10}$/;
/** Numbers of the kind 555-01xx belong to nobody. */
const NOBODYS = 15_125_550_100;

const NAMES_RECORDS = /(^|_)ids?(_list)?$/;
/** Means the same in every database. */
const FIXED = "insight_tool_definition_id";

/** Records and telephone numbers are numbered as they come, from 1. */
export function readersBody(body: unknown): unknown {
  const records: unknown[] = [];
  const phones: string[] = [];
  const place = <T>(of: T[], value: T): number => {
    if (!of.includes(value)) of.push(value);
    return of.indexOf(value) + 1;
  };
  const shown = (value: unknown, key: string): unknown => {
    if (Array.isArray(value)) return value.map((entry) => shown(entry, key));
    if (typeof value === "object" && value !== null)
      return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, shown(inner, name)]));
    if (NAMES_RECORDS.test(key) && key !== FIXED && /^\d+$/.test(String(value))) {
      const at = place(records, String(value));
      return typeof value === "number" ? at : String(at);
    }
    if (typeof value !== "string") return value;
    if (PHONE.test(value)) return `+${NOBODYS + place(phones, value)}`;
    return STAND_INS.reduce((text, [found, by]) => text.replace(found, by), value.replace(COUNTED, ""));
  };
  return shown(body, "");
}
