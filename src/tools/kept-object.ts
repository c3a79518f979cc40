import { z } from "zod";

/**
 * An object of a tool's definition. Keys that it doesn't know are kept as they were sent, because a misspelt one is an author's work,
 * and `issues/unknown-keys.ts` warns of them. Their types say nothing of such keys: nothing reads them.
 */
export const kept = <S extends z.core.$ZodLooseShape>(shape: S): z.ZodObject<S> =>
  z.looseObject(shape) as unknown as z.ZodObject<S>;
