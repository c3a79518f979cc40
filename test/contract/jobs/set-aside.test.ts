import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { silentLog } from "../../../src/base/log.ts";
import { enqueueGoOn as enqueueMails } from "../../../src/dialogues/mail-dialogue.ts";
import { insertReceived, mailTargetById } from "../../../src/dialogues/mail-store.ts";
import { enqueueGoOn as enqueueTexts } from "../../../src/dialogues/text-dialogue.ts";
import { insertText, textTargetById } from "../../../src/dialogues/text-store.ts";
import { beat, reap } from "../../../src/jobs/heartbeat.ts";
import { migrateJobs, startJobs } from "../../../src/jobs/runner.ts";
import { tellSetAsideJob } from "../../../src/reports/set-aside-routes.ts";
import { Scenario } from "../../../src/simulator/people.ts";
import { createAgent } from "../../harness/agent.ts";
import { createTestApp } from "../../harness/app.ts";
import { createMailbox, mailsWith, somebody } from "../../harness/mail.ts";
import { recordSession } from "../../harness/replays.ts";
import { insertSession } from "../../harness/rows.ts";
import { createNumber, eventually, type SimulatedApp, textsWith } from "../../harness/simulated.ts";

/** What an operator does with texts, mails and exports that were set aside, and what comes of it. */
const SET_ASIDE = "/api/v1/queues/set_aside";

let app: SimulatedApp;
let agent_id: number;
beforeAll(async () => {
  const simulation = { scenario: Scenario.parse({}), speed: "moved" as const };
  const made = await createTestApp({ MAIL_CHECK_SENDERS: "off" }, undefined, { simulation });
  if (!made.simulator) throw new Error("the test app has no simulator");
  app = Object.assign(made, { simulator: made.simulator });
  await app.listen();
  await migrateJobs(app.database.pool, silentLog);
  ({ agent_id } = await createAgent(app, { script: 'otherwise -> say "Noted."' }));
});
beforeEach(async () => {
  await app.database.pool.query("delete from interrupted_jobs");
  await app.database.pool.query("delete from graphile_worker._private_jobs");
});

/** Two processes take what waits, one after the other, and die of it. */
async function setAsideAfterTwoDeaths(): Promise<{ job_id: string; name: string }> {
  const { pool } = app.database;
  for (const process of ["first", "second"]) {
    await beat(pool, process);
    await pool.query(
      `update graphile_worker._private_jobs set locked_at = now(), locked_by = $1, attempts = attempts + 1
       where attempts < max_attempts`,
      [process],
    );
    await pool.query("update interrupted_jobs set begun_by = $1", [process]);
    await pool.query("update job_runners set heartbeat_at = now() - interval '1 minute' where id = $1", [
      process,
    ]);
    await reap(pool);
  }
  const { body } = await app.send("GET", SET_ASIDE);
  expect(body).toHaveLength(1);
  return body[0];
}

async function working<T>(work: () => Promise<T>): Promise<T> {
  const handlers = app.jobs.map(({ job: { schedule: _, ...job }, run }) => ({ job, run }));
  const runner = await startJobs({ pool: app.database.pool, log: silentLog, handlers });
  return work().finally(() => runner.stop());
}

const tell = () => tellSetAsideJob(app.engine).run({}, {} as never);
const retry = ({ job_id }: { job_id: string }) => app.send("POST", `${SET_ASIDE}/${job_id}/retry`);
const drop = ({ job_id }: { job_id: string }) => app.send("DELETE", `${SET_ASIDE}/${job_id}`);

let people = 0;

/** Who writes these words, one message after the other, in a conversation of its own; and what became of each. */
type Way = { name: string; write(words: string[]): Promise<() => Promise<string[]>> };

