import { expect, onTestFinished, test, vi } from "vitest";
import { createWorkerPool } from "../../../src/base/worker-pool.ts";
import type { MailWork } from "../../../src/mime/mail-work.ts";

const THREAD = new URL("../../../src/mime/mail-work.ts", import.meta.url);

test("a pool that is closed watches nothing any more, though its thread said that it has begun", async () => {
  const limits = { threads: 1, cpu_ms: 10_000, wall_ms: 10_000, memory_mb: 256, most_waiting: 1 };
  const pool = createWorkerPool<MailWork>(THREAD, limits);
  expect(await pool.run("plainOfHtml", "<p>first</p>")).toContain("first");
  const asked = pool.run("plainOfHtml", "<p>second</p>");
  const refused = expect(asked).rejects.toThrow("Too much work");
  const watched = vi.spyOn(globalThis, "setInterval");
  onTestFinished(() => watched.mockRestore());
  // The thread answers while nobody listens: both of its messages come after the close.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 500);
  await pool.close();
  await refused;
  expect(watched).not.toHaveBeenCalled();
});
