import { isDeepStrictEqual } from "node:util";
import { stringify } from "yaml";
import { type ReadFile, readYamlInTurns } from "../api/input/yaml-file.ts";
import { TestCase, TestSuiteInput } from "./test-case.ts";

/** Reads a suite in YAML or JSON. */
export const readSuiteFile = (text: string): Promise<ReadFile<TestSuiteInput>> =>
  readYamlInTurns(text, TestSuiteInput);

/** The same suite as YAML, lines as they were written; what has its default is left out. */
export const writeSuiteFile = ({ name, description, agent, cases }: TestSuiteInput): string =>
  stringify(
    { name, ...(description && { description }), agent, cases: cases.map(withoutDefaults) },
    { lineWidth: 0 },
  );

const { name: _name, person: _person, ...DEFAULTS } = TestCase.parse({ name: "Any", person: [] });

const withoutDefaults = (one: TestCase): object =>
  Object.fromEntries(
    Object.entries(one).filter(
      ([field, value]) =>
        value !== null && !isDeepStrictEqual(value, DEFAULTS[field as keyof typeof DEFAULTS]),
    ),
  );