const texts: Way = {
  name: "go-on-with-texts",
  async write(words) {
    const { targets } = await createNumber(app, agent_id);
    const source = `+1512666${String(++people).padStart(4, "0")}`;
    const channel_target_id = targets.sms as number;
    const target = await textTargetById(app.db, channel_target_id);
    if (!target) throw new Error("no agent answers the number");
    await app.db.transaction().execute(async (tx) => {
      const common = { target, direction: "in", medium: "sms", purpose: "answer", source } as const;
      for (const [n, text] of words.entries())
        await insertText(
          tx,
          app.vault,
          { ...common, key: `SM-${people}-${n}`, text, session_id: null, status: "RECEIVED" },
          app.clock.now(),
        );
      await enqueueTexts(tx, { channel_target_id, source });
    });
    return async () =>
      (await textsWith(app, source))
        .filter(({ direction }) => direction === "in")
        .map(({ status }) => status);
  },
};

const mails: Way = {
  name: "go-on-with-mails",
  async write(words) {
    const { target_id: channel_target_id } = await createMailbox(app, agent_id);
    const source = somebody();
    const target = await mailTargetById(app.db, channel_target_id);
    if (!target) throw new Error("no agent answers the address");
    await app.db.transaction().execute(async (tx) => {
      for (const [n, text] of words.entries()) {
        const message_id = `<${people}-${n}@example.com>`;
        const mail = {
          message_id,
          in_reply_to: null,
          thread_ids: [message_id],
          subject: "Hello",
          from: { address: source, name: null },
          text,
          new_text: text,
          html: null,
          attachments: [],
          attached_mails: [],
          is_reaction: false,
          automatic: null,
          reports: [],
          authenticity: { verdict: "unproven", spf: null, dkim: null } as const,
        };
        const received = { key: `mail-${people}-${n}`, target, files: [], session_id: null, note: null };
        await insertReceived(tx, app.vault, { ...received, mail, state: "received" }, app.clock.now());
      }
      people++;
      await enqueueMails(tx, { channel_target_id, source });
    });
    return async () =>
      (await mailsWith(app, source)).filter(({ direction }) => direction === "in").map(({ state }) => state);
  },
};

describe.each([
  { way: texts, answered: "ANSWERED", dropped: "ANSWERED" },
  { way: mails, answered: "answered", dropped: "ignored" },
])("of $way.name", ({ way, answered, dropped }) => {
  const answers = (from: "texts" | "mails") =>
    from === "texts"
      ? app.db.selectFrom("text_messages").select("id").where("direction", "=", "out").execute()
      : app.db.selectFrom("mail_messages").select("id").where("direction", "=", "out").execute();
  const medium = way === texts ? "texts" : "mails";

  test("a retry answers all that waits, in one go", async () => {
    const states = await way.write(["one", "two"]);
    const work = await setAsideAfterTwoDeaths();
    expect(work.name).toBe(way.name);
    expect((await retry(work)).status).toBe(200);
    const before = (await answers(medium)).length;
    await working(() => eventually(states, (all) => all.every((state) => state === answered)));
    expect((await answers(medium)).length).toBeGreaterThanOrEqual(before + 2);
    expect((await app.send("GET", SET_ASIDE)).body).toEqual([]);
    expect((await retry(work)).status).toBe(404);
  });

  test("a drop gives up the message it stopped at alone, and the one behind it is answered", async () => {
    const states = await way.write(["the words that end the program", "two"]);
    const work = await setAsideAfterTwoDeaths();
    const before = (await answers(medium)).length;
    expect((await drop(work)).status).toBe(200);
    await working(() => eventually(states, (all) => all[1] === answered));
    expect(await states()).toEqual([dropped, answered]);
    expect((await answers(medium)).length).toBe(before + 1);
    expect((await drop(work)).status).toBe(404);
  });
});

