import { z } from "zod";

/**
 * The members of an operation's answer that its strict body does not accept, such as `updated_at`. A client that reads a
 * setting, changes it and sends it back sends these too, so they are ignored; any other unknown member is refused.
 */
export function answeredMembers(body: unknown, answer: unknown): readonly string[] {
  const isStrict = body instanceof z.ZodObject && body.def.catchall instanceof z.ZodNever;
  if (!isStrict || !(answer instanceof z.ZodObject)) return [];
  return Object.keys(answer.shape).filter((name) => !Object.hasOwn(body.shape, name));
}

/** A body without these members; anything but an object stays as it is. */
export function withoutMembers(body: unknown, names: readonly string[]): unknown {
  if (typeof body !== "object" || body === null || Array.isArray(body)) return body;
  return Object.fromEntries(Object.entries(body).filter(([name]) => !names.includes(name)));
}
