import { PublicError } from "../base/errors.ts";
import { isRecord } from "../expressions/member.ts";
import { wholeTemplate } from "../expressions/template.ts";
import { schemaFaults } from "../schemas/schema-faults.ts";
import type { Issue, Path } from "../schemas/validation-issue.ts";
import type { CallTarget } from "./call-target.ts";
import { checkable, coerceArguments } from "./coerce-arguments.ts";
import type { Task } from "./task-definition.ts";
import { actionsOf } from "./task-parts.ts";

/**
 * What a workflow's `call` gives, against the schema of the tool or task that takes it. A value that never fits is an
 * error: every run of the call would be refused. A name that the schema doesn't know is a warning, unless the schema is
 * closed. Texts may be templates, whose values come at run time, so what they give is not judged.
 */
export function callArgumentIssues(
  task: Task,
  path: Path,
  targets: ReadonlyMap<string, CallTarget>,
): Issue[] {
  return actionsOf(task, path).flatMap(({ action, path }): Issue[] => {
    const target = action.action === "call" ? targets.get(action.name) : undefined;
    if (action.action !== "call" || !target) return [];
    return Object.entries(action.arguments ?? {}).flatMap(([name, value]): Issue[] => {
      if (target.decided.has(name)) return [];
      const argument = { tool: action.name, name, value, path: [...path, "arguments", name] };
      return argumentIssues(target.schemas.filter(isRecord), argument);
    });
  });
}

type Schema = Record<string, unknown>;
type Argument = { tool: string; name: string; value: unknown; path: Path };

function argumentIssues(schemas: readonly Schema[], { tool, name, value, path }: Argument): Issue[] {
  const knowing = schemas.filter((schema) => Object.hasOwn(propertiesOf(schema), name));
  if (knowing.length === 0) return unknownName(schemas, { tool, name, value, path });
  const misfits = knowing.map((schema) => misfitOf(schema, propertiesOf(schema)[name], value, []));
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

function unknownName(schemas: readonly Schema[], { tool, name, path }: Argument): Issue[] {
  const open = schemas.some((schema) => takesOthers(schema));
  const names = [...new Set(schemas.flatMap((schema) => Object.keys(propertiesOf(schema))))];
  const closed = schemas.length > 0 && schemas.every((schema) => schema.additionalProperties === false);
  if (open || (names.length === 0 && !closed)) return [];
  const takes = names.length === 0 ? "takes no arguments" : `takes ${names.join(", ")}`;
  const message = `${tool} has no parameter "${name}"; it ${takes}.`;
  const severity = closed ? "error" : "warning";
  return [{ id: "unknown-call-argument", severity, message, path, value: name }];
}

const takesOthers = ({ additionalProperties, patternProperties }: Schema): boolean =>
  additionalProperties === true || isRecord(additionalProperties) || isRecord(patternProperties);

type Misfit = { at: Path; message: string; value: unknown };

/** Why a value can never fit its part of the schema; null where it fits, or may fit once its templates are filled. */
function misfitOf(root: Schema, schema: unknown, value: unknown, at: Path): Misfit | null {
  // Nothing is not given: the model is asked for it where it is required.
  if (!isRecord(schema) || (at.length === 0 && (value === null || value === ""))) return null;
  if (!isComputedAnywhere(value)) return plainMisfit(root, schema, value, at);
  if (isComputed(value)) return null;
  const types = [schema.type].flat().filter((type) => typeof type === "string");
  const wrong = { at, message: `must be ${types.join(" or ")}`, value };
  if (typeof value === "string") return types.length === 0 || mixedFits(value, types) ? null : wrong;
  const type = Array.isArray(value) ? "array" : "object";
  if (types.length > 0 && !types.includes(type)) return wrong;
  const inner = Array.isArray(value)
    ? value.map((item, index) => misfitOf(root, schema.items, item, [...at, index]))
    : Object.entries(value as Schema).map(([name, item]) =>
        misfitOf(root, propertiesOf(schema)[name], item, [...at, name]),
      );
  return inner.find((misfit) => misfit !== null) ?? null;
}

/** By the rules of a call at run time: "5" is 5 where the tool takes integers. */
function plainMisfit(root: Schema, schema: Schema, value: unknown, at: Path): Misfit | null {
  const properties = { ...propertiesOf(root), [PLAIN]: schema };
  const around = { $defs: root.$defs, definitions: root.definitions, properties };
  const given = checkable(around, coerceArguments(around, { [PLAIN]: value }));
  try {
    const [fault] = schemaFaults(around, given);
    if (!fault) return null;
    const within = fault.at.split(".").slice(1).join(".");
    const message = within === "" ? fault.message : `${fault.message}, at ${within}`;
    return { at, message: message.replaceAll(",", ", ").replaceAll(",  ", ", "), value };
  } catch (error) {
    // A schema that can't be used is told at its own place.
    if (!(error instanceof PublicError)) throw error;
    return null;
  }
}

/** Under which a value alone is checked; no tool has a parameter of that name. */
const PLAIN = "\u0000value";

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

function isComputedAnywhere(value: unknown): boolean {
  if (typeof value === "string") return value.includes("{");
  if (typeof value !== "object" || value === null) return false;
  return isComputed(value) || Object.values(value).some(isComputedAnywhere);
}

const propertiesOf = (schema: Schema): Schema => (isRecord(schema.properties) ? schema.properties : {});
