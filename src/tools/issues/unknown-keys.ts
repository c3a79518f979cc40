import type { z } from "zod";
import { isRecord } from "../../expressions/member.ts";
import { nearest } from "../../schemas/nearest.ts";
import type { Issue, Path } from "../../schemas/validation-issue.ts";
import { Task } from "../task-definition.ts";
import { ToolDefinition } from "../tool-definition.ts";

/*
 * Keys of a definition that nothing reads. They are kept, since a misspelt key is an author's work, and told with the keys that
 * would have been read. What is known is taken from the schemas themselves.
 */

export const unknownKeys = (task: Task, path: Path): Issue[] => unknownIn(Task, task, path).map(told);

/** Beside those of its tasks. */
export const unknownToolKeys = ({ context: _, ...definition }: ToolDefinition): Issue[] =>
  unknownIn(ToolDefinition, definition, []).map(told);

const told = ({ key, known, path }: Unknown): Issue => ({
  id: "unknown-key",
  severity: "warning",
  message: `Nothing reads "${key}" here${nearest(key, known)}. Known: ${known.join(", ")}.`,
  path: [...path, key],
});

type Unknown = { key: string; known: string[]; path: Path };

/** The parts of a Zod schema that lead to the objects within it. */
type Def = {
  type: string;
  shape?: Record<string, z.core.$ZodType>;
  innerType?: z.core.$ZodType;
  out?: z.core.$ZodType;
  element?: z.core.$ZodType;
  options?: readonly z.core.$ZodType[];
  discriminator?: string;
  getter?: () => z.core.$ZodType;
  values?: readonly unknown[];
  entries?: Record<string, unknown>;
};
const defOf = (schema: z.core.$ZodType): Def => schema._zod.def as unknown as Def;

function unknownIn(schema: z.core.$ZodType, value: unknown, path: Path): Unknown[] {
  const def = defOf(schema);
  const inner = def.innerType ?? def.out ?? def.getter?.();
  if (inner) return unknownIn(inner, value, path);
  if (def.element)
    return Array.isArray(value)
      ? value.flatMap((item, index) => unknownIn(def.element as z.core.$ZodType, item, [...path, index]))
      : [];
  if (!isRecord(value)) return [];
  if (def.options) return unknownOfEither(def, value, path);
  const { shape } = def;
  if (!shape) return [];
  const known = Object.keys(shape);
  return Object.entries(value).flatMap(([key, part]) =>
    Object.hasOwn(shape, key)
      ? unknownIn(shape[key] as z.core.$ZodType, part, [...path, key])
      : [{ key, known, path }],
  );
}

/** Of several shapes, that of the discriminator; else the first whose own keys are all there that it can't do without. */
function unknownOfEither(
  { options = [], discriminator }: Def,
  value: Record<string, unknown>,
  path: Path,
): Unknown[] {
  const shapes = options.map((option) => ({ option, shape: shapeOf(option) }));
  const chosen = discriminator
    ? shapes.find(({ shape }) => accepts(shape?.[discriminator], value[discriminator]))
    : shapes.find(
        ({ shape }) => shape && Object.keys(shape).some((key) => isRequired(shape[key]) && key in value),
      );
  return chosen ? unknownIn(chosen.option, value, path) : [];
}

function shapeOf(schema: z.core.$ZodType): Record<string, z.core.$ZodType> | undefined {
  const { shape, out } = defOf(schema);
  return shape ?? (out && shapeOf(out));
}

function accepts(schema: z.core.$ZodType | undefined, value: unknown): boolean {
  const { values, entries } = schema ? defOf(schema) : {};
  return (values ?? Object.values(entries ?? {})).includes(value);
}

const isRequired = (schema: z.core.$ZodType | undefined): boolean =>
  schema !== undefined && !["optional", "nullable", "default", "prefault"].includes(defOf(schema).type);
