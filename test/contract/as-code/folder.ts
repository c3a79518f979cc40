import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import type { PlanOptions } from "../../../src/as-code/plan.ts";
import { applyFolder, driftOf, exportFolder, type PlanTarget, planFolder } from "../../../src/as-code/run.ts";
import { ensureSystemTools } from "../../../src/tools/system-tools.ts";
import { afterFile } from "../../harness/after-file.ts";
import type { Send, TestApp } from "../../harness/app.ts";

export type FolderFiles = Record<string, string | Buffer>;

/** A folder that is gone when the file's tests are done. */
export function newFolder(files: FolderFiles = {}): string {
  const folder = mkdtempSync(path.join(tmpdir(), "parley-as-code-"));
  afterFile(() => rmSync(folder, { recursive: true, force: true }));
  if (Object.keys(files).length > 0) write(folder, { "parley.yaml": "format: parley-folder-1\n", ...files });
  return folder;
}

export function write(folder: string, files: FolderFiles): void {
  for (const [file, text] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(folder, file)), { recursive: true });
    writeFileSync(path.join(folder, file), text);
  }
}

/** Every file and its bytes. */
export const contents = (folder: string): Record<string, string> =>
  Object.fromEntries(
    readdirSync(folder, { recursive: true, encoding: "utf8", withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => path.relative(folder, path.join(entry.parentPath, entry.name)))
      .toSorted()
      .map((file) => [file, readFileSync(path.join(folder, file), "utf8")]),
  );

/** The four commands as one organization's, with what they print and exit with. */
export function commandsOf(url: string, token: string, variables: Record<string, string> = {}) {
  const target: PlanTarget = {
    url,
    token,
    env: (name) => variables[name],
    remedies: { address: "Start it.", token: "Set another." },
  };
  const run = async (command: (output: Parameters<typeof exportFolder>[3]) => Promise<number>) => {
    const said = { out: "", err: "" };
    const output = {
      out(text: string) {
        said.out += text;
      },
      err(text: string) {
        said.err += text;
      },
      json: false,
    };
    const code = await command(output);
    return { code, ...said };
  };
  const withAll = (options: Partial<PlanOptions>) => ({ prune: false, secrets: false, ...options });
  return {
    export: (folder: string, replace = false) =>
      run((output) => exportFolder(target, folder, replace, output)),
    plan: (folder: string, options: Partial<PlanOptions> & { json?: boolean } = {}) =>
      run((output) =>
        planFolder(target, folder, withAll(options), { ...output, json: options.json ?? false }),
      ),
    apply: (folder: string, options: Partial<PlanOptions> & { expect?: string } = {}) =>
      run((output) => applyFolder(target, folder, { expect: null, ...withAll(options), ...options }, output)),
    drift: (folder: string, options: Partial<PlanOptions> = {}) =>
      run((output) => driftOf(target, folder, withAll(options), output)),
  };
}

let made = 0;

/** An organization that has nothing but what every one has. */
export async function emptyOrganization(app: TestApp): Promise<{ token: string; send: Send }> {
  const { caller, token, send } = await app.createNeighbour(`as-code-${++made}@example.org`);
  await app.db.transaction().execute((tx) => ensureSystemTools(tx, caller, app.clock.now()));
  return { token, send };
}
