/*
 * What the CEL library says of an expression, in our words. The position is told beside them.
 */

/** "found + but expecting ',' or ']'": what stands at the position, and what could stand there. */
export function celSyntaxWords(raw: string): string {
  const [, found = "", expected = ""] = /^found ([\s\S]*?) but expecting ([\s\S]*)$/.exec(raw) ?? [];
  if (found === "") return "it is not valid CEL";
  const what = found === "end of input" ? "it ends too early" : `“${found}” can't stand here`;
  // A list of all that begins an expression helps nobody.
  const signs = expected.includes("identifier")
    ? []
    : [...expected.matchAll(/'([^']*)'/g)].map(([, sign]) => sign);
  return signs.length === 0 ? what : `${what}; expected ${signs.join(" or ")}`;
}

const OVERLOAD = /^found no matching overload for '(.+?)' applied to '\((.*)\)'$/;
const RULES: [raw: RegExp, words: string][] = [
  [/divide by zero|modulus by zero/i, "a division by zero"],
  [/overflow|out of range/i, "a number is too large"],
  [/out of bounds|invalid.*index/i, "an index lies outside of its list or text"],
  [/parse timestamp/i, "timestamp() takes a time such as 2026-01-31T09:00:00Z"],
  [/parse duration/i, "duration() takes a length such as 90s or 1h30m"],
  [
    /^(?:cannot|can't|failed to) convert|cannot parse|invalid (?:number|syntax)/i,
    "a value can't be converted to that type",
  ],
];

/** Why an evaluation gave no value. */
export function celFaultWords(raw: string): string {
  const [, name, types] = OVERLOAD.exec(raw) ?? [];
  if (name) return `${operatorOf(name)} does not take ${types === "" ? "nothing" : types}`;
  const field = /^field not found: (\S.{0,100})$/.exec(raw)?.[1];
  if (field) return `there is no field ${field}`;
  return RULES.find(([pattern]) => pattern.test(raw))?.[1] ?? "it has no value for this data";
}

/** `_+_` is how the library calls +. */
const operatorOf = (name: string): string =>
  /^[_!-].*_|^[!-]_/.test(name) ? name.replaceAll("_", "") : name;
