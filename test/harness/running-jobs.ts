import { silentLog } from "../../src/base/log.ts";
import { removeUnlisted } from "../../src/folders/remove-recording.ts";
import { startJobs } from "../../src/jobs/runner.ts";
import { afterFile } from "./after-file.ts";
import type { TestApp } from "./app.ts";

/**
 * The program's jobs, at work until the file's tests are done, without what comes round by itself: that would run beside
 * what a test does at its own time. So would what clears up a day after an upload began: the database goes by today's date,
 * on which the day after the tests' own is long over.
 */
export async function runJobs({ database, jobs }: Pick<TestApp, "database" | "jobs">): Promise<void> {
  const handlers = jobs
    .filter(({ job }) => job.name !== removeUnlisted.name)
    .map(({ job: { schedule: _, ...job }, run }) => ({ job, run }));
  const runner = await startJobs({ pool: database.pool, log: silentLog, handlers });
  afterFile(runner.stop);
}
