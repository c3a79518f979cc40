import type { z } from "zod";
import { type InputIssue, InvalidInput } from "../base/errors.ts";

type Issue = z.core.$ZodIssue;

/**
 * Turns Zod's findings into the specification's 422 entries: the exact place, and words and types that read as
 * pydantic's do, since clients of this API were written against those.
 */
export function inputErrors(
  part: "body" | "query" | "path" | "file",
  issues: Issue[],
  input: unknown,
): InvalidInput {
  return new InvalidInput(issues.flatMap((issue) => describe([part], issue, input)));
}

function describe(prefix: (string | number)[], issue: Issue, input: unknown): InputIssue[] {
  const path = issue.path.map((part) => (typeof part === "symbol" ? String(part) : part));
  const loc = [...prefix, ...path];
  const received = valueAt(input, path);
  const missing = received === undefined && path.length > 0;

  switch (issue.code) {
    case "invalid_type":
      return [missing ? required(loc) : wrongType(loc, issue.expected, received)];
    case "invalid_value":
      return [missing ? required(loc) : oneOf(loc, issue.values)];
    case "invalid_union":
      return missing ? [required(loc)] : describeUnion(loc, issue, received);
    case "unrecognized_keys":
      return issue.keys.map((key) => ({
        loc: [...loc, key],
        msg: "Extra inputs are not permitted",
        type: "extra_forbidden",
      }));
    case "invalid_key":
      return issue.issues
        .flatMap((inner) => describe(loc, { ...inner, path: [] } as Issue, received))
        .slice(0, 1);
    case "too_small":
    case "too_big":
      return [outOfBounds(loc, issue)];
    case "invalid_format":
      return [formatError(loc, issue)];
    case "custom": {
      const type = issue.params?.type;
      return [{ loc, msg: issue.message, type: typeof type === "string" ? type : "value_error" }];
    }
    default:
      return [{ loc, msg: issue.message, type: "value_error" }];
  }
}

const required = (loc: InputIssue["loc"]): InputIssue => ({ loc, msg: "Field required", type: "missing" });

function wrongType(loc: InputIssue["loc"], expected: string, received: unknown): InputIssue {
  const of = (msg: string, type: string): InputIssue => ({ loc, msg: `Input should be ${msg}`, type });
  switch (expected) {
    case "string":
      return of("a valid string", "string_type");
    case "int":
      if (typeof received === "number") {
        return of("a valid integer, got a number with a fractional part", "int_from_float");
      }
      return typeof received === "string"
        ? of("a valid integer, unable to parse string as an integer", "int_parsing")
        : of("a valid integer", "int_type");
    case "number":
      return typeof received === "string"
        ? of("a valid number, unable to parse string as a number", "float_parsing")
        : of("a valid number", "float_type");
    case "boolean":
      return of("a valid boolean", "bool_type");
    case "array":
      return of("a valid list", "list_type");
    case "object":
    case "record":
      return of("a valid dictionary", "dict_type");
    case "null":
      return of("None", "none_required");
    default:
      return of(`a valid ${expected}`, `${expected}_type`);
  }
}

function oneOf(loc: InputIssue["loc"], values: readonly unknown[]): InputIssue {
  const quoted = values.map((value) => (typeof value === "string" ? `'${value}'` : String(value)));
  const last = quoted.pop();
  const list = quoted.length > 0 ? `${quoted.join(", ")} or ${last}` : last;
  return { loc, msg: `Input should be ${list}`, type: values.length > 1 ? "enum" : "literal_error" };
}

