import { execFile } from "node:child_process";
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { generateApi } from "swagger-typescript-api";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createTestApp, type TestApp } from "../../harness/app.ts";

/** A client that somebody generates from openapi.json compiles, and does what the document promises. */
const ROOT = path.resolve(import.meta.dirname, "../../..");
const folder = mkdtempSync(path.join(tmpdir(), "parley-client-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

let app: TestApp;
beforeAll(async () => {
  app = await createTestApp();
  const spec = JSON.parse(readFileSync(path.join(ROOT, "openapi.json"), "utf8"));
  const { files } = await generateApi({ spec, output: false, silent: true, httpClientType: "fetch" });
  const [client] = files;
  if (!client) throw new Error("no client was generated");
  writeFileSync(path.join(folder, "client.ts"), client.fileContent);
  copyFileSync(
    path.join(import.meta.dirname, "generated-client/program.ts"),
    path.join(folder, "program.ts"),
  );
});

test("its types fit a program that uses them", async () => {
  const compilerOptions = {
    target: "esnext",
    module: "esnext",
    moduleResolution: "bundler",
    lib: ["esnext", "dom", "dom.iterable"],
    types: [],
    strict: true,
    noEmit: true,
    allowImportingTsExtensions: true,
  };
  writeFileSync(
    path.join(folder, "tsconfig.json"),
    JSON.stringify({ compilerOptions, files: ["program.ts"] }),
  );
  const compiler = path.join(ROOT, "node_modules/typescript/bin/tsc");
  const compiled = promisify(execFile)(process.execPath, [compiler, "-p", folder]);
  expect(await compiled.catch((error: { stdout: string }) => error)).toMatchObject({ stdout: "" });
});

test("it calls a running program: bodies, path parameters, a list, a file, a refusal", async () => {
  const { program } = await import(path.join(folder, "program.ts"));
  expect(await program(await app.listen(), app.token)).toEqual({
    keys: ["token"],
    same: true,
    fields: [],
    names: ["Weather"],
    total: 1,
    created: 1,
    refusal: { status: 404, detail: "Service with ID 999999 not found" },
    gone: true,
  });
});
