import type { TestApp } from "./app.ts";

/** Plays what waits of a run, as its jobs do. `until`: how many results. */
export async function playRun(app: TestApp, run_id: number, until = Number.POSITIVE_INFINITY): Promise<void> {
  const job = app.jobs.find(({ job }) => job.name === "run-test")!;
  const waiting = await app.db
    .selectFrom("test_results")
    .select("id")
    .where("run_id", "=", run_id)
    .where("status", "=", "pending")
    .orderBy("id")
    .execute();
  for (const { id } of waiting.slice(0, until))
    await job.run({ result_id: id }, { job: { attempts: 1 } } as never);
}
