import { sql } from "kysely";
import type { Db, Tx } from "../../db/database.ts";
import { removeDocuments } from "../documents/document-store.ts";
import type { KnownPage } from "./fetch-page.ts";

/** A run as its job reads it. */
export type CrawlRun = {
  data_source_id: number;
  sub_organization_id: number;
  run: number;
  start_url: string;
  max_depth: number;
  max_pages: number;
  last_updated_by: string;
};

/** The next page to read, with what is known of it. */
export type WaitingPage = KnownPage & {
  url: string;
  depth: number;
  document_id: number | null;
  links: string[];
};

/** Pages that a run remembers, to be read or not; a site with more is cut off here. */
const MOST_KNOWN = 10_000;

/** Begins a run: the start page waits, and what earlier runs found is known but not of this run. Lock: the crawl's row. */
export async function beginRun(tx: Tx, data_source_id: number, at: Date): Promise<number> {
  const { run, start_url } = await tx
    .updateTable("data_source_crawls")
    .set({
      run: sql<number>`run + 1`,
      status: "running",
      problem: null,
      started_at: at.toISOString(),
      finished_at: null,
      active_at: at.toISOString(),
      next_run_at: null,
    })
    .where("data_source_id", "=", data_source_id)
    .returning(["run", "start_url"])
    .executeTakeFirstOrThrow();
  await addPages(tx, { data_source_id, run }, { urls: [start_url], depth: 0 });
  return run;
}

export async function findRun(db: Db, data_source_id: number): Promise<CrawlRun | undefined> {
  return db
    .selectFrom("data_source_crawls as c")
    .innerJoin("data_sources as d", "d.id", "c.data_source_id")
    .select([
      "c.data_source_id",
      "c.sub_organization_id",
      "c.run",
      "c.start_url",
      "c.max_depth",
      "c.max_pages",
      "c.last_updated_by",
    ])
    .where("c.data_source_id", "=", data_source_id)
    .where("c.status", "=", "running")
    .where("d.deleted_at", "is", null)
    .executeTakeFirst();
}

/** Index: data_source_crawl_pages_waiting. */
export async function nextPage(db: Db, { data_source_id, run }: CrawlRun): Promise<WaitingPage | undefined> {
  return db
    .selectFrom("data_source_crawl_pages")
    .select(["url", "depth", "etag", "last_modified", "content_hash", "document_id", "links"])
    .where("data_source_id", "=", data_source_id)
    .where("run", "=", run)
    .where("status", "=", "waiting")
    .orderBy("depth")
    .orderBy("url")
    .limit(1)
    .executeTakeFirst();
}

/** Pages of this run that were asked for. */
export async function countFetched(db: Db, { data_source_id, run }: CrawlRun): Promise<number> {
  const { n } = await db
    .selectFrom("data_source_crawl_pages")
    .select(sql<number>`count(*)::integer`.as("n"))
    .where("data_source_id", "=", data_source_id)
    .where("run", "=", run)
    .where("status", "<>", "waiting")
    .executeTakeFirstOrThrow();
  return n;
}

/**
 * Whether the run still goes on and this page of it still waits; its rows are locked until the transaction ends. Two jobs of
 * one run, as after a process that seemed dead, store no page twice.
 */
export async function holdPage(
  tx: Tx,
  { data_source_id, run }: CrawlRun,
  url: string,
  at: Date,
): Promise<boolean> {
  const held = await tx
    .updateTable("data_source_crawls")
    .set({ active_at: at.toISOString() })
    .where("data_source_id", "=", data_source_id)
    .where("run", "=", run)
    .where("status", "=", "running")
    .returning("run")
    .executeTakeFirst();
  if (!held) return false;
  const page = await tx
    .selectFrom("data_source_crawl_pages")
    .select("url")
    .where("data_source_id", "=", data_source_id)
    .where("url", "=", url)
    .where("run", "=", run)
    .where("status", "=", "waiting")
    .forUpdate()
    .executeTakeFirst();
  return page !== undefined;
}

/** Pages that were found on another, unless this run knows them. */
export async function addPages(
  tx: Tx,
  { data_source_id, run }: Pick<CrawlRun, "data_source_id" | "run">,
  { urls, depth }: { urls: readonly string[]; depth: number },
): Promise<void> {
  if (urls.length === 0) return;
  await sql`
    insert into data_source_crawl_pages as known (data_source_id, url, run, depth, status)
    select ${data_source_id}, url, ${run}, ${depth}, 'waiting' from unnest(${[...urls]}::text[]) as found (url)
    where (select count(*) from data_source_crawl_pages where data_source_id = ${data_source_id} and run = ${run})
      < ${MOST_KNOWN}::integer
    on conflict (data_source_id, url) do update
    set run = excluded.run, depth = excluded.depth, status = 'waiting', problem = null
    where known.run < excluded.run`.execute(tx);
}

