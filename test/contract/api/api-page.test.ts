import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import path from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { seedDemo } from "../../../src/demo/seed.ts";
import { createTestApp } from "../../harness/app.ts";

const PAGE = readFileSync(path.resolve(import.meta.dirname, "../../../docs/api.md"), "utf8");
const blocks = (mark: string): string[] =>
  [...PAGE.matchAll(new RegExp(`^\`\`\`${mark}\n([\\s\\S]*?)\n\`\`\`$`, "gm"))].map(([, text = ""]) => text);

test("the Python of the page of the API reads a list, uploads a file and reads a refusal as the page shows", async ({
  skip,
}) => {
  const run = promisify(execFile);
  await run("python3", ["--version"]).catch(() => skip("this machine has no python3"));
  const app = await createTestApp({}, seedDemo);
  const env = { ...process.env, PARLEY_URL: await app.listen(), PARLEY_API_TOKEN: app.token };
  const { stdout, stderr } = await run("python3", ["-c", blocks("python").join("\n")], { env });
  expect(stderr).toBe("");
  expect(stdout.trim()).toBe(blocks("").at(-1));
});
