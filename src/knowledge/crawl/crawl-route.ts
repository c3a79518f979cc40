import { sql } from "kysely";
import { z } from "zod";
import type { Caller } from "../../api/caller.ts";
import * as list from "../../api/list.ts";
import { write } from "../../api/resource.ts";
import { Deleted, integer, timestamp } from "../../api/schema.ts";
import type { Api } from "../../api/server.ts";
import type { Clock } from "../../base/clock.ts";
import { Fault, invalid } from "../../base/errors.ts";
import type { Db } from "../../db/database.ts";
import { sourceParams } from "../documents/document.ts";
import { lockSource, refuseNoSource } from "../documents/document-store.ts";
import { enqueueCrawl } from "./crawl-job.ts";
import { beginRun, dropCrawl } from "./crawl-store.ts";
import { pageAddress } from "./page-address.ts";

const CRAWL = "/api/v1/data_sources/:data_source_id/crawl";

const DataSourceCrawlUpdateRequest = z
  .object({
    start_url: z.string().min(1).max(1_000).describe("Pages of the same scheme, host and port are read."),
    max_depth: integer({ min: 0, max: 10 }).default(3).describe("Links followed from the start page."),
    max_pages: integer({ min: 1, max: 1_000 }).default(200),
    every_hours: integer({ min: 1, max: 8_760 }).nullish().describe("null: only when it is started."),
  })
  .meta({ id: "DataSourceCrawlUpdateRequest" });

const DataSourceCrawl = z
  .object({
    start_url: z.string(),
    max_depth: z.int(),
    max_pages: z.int(),
    every_hours: z.int().nullable(),
    status: z.enum(["running", "finished", "stopped", "failed"]),
    problem: z.string().nullable().describe("Why the last run failed."),
    started_at: timestamp(),
    finished_at: timestamp().nullable(),
    next_run_at: timestamp().nullable(),
    pages_waiting: z.int(),
    pages_read: z
      .int()
      .describe("Pages whose text is searched: read anew or unchanged since an earlier run."),
    pages_skipped: z.int(),
    pages_failed: z.int(),
    updated_at: timestamp(),
    last_updated_by: z.string(),
  })
  .meta({ id: "DataSourceCrawl" });
type CrawlRow = z.infer<typeof DataSourceCrawl>;

const DataSourceCrawlPage = z
  .object({
    url: z.string(),
    depth: z.int(),
    status: z.enum(["waiting", "read", "unchanged", "skipped", "failed"]),
    problem: z.string().nullable(),
    document_id: z.int().nullable(),
    read_at: timestamp().nullable(),
  })
  .meta({ id: "DataSourceCrawlPage" });
type CrawlPageRow = z.infer<typeof DataSourceCrawlPage>;

const pageList: list.ListRules = {
  fields: {
    url: list.text("p.url"),
    depth: list.integer("p.depth"),
    status: list.exact("p.status"),
    read_at: list.time("p.read_at"),
  },
  time: "p.read_at",
  order: [
    { column: "p.depth", direction: "asc" },
    { column: "p.url", direction: "asc" },
  ],
};

async function readCrawl(db: Db, caller: Caller, data_source_id: number): Promise<CrawlRow | undefined> {
  const { rows } = await sql<CrawlRow>`
    select c.start_url, c.max_depth, c.max_pages, c.every_hours, c.status, c.problem, c.started_at, c.finished_at,
      c.next_run_at, c.updated_at, c.last_updated_by, pages.*
    from data_source_crawls c cross join lateral (
      select count(*) filter (where status = 'waiting')::integer as pages_waiting,
        count(*) filter (where status in ('read', 'unchanged'))::integer as pages_read,
        count(*) filter (where status = 'skipped')::integer as pages_skipped,
        count(*) filter (where status = 'failed')::integer as pages_failed
      from data_source_crawl_pages p where p.data_source_id = c.data_source_id and p.run = c.run
    ) as pages
    where c.data_source_id = ${data_source_id} and c.sub_organization_id = ${caller.sub_organization_id}`.execute(
    db,
  );
  return rows[0];
}

async function findCrawl(db: Db, caller: Caller, data_source_id: number): Promise<CrawlRow> {
  const crawl = await readCrawl(db, caller, data_source_id);
  if (!crawl) throw new Fault("not-found", "This data source reads no web site");
  return crawl;
}

