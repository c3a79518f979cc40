import { Readable } from "node:stream";
import { sql } from "kysely";
import { z } from "zod";
import type { Caller } from "../api/caller.ts";
import { type ListQuery, listPage } from "../api/list.ts";
import type { Api } from "../api/server.ts";
import { csvHead, csvLine } from "../base/csv.ts";
import type { Db } from "../db/database.ts";
import { type FoundSession, FoundSession as FoundSessionSchema, readSearch, searchQuery } from "./search.ts";

/** Held in memory at once. */
const PAGE_ROWS = 500;
/** More is a matter for an export of everything. */
const MOST_ROWS = 100_000;

const CSV_COLUMNS = [
  "session_id",
  "timestamp",
  "ended_at",
  "end_reason",
  "duration",
  "channel",
  "is_outbound",
  "is_test",
  "source",
  "target",
  "title",
  "agent_id",
  "agent_name",
  "agent_version",
  "prompt_name",
  "prompt_version_number",
  "label",
  "has_error",
  "tools",
  "failed_tools",
  "cost_usd",
  "conversation_id",
  "channel_manager_service",
  "channel_manager_sid",
] as const satisfies (keyof FoundSession)[];

const exportQuery = () => searchQuery().safeExtend({ format: z.enum(["csv", "json"]).default("csv") });

export function exportFoundRoutes(api: Api, { db }: { db: Db }): void {
  api.get(
    "/api/v1/sessions/search/export",
    {
      summary: "Export the sessions of a search",
      description:
        "The whole of what GET /api/v1/sessions/search finds, newest first, as CSV or as a JSON array; up to 100,000 sessions. `session_id` can be searched as a comma-separated list by `session_id_list`. `page`, `limit` and `order_by` don't count.",
      tag: "sessions",
      permission: "sessions_read",
      also_permission: "insights_read",
      opens: { resource: "sessions", by: "session_id" },
      query: exportQuery(),
      produces: ["text/csv", "application/json"],
      response: z.array(FoundSessionSchema),
    },
    async ({ caller, query, reply }) => {
      const { format, ...asked } = query;
      const pages = pagesOf(db, caller, asked);
      // A search that can't be answered is refused before the file begins.
      const first = await pages.next();
      const all = startingWith(first.done ? [] : first.value, pages);
      return reply
        .type(format === "csv" ? "text/csv; charset=utf-8" : "application/json; charset=utf-8")
        .header("content-disposition", `attachment; filename="sessions.${format}"`)
        .send(Readable.from(format === "csv" ? csvTable(all) : jsonArray(all), { objectMode: false }));
    },
  );
}

async function* startingWith<T>(first: T[], rest: AsyncIterable<T[]>): AsyncGenerator<T[]> {
  yield first;
  yield* rest;
}

/** Each page begins below the last row of the one before, so that sessions that start meanwhile shift nothing. */
async function* pagesOf(db: Db, caller: Caller, query: ListQuery): AsyncGenerator<FoundSession[]> {
  const { rows, rules } = await readSearch(db, caller, query as never);
  // A file waits for as long as it takes, so nothing is bounded to the first 20,000 records.
  const fields = Object.fromEntries(
    Object.entries(rules.fields).map(([name, { match, order }]) => [name, { match, order }]),
  );
  let within = rows;
  for (let left = MOST_ROWS; left > 0; ) {
    const limit = Math.min(PAGE_ROWS, left);
    const part = { ...query, page: 0, limit, order_by: null, order_by_direction: null, fields: [] };
    const { items } = await listPage(db, within, part, { ...rules, fields, countUpTo: 0 });
    yield items as FoundSession[];
    const last = items.at(-1);
    if (!last || items.length < limit) return;
    left -= items.length;
    within = rows.where(
      sql<boolean>`(s.timestamp, s.id) < (${last.timestamp}::timestamptz, ${last.session_id}::bigint)`,
    );
  }
}

async function* csvTable(pages: AsyncIterable<FoundSession[]>): AsyncGenerator<string> {
  yield csvHead(CSV_COLUMNS);
  for await (const page of pages)
    yield page
      .map((row) =>
        csvLine(
          CSV_COLUMNS.map((column) => {
            const value = row[column];
            return Array.isArray(value) ? value.join(" ") : value;
          }),
        ),
      )
      .join("");
}

async function* jsonArray(pages: AsyncIterable<FoundSession[]>): AsyncGenerator<string> {
  let before = "[";
  for await (const page of pages) {
    if (page.length === 0) continue;
    yield before + JSON.stringify(page).slice(1, -1);
    before = ",";
  }
  yield before === "[" ? "[]" : "]";
}
