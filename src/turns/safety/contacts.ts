import { digitRuns } from "../../redaction/digit-runs.ts";
import { findValues, type RedactionKind } from "../../redaction/find-values.ts";

const SOUGHT = {
  kinds: new Set<RedactionKind>(["phone", "email"]),
  patterns: [],
  // Only dates of birth count from a year.
  year: 0,
};

/** The telephone numbers, as digits, and the e-mail addresses in a text. Pure. */
export const findContacts = (text: string): string[] =>
  findValues(text, SOUGHT, () => {}).map(({ from, to }) => {
    const found = text.slice(from, to);
    if (found.includes("@")) return found.toLowerCase();
    return digitRuns(found)
      .flatMap(({ pieces }) => pieces.map(({ digits }) => digits))
      .join("");
  });