/** A web site whose pages are documents of a data source. */
export function crawlRoutes(api: Api, { db, clock }: { db: Db; clock: Clock }): void {
  const tag = "data_sources";
  const resource = "data_source_crawls";
  const changing = { tag, permission: "data_sources_write", params: sourceParams };

  api.get(
    CRAWL,
    {
      summary: "Read the web site of a data source",
      tag,
      permission: "data_sources_read",
      params: sourceParams,
      response: DataSourceCrawl,
    },
    async ({ caller, params }) => {
      await refuseNoSource(db, caller, params.data_source_id);
      return findCrawl(db, caller, params.data_source_id);
    },
  );

  api.put(
    CRAWL,
    {
      ...changing,
      summary: "Set the web site of a data source",
      description:
        "Stores it and begins to read. Pages of a site that was set before and is not read any more are removed at the end of the run. robots.txt is honoured.",
      body: DataSourceCrawlUpdateRequest,
      response: DataSourceCrawl,
    },
    ({ caller, params, body }) =>
      write(db, "Web site", async (tx) => {
        const { data_source_id } = params;
        await lockSource(tx, caller, data_source_id);
        const start_url = startOf(body.start_url);
        const now = clock.now();
        const at = now.toISOString();
        const before = await readCrawl(tx, caller, data_source_id);
        const values = {
          start_url,
          max_depth: body.max_depth,
          max_pages: body.max_pages,
          every_hours: body.every_hours ?? null,
          updated_at: at,
          last_updated_by: caller.email,
        };
        await tx
          .insertInto("data_source_crawls")
          .values({
            ...values,
            data_source_id,
            sub_organization_id: caller.sub_organization_id,
            status: "running",
            run: 0,
            started_at: at,
            active_at: at,
          })
          .onConflict((conflict) => conflict.column("data_source_id").doUpdateSet(values))
          .execute();
        await beginRun(tx, data_source_id, now);
        await enqueueCrawl(tx, data_source_id);
        const after = await findCrawl(tx, caller, data_source_id);
        const action = before ? "update" : "create";
        await api.audit(tx, caller, { action, resource, resource_id: data_source_id, before, after });
        return after;
      }),
  );

  api.post(
    `${CRAWL}/run`,
    { ...changing, summary: "Read the web site of a data source again", response: DataSourceCrawl },
    ({ caller, params }) =>
      write(db, "Web site", async (tx) => {
        const { data_source_id } = params;
        await lockSource(tx, caller, data_source_id);
        const { status } = await findCrawl(tx, caller, data_source_id);
        if (status === "running") throw new Fault("refused", "The web site is being read now.");
        await beginRun(tx, data_source_id, clock.now());
        await enqueueCrawl(tx, data_source_id);
        const after = await findCrawl(tx, caller, data_source_id);
        await api.audit(tx, caller, { action: "run", resource, resource_id: data_source_id, after });
        return after;
      }),
  );

  api.post(
    `${CRAWL}/stop`,
    {
      ...changing,
      summary: "Stop reading the web site of a data source",
      description: "What was read stays. A schedule goes on with its next run.",
      response: DataSourceCrawl,
    },
    ({ caller, params }) =>
      write(db, "Web site", async (tx) => {
        const { data_source_id } = params;
        await lockSource(tx, caller, data_source_id);
        const before = await findCrawl(tx, caller, data_source_id);
        if (before.status !== "running") throw new Fault("refused", "The web site is not being read now.");
        const at = clock.now().toISOString();
        await tx
          .updateTable("data_source_crawls")
          .set({
            status: "stopped",
            finished_at: at,
            next_run_at: sql<string>`${at}::timestamptz + make_interval(hours => every_hours)`,
          })
          .where("data_source_id", "=", data_source_id)
          .execute();
        const after = await findCrawl(tx, caller, data_source_id);
        await api.audit(tx, caller, { action: "stop", resource, resource_id: data_source_id, before, after });
        return after;
      }),
  );

  api.delete(
    CRAWL,
    {
      summary: "Remove the web site of a data source",
      description: "With the pages that were read.",
      tag,
      permission: "data_sources_delete",
      params: sourceParams,
      response: Deleted,
    },
    ({ caller, params }) =>
      write(db, "Web site", async (tx) => {
        const { data_source_id } = params;
        await lockSource(tx, caller, data_source_id);
        const before = await findCrawl(tx, caller, data_source_id);
        await dropCrawl(tx, data_source_id);
        await api.audit(tx, caller, { action: "delete", resource, resource_id: data_source_id, before });
        return { success: true as const };
      }),
  );

  api.get(
    `${CRAWL}/pages/`,
    {
      summary: "List the pages of a data source's web site",
      tag,
      permission: "data_sources_read",
      params: sourceParams,
      query: list.listQuery(pageList),
      response: list.listOf(DataSourceCrawlPage),
    },
    async ({ caller, params, query }) => {
      await refuseNoSource(db, caller, params.data_source_id);
      const rows = db
        .selectFrom("data_source_crawl_pages as p")
        .where("p.data_source_id", "=", params.data_source_id)
        .select(["p.url", "p.depth", "p.status", "p.problem", "p.document_id", "p.read_at"])
        .$castTo<CrawlPageRow>();
      const page = await list.listPage<CrawlPageRow>(db, rows, query, pageList);
      return list.onlyFields(page, query.fields, DataSourceCrawlPage);
    },
  );
}

/** The address as pages are known by theirs; "clinic.example" is meant as https. */
function startOf(given: string): string {
  const typed = given.trim();
  const url = URL.parse(/^[a-z][a-z\d+.-]*:\/\//i.test(typed) ? typed : `https://${typed}`);
  const start = url && pageAddress(url.href, url.href, url.origin);
  if (start) return start;
  throw invalid(["body", "start_url"], "Input should be the address of a web page: https://www.example.com/");
}
