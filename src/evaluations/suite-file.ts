import { stringify } from "yaml";
import { type ReadFile, readYamlInTurns } from "../api/input/yaml-file.ts";
import { TestSuiteInput } from "./test-case.ts";

/** Reads a suite in YAML or JSON. */
export const readSuiteFile = (text: string): Promise<ReadFile<TestSuiteInput>> =>
  readYamlInTurns(text, TestSuiteInput);

/** The same suite as YAML; what has its default is left out. */
export const writeSuiteFile = (suite: TestSuiteInput): string => stringify(suite, { lineWidth: 0 });
