/** Arguments a rule wrote as text ("{1}") in the type the tool wants. */
import type { JsonSchema } from "../model.ts";
import { isRecord } from "./scripted-history.ts";
import { typeOf } from "./scripted-parameters.ts";

export const coerced = (values: Record<string, unknown>, parameters: JsonSchema): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name, coercedValue(value, propertyOf(parameters, name))]),
  );

const propertyOf = ({ properties }: JsonSchema, name: string): JsonSchema => {
  const property = isRecord(properties) && Object.hasOwn(properties, name) ? properties[name] : null;
  return isRecord(property) ? property : {};
};

function coercedValue(value: unknown, schema: JsonSchema): unknown {
  if (typeof value === "number" && typeOf(schema) === "string") return String(value);
  if (typeof value !== "string") return value;
  switch (typeOf(schema)) {
    case "integer":
    case "number":
      return value.trim() !== "" && Number.isFinite(Number(value)) ? Number(value) : value;
    case "boolean":
      return value === "true" ? true : value === "false" ? false : value;
    default:
      return value;
  }
}
