import { setTimeout as sleep } from "node:timers/promises";
import { sql } from "kysely";
import { z } from "zod";
import { isOfOpenOrganization } from "../../accounts/organization-deletion.ts";
import type { Storage } from "../../accounts/storage.ts";
import type { Clock } from "../../base/clock.ts";
import { Fault } from "../../base/errors.ts";
import type { Db, Tx } from "../../db/database.ts";
import type { Egress } from "../../egress/egress.ts";
import { enqueue, handle, type Job, type JobHandler } from "../../jobs/define-job.ts";
import { oneByOne } from "../../jobs/one-by-one.ts";
import type { DocumentReader } from "../documents/document-reader.ts";
import { removeDocuments, storeDocument } from "../documents/document-store.ts";
import { textOfSections } from "../documents/sections.ts";
import { enqueueEmbedding } from "../source-embedding.ts";
import {
  addPages,
  beginRun,
  type CrawlRun,
  countFetched,
  failRun,
  findRun,
  finishRun,
  holdPage,
  nextPage,
  nothingRead,
  type PageOutcome,
  pageOfSameWords,
  settlePage,
  type WaitingPage,
} from "./crawl-store.ts";
import { type FetchedPage, fetchPage, fetchRobots } from "./fetch-page.ts";
import { robotsPath } from "./page-address.ts";
import type { RobotRules } from "./robots.ts";

type CrawlParts = {
  db: Db;
  clock: Clock;
  egress: Egress;
  storage: Storage;
  documents: DocumentReader;
  embeds: boolean;
  /** Between two requests to one site, unless it asks for more. */
  pause_ms: number;
};

const crawlSource: Job<{ data_source_id: number }> = {
  name: "crawl-source",
  payload: z.object({ data_source_id: z.int() }),
  max_attempts: 3,
};
const crawlDue: Job<Record<string, never>> = {
  name: "crawl-due",
  payload: z.object({}),
  max_attempts: 1,
  schedule: "* * * * *",
};

/**
 * One job reads so many pages and leaves the rest to another: a large site holds no worker for an hour, and a job that its
 * process dies on twice, which is set aside then, has held up these and no more.
 */
const PAGES_A_JOB = 10;
/** A site that asks for longer waits is read as if it asked for this. */
const MOST_DELAY_S = 30;
/** A page that is to be asked for again within this time is, once, by the job that asked first. */
const MOST_AGAIN_ms = 60_000;
/** A run without a sign of life for so long has lost its job. One page takes two minutes at the most. */
const SILENT_ms = 5 * 60_000;

/** In the transaction that begins the run, or after the pages before. */
export const enqueueCrawl = (tx: Tx, data_source_id: number): Promise<void> =>
  enqueue(
    tx,
    crawlSource,
    { data_source_id },
    {
      key: `crawl-source:${data_source_id}`,
      tenant: sql<number>`(select sub_organization_id from data_sources where id = ${data_source_id})`,
    },
  );

export const crawlJobs = (parts: CrawlParts): JobHandler[] => [
  handle(crawlSource, ({ data_source_id }, { stopping, abortSignal }) =>
    crawlPages(parts, data_source_id, { stopping, signal: abortSignal }),
  ),
  handle(crawlDue, () => oneByOne([beginDue, resumeLost], (step) => step(parts))),
];

async function beginDue({ db, clock }: CrawlParts): Promise<void> {
  const now = clock.now();
  const due = await db
    .selectFrom("data_source_crawls as c")
    .innerJoin("data_sources as d", "d.id", "c.data_source_id")
    .select(["c.data_source_id"])
    .where("c.next_run_at", "<=", now.toISOString())
    .where("d.deleted_at", "is", null)
    .where(isOfOpenOrganization("c.sub_organization_id"))
    .execute();
  await oneByOne(due, ({ data_source_id }) =>
    db.transaction().execute(async (tx) => {
      const still = await tx
        .selectFrom("data_source_crawls")
        .select("run")
        .where("data_source_id", "=", data_source_id)
        .where("next_run_at", "<=", now.toISOString())
        .forUpdate()
        .executeTakeFirst();
      if (!still) return;
      await beginRun(tx, data_source_id, now);
      await enqueueCrawl(tx, data_source_id);
    }),
  );
}

/** Gives a new job to runs that have lost theirs. */
async function resumeLost({ db, clock }: CrawlParts): Promise<void> {
  const now = clock.now();
  const silent = new Date(now.getTime() - SILENT_ms).toISOString();
  await db.transaction().execute(async (tx) => {
    const lost = await tx
      .updateTable("data_source_crawls")
      .set({ active_at: now.toISOString() })
      .where("status", "=", "running")
      .where("active_at", "<", silent)
      .returning("data_source_id")
      .execute();
    for (const { data_source_id } of lost) await enqueueCrawl(tx, data_source_id);
  });
}

/**
 * Reads pages one after the other, each stored in a transaction of its own with the links found on it: a process that dies
 * has lost the page it was fetching and nothing else.
 */
