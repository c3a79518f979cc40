import { expect, test } from "vitest";
import { configurationOf } from "./search-language.ts";

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