function outOfBounds(
  loc: InputIssue["loc"],
  issue: Extract<Issue, { code: "too_small" | "too_big" }>,
): InputIssue {
  const small = issue.code === "too_small";
  const bound = Number(small ? issue.minimum : issue.maximum);
  if (issue.origin === "string") {
    const characters = bound === 1 ? "character" : "characters";
    return {
      loc,
      msg: `String should have at ${small ? "least" : "most"} ${bound} ${characters}`,
      type: small ? "string_too_short" : "string_too_long",
    };
  }
  if (issue.origin === "array" || issue.origin === "set") {
    return {
      loc,
      msg: `List should have at ${small ? "least" : "most"} ${bound} item${bound === 1 ? "" : "s"} after validation`,
      type: small ? "too_short" : "too_long",
    };
  }
  const word = small ? "greater" : "less";
  return issue.inclusive === false
    ? { loc, msg: `Input should be ${word} than ${bound}`, type: `${word}_than` }
    : { loc, msg: `Input should be ${word} than or equal to ${bound}`, type: `${word}_than_equal` };
}

function formatError(loc: InputIssue["loc"], issue: Extract<Issue, { code: "invalid_format" }>): InputIssue {
  if (issue.format === "regex" && issue.pattern) {
    const pattern = issue.pattern.replace(/^\/|\/[a-z]*$/g, "");
    return { loc, msg: `String should match pattern '${pattern}'`, type: "string_pattern_mismatch" };
  }
  return { loc, msg: `Input should be a valid ${issue.format}`, type: `${issue.format}_parsing` };
}

/**
 * A union reports the findings of every branch. The one the sender meant is the branch that came furthest: a branch
 * that already fails at the union's own place (wrong type, wrong constant tag) was not meant.
 */
function describeUnion(
  loc: InputIssue["loc"],
  issue: Extract<Issue, { code: "invalid_union" }>,
  received: unknown,
): InputIssue[] {
  if (issue.errors.length === 0) {
    const tag =
      "discriminator" in issue && typeof issue.discriminator === "string" ? issue.discriminator : undefined;
    const absent = tag !== undefined && loc.at(-1) === tag && received === undefined;
    const options = "options" in issue && Array.isArray(issue.options) ? issue.options : [];
    if (absent) return [required(loc)];
    return [
      options.length > 0
        ? oneOf(loc, options)
        : { loc, msg: "Input does not match any of the allowed shapes", type: "union_tag_invalid" },
    ];
  }
  const branches = issue.errors.map((errors) => ({
    errors,
    misfit: errors.filter((error) => isMisfit(error as Issue, received)).length,
  }));
  const meant = branches.filter((branch) => branch.misfit === 0);
  const [best, second] = (meant.length > 0 ? meant : branches).toSorted(
    (a, b) => a.misfit - b.misfit || a.errors.length - b.errors.length,
  );
  if (!best) return [];
  if (meant.length === 0 && second) {
    const found = branches.flatMap((branch) => branch.errors.slice(0, 1)) as Issue[];
    return [mergeRootMisfits(loc, found, received)];
  }
  return best.errors.flatMap((error) => describe(loc, error as Issue, received));
}

/** Fails at the root of the union, or on a constant that tells the branches apart. */
const isMisfit = (issue: Issue, received: unknown): boolean =>
  (issue.path.length === 0 && (issue.code === "invalid_type" || issue.code === "invalid_value")) ||
  (issue.path.length === 1 && issue.code === "invalid_value" && issue.values.length === 1) ||
  (issue.path.length === 1 &&
    issue.code === "invalid_type" &&
    valueAt(received, issue.path) === undefined &&
    issue.path[0] === "type");

function mergeRootMisfits(loc: InputIssue["loc"], issues: Issue[], received: unknown): InputIssue {
  const parts = issues.map((issue) => describe(loc, issue, received)[0]).filter((part) => part !== undefined);
  const texts = [...new Set(parts.map((part) => part.msg.replace("Input should be ", "")))];
  return {
    loc: parts[0]?.loc ?? loc,
    msg: `Input should be ${texts.join(" or ")}`,
    type: parts[0]?.type ?? "value_error",
  };
}

function valueAt(input: unknown, path: PropertyKey[]): unknown {
  let value = input;
  for (const part of path) {
    if (value === null || typeof value !== "object" || !Object.hasOwn(value, part)) return undefined;
    value = (value as Record<PropertyKey, unknown>)[part];
  }
  return value;
}
