import { type InputIssue, InvalidInput } from "../../base/errors.ts";

/**
 * Members that people look for in one place of a body and that are read in another, each by where it was found
 * (`config.allowed_origins`) and where it belongs.
 */
export type Misplaced = Readonly<Record<string, string>>;

/** Bodies pass over members that they don't know: a setting in the wrong place would seem saved (decision 0259). */
export function refuseMisplaced(body: unknown, places: Misplaced): void {
  const issues = Object.entries(places).flatMap(([place, belongs]): InputIssue[] => {
    const path = place.split(".");
    return valueAt(body, path) == null ? [] : [misplaced(path, belongs)];
  });
  if (issues.length > 0) throw new InvalidInput(issues);
}

export const misplaced = (path: string[], belongs: string): InputIssue => ({
  loc: ["body", ...path],
  msg: `Not read in this place: set it in ${belongs}`,
  type: "misplaced",
});

const valueAt = (value: unknown, path: string[]): unknown =>
  path.reduce<unknown>(
    (inner, name) =>
      typeof inner === "object" && inner !== null && Object.hasOwn(inner, name)
        ? (inner as Record<string, unknown>)[name]
        : undefined,
    value,
  );
