/** A compiled expression: reads a scope, or any JSON value, and gives JSON; throws when it has no value. */
export type Plan = (root: unknown) => unknown;
