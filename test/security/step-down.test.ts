import { execFileSync } from "node:child_process";
import {
  chmodSync,
  chownSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { beforeAll, expect, test } from "vitest";
import { afterFile } from "../harness/after-file.ts";
import { startProgram } from "../harness/start-program.ts";
import { WAITING } from "../harness/waiting.ts";

/** Only root can show what root does. */
const asRoot = test.runIf(process.geteuid?.() === 0);
const NOBODY = 65_534;

function newFolder(mode: number): string {
  const folder = mkdtempSync(path.join(tmpdir(), "parley-root-"));
  chmodSync(folder, mode);
  afterFile(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
const userOf = (pid: number): number =>
  Number(/^Uid:\s+\d+\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]);
const groupsOf = (pid: number): string =>
  /^Groups:\s*(.*)$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]?.trim() ?? "";

/** What root's own first start left, which its tests begin from. */
let left: { folder: string; token: string };
beforeAll(async () => {
  if (process.geteuid?.() !== 0) return;
  const folder = newFolder(0o700);
  const first = await startProgram(folder, { RUN_AS_ROOT: "on", LOG_LEVEL: "error" });
  expect(userOf(first.pid)).toBe(0);
  await first.end("SIGTERM");
  left = { folder, token: first.greeting.token ?? "" };
});
/** With its owners. */
const leave = (folder: string) => void execFileSync("cp", ["-a", path.join(left.folder, "data"), folder]);

asRoot(
  "a program that root starts is no longer root once it has bound its port, and works, also on what root left",
  async () => {
    const folder = newFolder(0o755);
    leave(folder);
    const data = path.join(folder, "data");
    expect(statSync(path.join(data, "secret.key")).uid).toBe(0);
    mkdirSync(path.join(data, "recordings"), { recursive: true });
    writeFileSync(path.join(data, "recordings", "old.wav"), "sound");
    // What others may have put there to be given it.
    const outside = path.join(newFolder(0o755), "not-ours");
    writeFileSync(outside, "x");
    linkSync(outside, path.join(data, "second-name"));
    symlinkSync(outside, path.join(data, "link"));

    const program = await startProgram(folder, { LOG_LEVEL: "error" });
    const user = userOf(program.pid);
    expect(user).not.toBe(0);
    expect(groupsOf(program.pid).split(" ")).not.toContain("0");
    for (const file of ["secret.key", "recordings/old.wav", "."])
      expect(statSync(path.join(data, file)).uid).toBe(user);
    expect(statSync(outside).uid).toBe(0);
    expect((await fetch(`${program.greeting.url}/readyz`)).status).toBe(200);
    const headers = { "Service-API-Key": left.token };
    expect((await fetch(`${program.greeting.url}/api/v1/agents/`, { headers })).status).toBe(200);
    await program.end("SIGTERM");
  },
);

asRoot("while its data folder takes no files it is not ready", async () => {
  const folder = newFolder(0o755);
  leave(folder);
  const program = await startProgram(folder, { LOG_LEVEL: "error" });
  const ready = async () => (await fetch(`${program.greeting.url}/readyz`)).json();
  chmodSync(path.join(folder, "data"), 0o500);
  await expect
    .poll(ready, WAITING)
    .toEqual({ detail: "Nothing can be written to the data directory (EACCES)." });
  chmodSync(path.join(folder, "data"), 0o700);
  await expect.poll(ready, WAITING).toEqual({ status: "ready" });
  await program.end("SIGTERM");
});

asRoot("it becomes the owner of its data folder where that is somebody else", async () => {
  const folder = newFolder(0o755);
  mkdirSync(path.join(folder, "data"), { mode: 0o700 });
  chownSync(path.join(folder, "data"), NOBODY, NOBODY);
  const program = await startProgram(folder, { LOG_LEVEL: "error" });
  expect(userOf(program.pid)).toBe(NOBODY);
  await program.end("SIGTERM");
});

asRoot("where another user can't enter the folder it stays root, works, and says so", async () => {
  const folder = newFolder(0o700);
  leave(folder);
  const program = await startProgram(folder, { LOG_LEVEL: "error" });
  expect(userOf(program.pid)).toBe(0);
  expect((await fetch(`${program.greeting.url}/readyz`)).status).toBe(200);
  await program.end("SIGTERM");
});
