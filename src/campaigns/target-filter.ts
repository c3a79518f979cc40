import type { z } from "zod";
import type { LookupField } from "../channels/carrier.ts";
import type { TargetFilters } from "./campaign-schema.ts";

/**
 * Whether a request may be tried, by what is known of its target; pure. Decided when an attempt is due, so that an
 * edited campaign applies to whoever still waits.
 *
 * Each rule passes, fails, or is unresolved: then `on_unknown` says whether it counts as passed or failed. With `all`
 * every rule has to pass, so one that definitively fails skips the request whatever the others lack; with `any` one
 * that passes is enough.
 */
export type FilterSettings = {
  target_filters: z.output<typeof TargetFilters> | null;
  /** These two count where there are no target_filters. */
  allowed_line_types: string[] | null;
  include_unknown_line_types: boolean;
};

/** By field name, as the request's enrichment; a field that is not there was not answered. */
export type Enrichment = Readonly<Record<string, unknown>>;

type FilterVerdict =
  | { kind: "pass" }
  /** `reason` continues "skipped: ". */
  | { kind: "skip"; reason: string };

type FilterRule = z.output<typeof TargetFilters>["rules"][number];
type Outcome = { kind: "pass" } | { kind: "fail" | "unresolved"; why: string };

const PASS = { kind: "pass" } as const;

export function filterTarget(settings: FilterSettings, enrichment: Enrichment | null): FilterVerdict {
  const known = enrichment ?? {};
  if (settings.target_filters === null) return filterLineType(settings, known);
  const { match, on_unknown, rules } = settings.target_filters;
  if (rules.length === 0) return PASS;
  const outcomes = rules.map((rule, index) => judge(rule, index + 1, known));
  const counts = (outcome: Outcome): outcome is typeof PASS =>
    outcome.kind === "pass" || (outcome.kind === "unresolved" && on_unknown === "include");
  const missed = outcomes.filter((outcome) => !counts(outcome));
  if (match === "all" ? missed.length === 0 : missed.length < outcomes.length) return PASS;
  return { kind: "skip", reason: reasonFor(match, missed) };
}

/** With `all`, what definitively failed explains more than what is not known. */
function reasonFor(match: "all" | "any", missed: Exclude<Outcome, typeof PASS>[]): string {
  const first = missed.find(({ kind }) => kind === "fail") ?? missed[0];
  if (match === "all" || missed.length === 1) return first?.why ?? "";
  const shown = missed.slice(0, 3).map(({ why }) => why);
  const more = missed.length > shown.length ? ` and ${missed.length - shown.length} more` : "";
  return `none of ${missed.length} rules passes: ${shown.join("; ")}${more}`;
}

function judge(rule: FilterRule, number: number, enrichment: Enrichment): Outcome {
  const value = resolved(rule.field, enrichment);
  const passes = value === null ? withoutValue(rule) : withValue(rule, value);
  if (passes === null)
    return { kind: "unresolved", why: `${rule.field} is unknown for ${spelled(rule, number)}` };
  return passes
    ? PASS
    : { kind: "fail", why: `${rule.field} ${value ?? "is missing and"} fails ${spelled(rule, number)}` };
}

/** That nothing is known is itself an answer to `exists` and `not_exists`; to the others it is none. */
function withoutValue({ op }: FilterRule): boolean | null {
  if (op === "exists") return false;
  return op === "not_exists" ? true : null;
}

function withValue({ field, op, values }: FilterRule, value: string): boolean {
  const isAmong = values.some((wanted) => isSame(field, value, wanted));
  switch (op) {
    case "exists":
      return true;
    case "not_exists":
      return false;
    case "in":
    case "eq":
      return isAmong;
    case "not_in":
    case "neq":
      return !isAmong;
  }
}

/** What a lookup answers when it could not answer (specification, "Filter rules" 2). */
export const NO_ANSWER: Readonly<Record<string, string>> = {
  line_type: "unknown",
  caller_type: "undetermined",
};

function resolved(field: string, enrichment: Enrichment): string | null {
  const value = Object.hasOwn(enrichment, field) ? enrichment[field] : null;
  if (value === null || value === undefined || value === "") return null;
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return text.toLowerCase() === NO_ANSWER[field] ? null : text;
}

/** Words of a fixed vocabulary don't mind their case; names and codes do. A rule may also name a line type's bucket. */
function isSame(field: string, value: string, wanted: string): boolean {
  if (field !== "line_type" && field !== "caller_type") return value === wanted;
  const [is, should] = [value.toLowerCase(), wanted.toLowerCase()];
  return is === should || (field === "line_type" && bucketOf(value) === should);
}

const spelled = ({ field, op, values }: FilterRule, number: number): string =>
  `rule ${number} (${[field, op, op.endsWith("exists") ? "" : values.join(", ")].join(" ").trimEnd()})`;

type Bucket = "mobile" | "landline" | "voip";

/** By the line types of Twilio Lookup v2, in lower case; toll-free, premium, pager … are in none. */
const BUCKETS: Readonly<Record<string, Bucket>> = {
  mobile: "mobile",
  landline: "landline",
  fixedvoip: "voip",
  nonfixedvoip: "voip",
  voip: "voip",
};

export function bucketOf(line_type: string): Bucket | null {
  const word = line_type.toLowerCase();
  return Object.hasOwn(BUCKETS, word) ? (BUCKETS[word] ?? null) : null;
}

function filterLineType(settings: FilterSettings, enrichment: Enrichment): FilterVerdict {
  const { allowed_line_types: allowed, include_unknown_line_types } = settings;
  if (!allowed || allowed.length === 0) return PASS;
  const line_type = resolved("line_type", enrichment);
  const bucket = line_type === null ? null : bucketOf(line_type);
  if (bucket === null) {
    return include_unknown_line_types
      ? PASS
      : {
          kind: "skip",
          reason: `line_type ${line_type ?? "is unknown, which"} is none of mobile, landline, voip`,
        };
  }
  if (allowed.includes(bucket)) return PASS;
  return {
    kind: "skip",
    reason: `line_type ${line_type} is not among allowed_line_types (${allowed.join(", ")})`,
  };
}

/** The package of the lookup that answers a field; of any other field no lookup knows anything. */
const PACKAGES: Readonly<Record<string, LookupField>> = {
  line_type: "line_type",
  error_code: "line_type",
  carrier_name: "carrier",
  mcc: "carrier",
  mnc: "carrier",
  caller_name: "caller_name",
  caller_type: "caller_name",
};

export const FILTERED_FIELDS: readonly string[] = Object.keys(PACKAGES);

/** What a campaign has to look up: each package costs, so only those its rules name (specification, "Filter rules" 3). */
export function lookupFields({ target_filters, allowed_line_types }: FilterSettings): LookupField[] {
  if (target_filters === null) return (allowed_line_types ?? []).length > 0 ? ["line_type"] : [];
  const packages = target_filters.rules
    .filter(({ field }) => Object.hasOwn(PACKAGES, field))
    .map(({ field }) => PACKAGES[field] as LookupField);
  return [...new Set(packages)].sort();
}
