import { PublicError } from "../../base/errors.ts";
import { isRecord } from "../../expressions/member.ts";
import { EvaluationError, type Meter } from "../../expressions/meter.ts";
import { wholeTemplate } from "../../expressions/template.ts";
import { schemaFaults } from "../../schemas/schema-faults.ts";
import type { SchemaFault } from "../../schemas/schema-walk.ts";
import type { Issue, Path } from "../../schemas/validation-issue.ts";
import type { CallTarget } from "../call-target.ts";
import { checkable, coerceArguments } from "../coerce-arguments.ts";
import type { Task } from "../task-definition.ts";
import { actionsOf } from "../task-parts.ts";

/** A tool's parameters are told by name up to this many. */
const MOST_NAMES = 20;

/**
 * What a workflow's `call` gives, against the schema of the tool or task that takes it. A value that never fits is an
 * error: every run of the call would be refused. A name that the schema doesn't know is a warning, unless the schema is
 * closed. Texts may be templates, whose values come at run time, so what they give is not judged.
 *
 * `meter` is that of all calls of a definition: once it is spent, the rest of them is not judged. A megabyte of arguments
 * would otherwise hold up everybody for as long as the called tool's schema is dear.
 */
export function callArgumentIssues(
  task: Task,
  path: Path,
  targets: ReadonlyMap<string, CallTarget>,
  meter: Meter,
): Issue[] {
  const issues: Issue[] = [];
  try {
    for (const { action, path: at } of actionsOf(task, path)) {
      const target = action.action === "call" ? targets.get(action.name) : undefined;
      if (action.action !== "call" || !target) continue;
      const schemas = target.schemas.filter(isRecord);
      for (const [name, value] of Object.entries(action.arguments ?? {})) {
        meter.spend(1 + schemas.length);
        if (target.decided.has(name)) continue;
        const argument = { tool: action.name, name, value, path: [...at, "arguments", name] };
        issues.push(...argumentIssues(schemas, argument, meter));
      }
    }
  } catch (error) {
    if (!(error instanceof EvaluationError)) throw error;
  }
  return issues;
}

type Schema = Record<string, unknown>;
type Argument = { tool: string; name: string; value: unknown; path: Path };

function argumentIssues(
  schemas: readonly Schema[],
  { tool, name, value, path }: Argument,
  meter: Meter,
): Issue[] {
  const knowing = schemas.filter((schema) => Object.hasOwn(propertiesOf(schema), name));
  if (knowing.length === 0) return unknownName(schemas, { tool, name, value, path }, meter);
  const misfits = knowing.map((root) => misfitOf({ root, meter }, propertiesOf(root)[name], value, []));
  const [misfit] = misfits;
  if (!misfit || misfits.includes(null)) return [];
  const issue = {
    id: "call-argument-type",
    severity: "error" as const,
    message: `The argument ${[name, ...misfit.at].join(".")} of ${tool} ${misfit.message}.`,
    path: [...path, ...misfit.at],
    value: misfit.value,
  };
  return [issue];
}

function unknownName(schemas: readonly Schema[], { tool, name, path }: Argument, meter: Meter): Issue[] {
  const open = schemas.some((schema) => takesOthers(schema));
  const closed = schemas.length > 0 && schemas.every((schema) => schema.additionalProperties === false);
  const names = new Set<string>();
  for (const schema of schemas) {
    for (const known in propertiesOf(schema)) {
      meter.spend();
      names.add(known);
      if (names.size > MOST_NAMES) break;
    }
  }
  if (open || (names.size === 0 && !closed)) return [];
  const told = [...names].slice(0, MOST_NAMES).join(", ") + (names.size > MOST_NAMES ? " and others" : "");
  const takes = names.size === 0 ? "takes no arguments" : `takes ${told}`;
  const message = `${tool} has no parameter "${name}"; it ${takes}.`;
  const severity = closed ? "error" : "warning";
  return [{ id: "unknown-call-argument", severity, message, path, value: name }];
}

const takesOthers = ({ additionalProperties, patternProperties }: Schema): boolean =>
  additionalProperties === true || isRecord(additionalProperties) || isRecord(patternProperties);

type Misfit = { at: Path; message: string; value: unknown };

/** The document that a schema is a part of, and what looking at it may still cost. */
type Document = { root: Schema; meter: Meter };

/** Why a value can never fit its part of the schema; null where it fits, or may fit once its templates are filled. */
function misfitOf(document: Document, schema: unknown, value: unknown, at: Path): Misfit | null {
  // Nothing is not given: the model is asked for it where it is required.
  if (!isRecord(schema) || (at.length === 0 && (value === null || value === ""))) return null;
  if (!isComputedAnywhere(value, document.meter)) return plainMisfit(document, schema, value, at);
  if (isComputed(value)) return null;
  const types = [schema.type].flat().filter((type) => typeof type === "string");
  const wrong = { at, message: `must be ${types.join(" or ")}`, value };
  if (typeof value === "string") return types.length === 0 || mixedFits(value, types) ? null : wrong;
  const type = Array.isArray(value) ? "array" : "object";
  if (types.length > 0 && !types.includes(type)) return wrong;
  const inner = Array.isArray(value)
    ? value.map((item, index) => misfitOf(document, schema.items, item, [...at, index]))
    : Object.entries(value as Schema).map(([name, item]) =>
        misfitOf(document, propertiesOf(schema)[name], item, [...at, name]),
      );
  return inner.find((misfit) => misfit !== null) ?? null;
}

/** By the rules of a call at run time: "5" is 5 where the tool takes integers. */
function plainMisfit({ root, meter }: Document, schema: Schema, value: unknown, at: Path): Misfit | null {
  const alone = { properties: { value: schema } };
  const given = checkable(alone, coerceArguments(alone, { value }));
  const [fault] = faultsOf(schema, given.value, { root, meter });
  if (!fault) return null;
  const message = fault.at === "" ? fault.message : `${fault.message}, at ${fault.at}`;
  return { at, message: message.replaceAll(",", ", ").replaceAll(",  ", ", "), value };
}

/** A schema that can't be used is told at its own place; a meter that is spent ends all judging. */
function faultsOf(schema: Schema, value: unknown, { root, meter }: Document): SchemaFault[] {
  try {
    return schemaFaults(schema, value, { root, meter });
  } catch (error) {
    meter.spend(0);
    if (!(error instanceof PublicError)) throw error;
    return [];
  }
}

/** A text with more than a template in it is a text at run time; digits may still become a number. */
function mixedFits(text: string, types: readonly unknown[]): boolean {
  if (types.includes("string")) return true;
  const literal = text.replace(/\$?\{\{?[^{}]*\}\}?/g, "");
  if (types.includes("number") || types.includes("integer")) return /^[-\d.\s]*$/.test(literal);
  return types.includes("boolean") && /^[a-z\s]*$/.test(literal);
}

const isComputed = (value: unknown): boolean =>
  typeof value === "string"
    ? wholeTemplate(value) !== null
    : isRecord(value) &&
      Object.keys(value).length === 1 &&
      (Object.hasOwn(value, "valueFrom") || Object.hasOwn(value, "value_from"));

function isComputedAnywhere(value: unknown, meter: Meter): boolean {
  meter.spend();
  if (typeof value === "string") return value.includes("{");
  if (typeof value !== "object" || value === null) return false;
  return isComputed(value) || Object.values(value).some((inner) => isComputedAnywhere(inner, meter));
}

const propertiesOf = (schema: Schema): Schema => (isRecord(schema.properties) ? schema.properties : {});