describe("of an export", () => {
  const started = async (): Promise<string> =>
    (await app.send("POST", "/api/v1/takeouts/create", {})).body.job_id;
  const statusOf = async (id: string): Promise<string> =>
    (await app.db.selectFrom("takeouts").select("status").where("id", "=", id).executeTakeFirstOrThrow())
      .status;

  test("a retry makes it after all, though it was told to have failed", async () => {
    const id = await started();
    const work = await setAsideAfterTwoDeaths();
    expect(work.name).toBe("make-takeout");
    await tell();
    expect(await statusOf(id)).toBe("failed");
    expect((await retry(work)).status).toBe(200);
    expect(
      await working(() =>
        eventually(
          () => statusOf(id),
          (status) => status === "completed",
        ),
      ),
    ).toBe("completed");
  });

  test("a drop leaves it failed, and another can be started", async () => {
    const id = await started();
    const work = await setAsideAfterTwoDeaths();
    await tell();
    expect((await drop(work)).status).toBe(200);
    const next = await started();
    expect(next).not.toBe(id);
    await working(() =>
      eventually(
        () => statusOf(next),
        (status) => status === "completed",
      ),
    );
    expect(await statusOf(id)).toBe("failed");
  });
});

const oneTest = {
  name: "run-test",
  async begin(): Promise<string> {
    const { name: agent } = (await app.send("GET", `/api/v1/agents/${agent_id}`)).body;
    const cases = [{ name: "Notes", person: ["hello"], expect: { said: ["noted"] } }];
    const suite = await app.send("POST", "/api/v1/test_suites/", { name: `Suite ${++people}`, agent, cases });
    const run = await app.send("POST", `/api/v1/test_suites/${suite.body.id}/runs`, {});
    return `/api/v1/test_runs/${run.body.id}`;
  },
  partsAt: async (at: string) => (await app.send("GET", `${at}/results`)).body.items,
  leaves: (session_id: number) =>
    app.db.updateTable("test_results").set({ session_id }).where("status", "=", "pending").execute(),
};
const oneReplay = {
  name: "replay-pair",
  async begin(): Promise<string> {
    await recordSession(app, agent_id, ["hello"]);
    await app.database.pool.query("delete from graphile_worker._private_jobs");
    const begun = await app.send("POST", `/api/v1/agents/${agent_id}/replays`, { sessions: 1 });
    return `/api/v1/replays/${begun.body.id}`;
  },
  partsAt: async (at: string) => (await app.send("GET", `${at}/pairs`)).body.items,
  leaves: (candidate_session_id: number) =>
    app.db
      .updateTable("replay_pairs")
      .set({ candidate_session_id })
      .where("status", "=", "pending")
      .execute(),
};

describe.each([
  { ...oneTest, well: "passed" },
  { ...oneReplay, well: "replayed" },
])("of $name", ({ name, begin, partsAt, leaves, well }) => {
  const stateAt = async (at: string) => (await app.send("GET", at)).body.status;

  test("its run ends with an error that says so", async () => {
    const at = await begin();
    const work = await setAsideAfterTwoDeaths();
    expect(work.name).toBe(name);
    await tell();
    expect(await stateAt(at)).toBe("finished");
    const notes = [expect.stringContaining("stopped twice")];
    expect(await partsAt(at)).toMatchObject([{ status: "error", notes }]);
    expect((await drop(work)).status).toBe(200);
    expect(await stateAt(at)).toBe("finished");
  });

  test("the session that the second death left is ended with it, and not half an hour later", async () => {
    await begin();
    const session_id = await insertSession(app, { is_test: true });
    await leaves(session_id);
    await setAsideAfterTwoDeaths();
    await tell();
    const session = await app.send("GET", `/api/v1/sessions/${session_id}`);
    expect(session.body).toMatchObject({ ended_at: expect.any(String), end_reason: "error" });
  });

  test("a retry plays it after all", async () => {
    const at = await begin();
    const work = await setAsideAfterTwoDeaths();
    await tell();
    expect((await retry(work)).status).toBe(200);
    expect(await stateAt(at)).toBe("running");
    await working(() =>
      eventually(
        () => stateAt(at),
        (status) => status === "finished",
      ),
    );
    expect(await partsAt(at)).toMatchObject([{ status: well, notes: [] }]);
  });
});