/** What came of one page. */
export type PageOutcome = {
  status: "read" | "unchanged" | "skipped" | "failed";
  problem: string | null;
  /** Left out: as it was. */
  document_id?: number | null;
  known?: KnownPage;
  links?: string[];
};

export async function settlePage(
  tx: Tx,
  run: CrawlRun,
  url: string,
  outcome: PageOutcome,
  at: Date,
): Promise<void> {
  const { status, problem, document_id, known, links } = outcome;
  await tx
    .updateTable("data_source_crawl_pages")
    .set({
      status,
      problem,
      read_at: at.toISOString(),
      ...(document_id !== undefined && { document_id }),
      ...known,
      ...(links && { links }),
    })
    .where("data_source_id", "=", run.data_source_id)
    .where("url", "=", url)
    .execute();
}

/** Another page that this run has kept with the same title and words: a site has its pages under several addresses. */
export async function pageOfSameWords(
  tx: Tx,
  { data_source_id, run }: CrawlRun,
  { url, title, text }: { url: string; title: string | null; text: string },
): Promise<string | null> {
  const twin = await tx
    .selectFrom("data_source_documents as o")
    .innerJoin("data_source_crawl_pages as p", "p.document_id", "o.id")
    .select("o.name")
    .where("o.data_source_id", "=", data_source_id)
    .where("o.text", "=", text)
    .where("o.title", "is not distinct from", title)
    .where("p.run", "=", run)
    .where("p.url", "<>", url)
    .where("p.status", "in", ["read", "unchanged"])
    .limit(1)
    .executeTakeFirst();
  return twin?.name ?? null;
}

/**
 * What is wrong with the start page of a run that read no page at all; null where it read one. Such a run says nothing of
 * the pages that were read before.
 */
export async function nothingRead(
  tx: Tx,
  { data_source_id, run, start_url }: CrawlRun,
): Promise<string | null> {
  const pages = tx
    .selectFrom("data_source_crawl_pages")
    .where("data_source_id", "=", data_source_id)
    .where("run", "=", run);
  const read = await pages
    .select("url")
    .where("status", "in", ["read", "unchanged"])
    .limit(1)
    .executeTakeFirst();
  if (read) return null;
  const start = await pages.select("problem").where("url", "=", start_url).executeTakeFirst();
  return start?.problem ?? null;
}

/**
 * Ends a run: what waits beyond the limit of pages is forgotten, and so are pages that no link leads to any more, with their
 * documents. Where a page could not be reached, what it led to may still be there, and stays. Lock: the source's row first.
 */
export async function finishRun(tx: Tx, { data_source_id, run }: CrawlRun, at: Date): Promise<void> {
  const ended = await tx
    .updateTable("data_source_crawls")
    .set({
      status: "finished",
      finished_at: at.toISOString(),
      next_run_at: sql<string>`${at.toISOString()}::timestamptz + make_interval(hours => every_hours)`,
    })
    .where("data_source_id", "=", data_source_id)
    .where("run", "=", run)
    .where("status", "=", "running")
    .returning("run")
    .executeTakeFirst();
  if (!ended) return;
  const failed = await tx
    .selectFrom("data_source_crawl_pages")
    .select("url")
    .where("data_source_id", "=", data_source_id)
    .where("run", "=", run)
    .where("status", "=", "failed")
    .limit(1)
    .executeTakeFirst();
  const gone = await tx
    .deleteFrom("data_source_crawl_pages")
    .where("data_source_id", "=", data_source_id)
    .where(sql<boolean>`(run = ${run} and status = 'waiting' or run < ${run} and ${!failed}::boolean)`)
    .returning("document_id")
    .execute();
  await removeDocuments(
    tx,
    data_source_id,
    gone.flatMap(({ document_id }) => document_id ?? []),
  );
}

/** Ends a run that can't go on. It comes again when the schedule says so. */
export async function failRun(
  tx: Tx,
  { data_source_id, run }: CrawlRun,
  problem: string,
  at: Date,
): Promise<void> {
  await tx
    .updateTable("data_source_crawls")
    .set({
      status: "failed",
      problem,
      finished_at: at.toISOString(),
      next_run_at: sql<string>`${at.toISOString()}::timestamptz + make_interval(hours => every_hours)`,
    })
    .where("data_source_id", "=", data_source_id)
    .where("run", "=", run)
    .where("status", "=", "running")
    .execute();
}

/** With the pages that were read. Under the source's lock. */
export async function dropCrawl(tx: Tx, data_source_id: number): Promise<void> {
  const pages = await tx
    .selectFrom("data_source_documents")
    .select("id")
    .where("data_source_id", "=", data_source_id)
    .where("kind", "=", "page")
    .execute();
  await tx.deleteFrom("data_source_crawls").where("data_source_id", "=", data_source_id).execute();
  await removeDocuments(
    tx,
    data_source_id,
    pages.map(({ id }) => id),
  );
}
