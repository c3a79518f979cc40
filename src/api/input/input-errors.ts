import type { z } from "zod";
import { type InputIssue, InvalidInput } from "../../base/errors.ts";
import { NOT_AN_INTEGER } from "../schema.ts";
import { MOST_TOLD } from "./parse-input.ts";

type ZodIssue = z.core.$ZodIssue;

/**
 * Turns Zod's findings into the specification's 422 entries: the exact place, and words and types that read as
 * pydantic's do, since clients of this API were written against those.
 */
export function inputErrors(
  part: "body" | "query" | "path" | "file",
  issues: ZodIssue[],
  input: unknown,
): InvalidInput {
  const told = withoutLengths(issues.slice(0, MOST_TOLD)).flatMap((issue) => describe([part], issue, input));
  return new InvalidInput(told.slice(0, MOST_TOLD));
}

/** Zod measures a value although it is of the wrong type: a text in the place of a list would be too long as a text. */
function withoutLengths(issues: ZodIssue[]): ZodIssue[] {
  const place = ({ path }: ZodIssue) => JSON.stringify(path.map(String));
  const ofWrongType = new Set(issues.filter(({ code }) => code === "invalid_type").map(place));
  return issues.filter(
    (issue) => (issue.code !== "too_big" && issue.code !== "too_small") || !ofWrongType.has(place(issue)),
  );
}

function describe(prefix: (string | number)[], issue: ZodIssue, input: unknown): InputIssue[] {
  const path = issue.path.map((part) => (typeof part === "symbol" ? String(part) : part));
  const loc = [...prefix, ...path];
  const received = valueAt(input, path);
  const missing = received === undefined && path.length > 0;

  switch (issue.code) {
    case "invalid_type":
      if (missing) return [required(loc)];
      return [wrongType(loc, issue.message === NOT_AN_INTEGER ? "int" : issue.expected, received)];
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
        .flatMap((inner) => describe(loc, { ...inner, path: [] } as ZodIssue, received))
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
  return { loc, msg: oneOfText(values), type: values.length > 1 ? "enum" : "literal_error" };
}

export function oneOfText(values: readonly unknown[]): string {
  const quoted = values.map((value) => (typeof value === "string" ? `'${value}'` : String(value)));
  const last = quoted.pop();
  return `Input should be ${quoted.length > 0 ? `${quoted.join(", ")} or ${last}` : last}`;
}

function outOfBounds(
  loc: InputIssue["loc"],
  issue: Extract<ZodIssue, { code: "too_small" | "too_big" }>,
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

function formatError(
  loc: InputIssue["loc"],
  issue: Extract<ZodIssue, { code: "invalid_format" }>,
): InputIssue {
  if (issue.format === "regex" && issue.pattern) {
    const pattern = issue.pattern.replace(/^\/|\/[a-z]*$/g, "");
    return { loc, msg: `String should match pattern '${pattern}'`, type: "string_pattern_mismatch" };
  }
  return { loc, msg: `Input should be a valid ${issue.format}`, type: `${issue.format}_parsing` };
}

/**
 * A union reports the findings of every branch; only those of the branch that the sender meant are told. Out are, in
 * this order: branches that refuse the value as a whole (a text where they want an object), branches whose constant
 * tag differs where another branch's does not, branches that miss a field. What is left is as likely as its list is short.
 */
function describeUnion(
  loc: InputIssue["loc"],
  issue: Extract<ZodIssue, { code: "invalid_union" }>,
  received: unknown,
): InputIssue[] {
  if (issue.errors.length === 0) return [wrongTag(loc, issue)];
  // Below, the findings of a branch are compared with each other.
  const branches = (issue.errors as ZodIssue[][]).map((errors) => errors.slice(0, MOST_TOLD));
  const entered = branches.filter(
    (errors) => !errors.some((error) => error.path.length === 0 && !isInnerUnion(error)),
  );
  if (entered.length === 0) {
    const rightType = branches.find((errors) => !errors.some(isWrongType));
    if (rightType) return rightType.flatMap((error) => describe(loc, error, received));
    return [
      mergeRootMisfits(
        loc,
        branches.flatMap((errors) => errors.slice(0, 1)),
        received,
      ),
    ];
  }
  const [best] = entered
    .map((errors) => ({
      errors,
      rank: [
        errors.filter(
          (error) => isConstantOf(error) && entered.some((other) => !failsAt(other, error.path[0])),
        ).length,
        errors.filter((error) => error.path.length === 1 && valueAt(received, error.path) === undefined)
          .length,
        errors.filter(isInnerUnion).length,
        errors.length,
      ],
    }))
    .toSorted((a, b) => compare(a.rank, b.rank));
  if (!best) return [];
  return mergeConstants(best.errors, entered).flatMap((error) => describe(loc, error, received));
}

/** A discriminated union without a branch for the tag that was sent. */
function wrongTag(loc: InputIssue["loc"], issue: Extract<ZodIssue, { code: "invalid_union" }>): InputIssue {
  const options = "options" in issue && Array.isArray(issue.options) ? issue.options : [];
  if (options.length > 0) return oneOf(loc, options);
  return { loc, msg: "Input does not match any of the allowed shapes", type: "union_tag_invalid" };
}

/** The value as a whole has the wrong type, for every branch where it is a union in a union. */
const isWrongType = (issue: ZodIssue): boolean =>
  issue.path.length === 0 &&
  (issue.code === "invalid_type" ||
    issue.code === "invalid_value" ||
    (issue.code === "invalid_union" &&
      issue.errors.length > 0 &&
      (issue.errors as ZodIssue[][]).every((errors) => errors.some(isWrongType))));

/** A union inside the branch takes the value as a whole, or the branch has no case for its tag. */
const isInnerUnion = (issue: ZodIssue): boolean => issue.code === "invalid_union" && !isWrongType(issue);

/** A field that must be one of a few constants: perhaps what tells the branches apart. */
const isConstantOf = (issue: ZodIssue): boolean => issue.code === "invalid_value" && issue.path.length === 1;

const failsAt = (errors: ZodIssue[], key: PropertyKey | undefined): boolean =>
  errors.some((error) => error.path.length === 1 && error.path[0] === key);

/** When every branch refuses the tag, the answer names the constants of all of them. */
function mergeConstants(errors: ZodIssue[], branches: ZodIssue[][]): ZodIssue[] {
  return errors.map((error) => {
    if (error.code !== "invalid_value" || error.path.length !== 1) return error;
    const values = branches
      .flat()
      .flatMap((other) =>
        other.code === "invalid_value" && other.path.length === 1 && other.path[0] === error.path[0]
          ? other.values
          : [],
      );
    return { ...error, values: [...new Set(values)] };
  });
}

/** Lists of numbers, compared from the left. */
function compare(a: number[], b: number[]): number {
  const at = a.findIndex((value, index) => value !== b[index]);
  return at === -1 ? 0 : (a[at] as number) - (b[at] as number);
}

function mergeRootMisfits(loc: InputIssue["loc"], issues: ZodIssue[], received: unknown): InputIssue {
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
    // One text where a list is meant is read as the list of it (`queryList`), so this is its only member.
    if (part === 0 && typeof value === "string") continue;
    if (value === null || typeof value !== "object" || !Object.hasOwn(value, part)) return undefined;
    value = (value as Record<PropertyKey, unknown>)[part];
  }
  return value;
}
