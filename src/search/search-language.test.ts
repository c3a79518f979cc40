import { expect, test } from "vitest";
import { configurationOf, spaced } from "./search-language.ts";

test("a language is read by its own configuration where PostgreSQL has one, else by none", () => {
  const known = new Set(["simple", "english", "german"]);
  const of = (language: string | null) => configurationOf(language, known);
  expect([
    of("en-US"),
    of("DE"),
    of("de_AT"),
    of("fr-FR"),
    of("ja"),
    of("unset"),
    of(null),
    of("constructor"),
  ]).toEqual(["english", "german", "german", "simple", "simple", "simple", "simple", "simple"]);
});

test("words of scripts without spaces stand apart, and other texts stay as they are", () => {
  expect(spaced("予約を変更").trim().split(/\s+/)).toEqual(["予約", "を", "変更"]);
  expect(spaced("Book a slot.")).toBe("Book a slot.");
});