async function crawlPages(
  parts: CrawlParts,
  data_source_id: number,
  { stopping, signal }: { stopping: AbortSignal; signal: AbortSignal },
): Promise<void> {
  const { db, clock } = parts;
  const goOnLater = () => db.transaction().execute((tx) => enqueueCrawl(tx, data_source_id));
  const run = await findRun(db, data_source_id);
  if (!run) return;
  const rules = await fetchRobots({ egress: parts.egress, signal }, new URL(run.start_url).origin);
  if ("problem" in rules) {
    // Broken off, as this process stops: the site has not said anything.
    if (signal.aborted) return goOnLater();
    const problem = `${rules.problem}. Nothing is read until the site says what may be read`;
    return db.transaction().execute((tx) => failRun(tx, run, problem, clock.now()));
  }
  const pause_ms = Math.max(parts.pause_ms, Math.min(rules.delay_s ?? 0, MOST_DELAY_S) * 1000);
  for (let pages = 0; pages < PAGES_A_JOB && !stopping.aborted; pages++) {
    // Stopped, or begun anew with a job of its own.
    if ((await findRun(db, data_source_id))?.run !== run.run) return;
    const page = (await countFetched(db, run)) < run.max_pages ? await nextPage(db, run) : undefined;
    if (!page) return finish(parts, run);
    const fetched = await askForPage({ ...parts, signal, stopping }, page, rules);
    if (fetched && !signal.aborted) await keepPage(parts, run, page, fetched);
    if (pause_ms > 0) await sleep(pause_ms, undefined, { signal: stopping }).catch(() => {});
  }
  await goOnLater();
}

/** Undefined: this process stops before the site wants to be asked again, so the page waits for another job. */
async function askForPage(
  parts: CrawlParts & { signal: AbortSignal; stopping: AbortSignal },
  page: WaitingPage,
  rules: RobotRules,
): Promise<FetchedPage | undefined> {
  if (!rules.allows(robotsPath(page.url))) return { kind: "skipped", why: "robots.txt asks not to read it" };
  const ask = () => fetchPage(parts, page.url, page.document_id === null ? null : page);
  const fetched = await ask();
  const again_ms = fetched.kind === "failed" ? fetched.again_ms : undefined;
  if (again_ms === undefined || again_ms > MOST_AGAIN_ms) return fetched;
  await sleep(again_ms, undefined, { signal: parts.stopping }).catch(() => {});
  return parts.stopping.aborted ? undefined : ask();
}

async function keepPage(
  parts: CrawlParts,
  run: CrawlRun,
  page: WaitingPage,
  fetched: FetchedPage,
): Promise<void> {
  const { db, clock } = parts;
  await db.transaction().execute(async (tx) => {
    // The source first, as every change of its documents takes it.
    const source = await tx
      .selectFrom("data_sources")
      .select("id")
      .where("id", "=", run.data_source_id)
      .where("deleted_at", "is", null)
      .forUpdate()
      .executeTakeFirst();
    const at = clock.now();
    if (!source || !(await holdPage(tx, run, page.url, at))) return;
    const outcome = await storeFetched(parts, tx, { run, page, fetched, at });
    await settlePage(tx, run, page.url, outcome, at);
    const links = outcome.links ?? (outcome.status === "unchanged" ? page.links : []);
    if (page.depth < run.max_depth) await addPages(tx, run, { urls: links, depth: page.depth + 1 });
    if (fetched.kind === "moved" && fetched.to)
      await addPages(tx, run, { urls: [fetched.to], depth: page.depth });
  });
}

type Fetched = { run: CrawlRun; page: WaitingPage; fetched: FetchedPage; at: Date };

/** Brings the page's document to what was fetched, and says what came of it. */
async function storeFetched(
  parts: CrawlParts,
  tx: Tx,
  { run, page, fetched, at }: Fetched,
): Promise<PageOutcome> {
  const { data_source_id, sub_organization_id, last_updated_by: by } = run;
  const without = async (problem: string, more: Partial<PageOutcome> = {}): Promise<PageOutcome> => {
    if (page.document_id !== null) await removeDocuments(tx, data_source_id, [page.document_id]);
    return { status: "skipped", problem, document_id: null, ...more };
  };
  switch (fetched.kind) {
    case "unchanged":
      return { status: "unchanged", problem: null };
    case "failed":
      return { status: "failed", problem: fetched.why };
    case "moved":
      return without(fetched.to === null ? `${fetched.why}, out of the site` : fetched.why);
    case "skipped":
      return without(fetched.why);
    case "read": {
      const { contents, links, size_bytes, known } = fetched;
      if (contents === null) return without("asks not to be kept, or has no text", { links });
      const text = textOfSections(contents.sections);
      const twin = await pageOfSameWords(tx, run, { url: page.url, title: contents.title, text });
      if (twin !== null) return without(`has the same words as ${twin}`, { links });
      try {
        const place = { data_source_id, sub_organization_id, by, at };
        const read = { kind: "page" as const, name: page.url, size_bytes, contents };
        const { id } = await storeDocument(tx, place, read, parts.storage);
        if (parts.embeds) await enqueueEmbedding(tx, data_source_id);
        return { status: "read", problem: null, document_id: id, known, links };
      } catch (error) {
        // No room for it; its links may still lead to less.
        if (error instanceof Fault) return { status: "failed", problem: error.message, links };
        throw error;
      }
    }
  }
}

const finish = ({ db, clock }: CrawlParts, run: CrawlRun): Promise<void> =>
  db.transaction().execute(async (tx) => {
    await tx
      .selectFrom("data_sources")
      .select("id")
      .where("id", "=", run.data_source_id)
      .forUpdate()
      .execute();
    const problem = await nothingRead(tx, run);
    if (problem === null) return finishRun(tx, run, clock.now());
    await failRun(tx, run, `Nothing was read: ${run.start_url} ${problem}`, clock.now());
  });
