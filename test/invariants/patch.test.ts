import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";

const SRC = path.resolve(import.meta.dirname, "../../src");

/** What is made there and then, an error or a record of any keys: nothing whose fields a type knows. */
const NEW = /^(new |emptyRecord\(\)|Object\.create\(null\))/;

/** Other values whose keys are not known before. */
const OF_ANY_KEYS: Record<string, string[]> = {
  "base/patch.ts": ["row"],
  "dialogues/posted-body.ts": ["busy"],
  "directory/directory-rules.ts": ["plain"],
  "egress/egress-stub.ts": ["send"],
  "expressions/scope.ts": ["members"],
  "jobs/runner.ts": ["helpers"],
  "llm/provider-stream.ts": ["block.providerOptions"],
};

test("a row is changed by `patch`, which knows its fields, and nowhere by Object.assign, which takes anything", () => {
  const found = readdirSync(SRC, { recursive: true, encoding: "utf8" })
    .filter((file) => /(?<!\.test|\.trial)\.ts$/.test(file) && !file.startsWith("console/"))
    .flatMap((file) =>
      [...readFileSync(path.join(SRC, file), "utf8").matchAll(/Object\.assign\(\s*([^,]+),/g)]
        .map(([, target = ""]) => target)
        .filter((target) => !NEW.test(target) && !OF_ANY_KEYS[file]?.includes(target))
        .map((target) => `${file}: Object.assign(${target}, …)`),
    );
  expect(found).toEqual([]);
});
