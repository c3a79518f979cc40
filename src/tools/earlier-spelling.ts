import { z } from "zod";

type Shape = Readonly<Record<string, z.ZodType>>;

/**
 * An object some of whose fields had another name in earlier revisions of the public API (`value_from`, now
 * `valueFrom`). Both names are read and the present one is stored and answered; sent together, the present one wins.
 *
 * The earlier names are fields of their own rather than renamed before parsing, so that a fault is told at the name
 * that was sent.
 */
export function withEarlierSpelling<S extends Shape>(
  present: z.ZodObject<S>,
  earlier: Record<string, keyof S & string>,
): z.ZodPipe<z.ZodObject<S>, z.ZodObject<S>> {
  const shape: Record<string, z.ZodType> = { ...present.shape };
  const required: string[] = [];
  for (const [old, name] of Object.entries(earlier)) {
    const field = present.shape[name] as z.ZodType;
    if (!field.safeParse(undefined).success) required.push(name);
    shape[name] = field.optional();
    shape[old] = field.optional().meta({ deprecated: true, description: `Earlier spelling of ${name}.` });
  }

  const keepsOthers = present.def.catchall !== undefined;
  let either: z.ZodType<Record<string, unknown>> = keepsOthers ? z.looseObject(shape) : z.object(shape);
  for (const name of required) {
    const names = [name, ...Object.keys(earlier).filter((old) => earlier[old] === name)];
    either = either.refine((value) => names.some((spelling) => value[spelling] !== undefined), {
      path: [name],
      error: "Field required",
      params: { type: "missing" },
      // Also told when other fields are wrong; by default a check waits until all of them are right.
      when: ({ value }) => typeof value === "object" && value !== null && !Array.isArray(value),
    });
  }

  const folded = either.transform((value) => {
    const renamed = { ...value };
    for (const [old, name] of Object.entries(earlier)) {
      if (renamed[name] === undefined && renamed[old] !== undefined) renamed[name] = renamed[old];
      delete renamed[old];
    }
    return renamed;
  });
  return folded.pipe(present as never) as unknown as z.ZodPipe<z.ZodObject<S>, z.ZodObject<S>>;
}
