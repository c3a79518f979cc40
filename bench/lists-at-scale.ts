import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { sql } from "kysely";
import { z } from "zod";
import { type AnalysisParents, analysisParents, fillAnalysis } from "./analysis-rows.ts";
import { fillBatch, fillLists } from "./lists-rows.ts";
import { machine, markdownTable, median, ms, print, quantile, startPlatform } from "./platform.ts";

/**
 * Every list operation, as the API's own description names them: its first page, each search with what the newest record
 * has, with what one record has and with what none has, each order both ways, and pages far in, over 10,000 rows and over
 * many. One request after the other over real HTTP. Prints what takes longer than the bound, and the slowest of each list.
 * Run: node bench/lists-at-scale.ts [--rows 1000000] [--only /api/v1/sessions/] [--all]
 */
const { values: options } = parseArgs({
  options: {
    rows: { type: "string", default: "1000000" },
    only: { type: "string" },
    all: { type: "boolean", default: false },
  },
});
const SMALL = 10_000;
const SIZES = [SMALL, Number(options.rows)];
const BOUND_ms = 100;
const TIMES = 5;

const Parameter = z.object({
  name: z.string(),
  in: z.string(),
  schema: z.unknown(),
});
/** Parameters that operations share are named once, apart from them. */
const Reference = z.object({ $ref: z.string() });
const OpenApi = z.object({
  paths: z.record(
    z.string(),
    z.object({
      get: z.object({ parameters: z.array(z.union([Reference, Parameter])).optional() }).optional(),
    }),
  ),
  components: z.object({ parameters: z.record(z.string(), Parameter) }),
});

type List = { path: string; search: string[]; order: string[] };
type Case = { path: string; name: string; query: string };
type Measured = Case & { p50: number; p95: number; status: number };

const platform = await startPlatform();
const { api, database, token, caller } = platform;
const url = await api.server.listen({ host: "127.0.0.1", port: 0 });

/** The names in an `enum`, however deep it stands in the parameter's schema. */
function names(schema: unknown): string[] {
  if (typeof schema !== "object" || schema === null) return [];
  if ("enum" in schema && Array.isArray(schema.enum)) return schema.enum.filter((name) => name !== null);
  return Object.values(schema).flatMap(names);
}

/** The lists below a record that this bench fills. */
const inParents = (path: string, { folder_id }: AnalysisParents) =>
  path.replace("{folder_id}", String(folder_id));

function lists(parents: AnalysisParents): List[] {
  const { paths, components } = OpenApi.parse(
    JSON.parse(readFileSync(`${import.meta.dirname}/../openapi.json`, "utf8")),
  );
  return Object.entries(paths).flatMap(([template, { get }]) => {
    const path = inParents(template, parents);
    const parameters = get?.parameters?.flatMap((one) =>
      "$ref" in one ? (components.parameters[one.$ref.split("/").at(-1) ?? ""] ?? []) : one,
    );
    const of = (name: string) => names(parameters?.find((one) => one.name === name)?.schema);
    const isList = parameters?.some(({ name }) => name === "search_fields") && !template.endsWith("/export");
    if (!isList || path.includes("{") || (options.only && !options.only.split(",").includes(path))) return [];
    return [{ path, search: of("search_fields"), order: of("order_by") }];
  });
}

async function ask(path: string, query: string) {
  const began = performance.now();
  const response = await fetch(`${url}${path}?${query}`, { headers: { "service-api-key": token } });
  const body = await response.text();
  return { took: performance.now() - began, status: response.status, body };
}

/** What a value of each kind may be; those that the field refuses are left out. */
const NEEDLES = {
  one: ["a needle here"],
  none: ["zzqx-nobody", "987654321", "1999-01-01"],
  both: ["true", "false"],
};

async function cases(list: List, rows: number): Promise<Case[]> {
  const { path } = list;
  const { items } = JSON.parse((await ask(path, "")).body) as { items: Record<string, unknown>[] };
  const [newest] = items;
  const found: Case[] = [{ path, name: "newest", query: "" }];
  // What this bench fills no table of says nothing of many rows.
  if (items.length < 25) return found;
  for (const field of list.search) {
    const value = newest?.[field];
    const tries: [string, string][] = [
      ["as the newest", typeof value === "object" ? JSON.stringify(value).slice(1, 12) : String(value)],
      ...NEEDLES.one.map((text): [string, string] => ["one", text]),
      ...NEEDLES.none.map((text): [string, string] => ["none", text]),
      ...NEEDLES.both.map((text): [string, string] => [text, text]),
    ];
    const isAnswered = new Set<string>();
    for (const [kind, text] of tries) {
      if (value == null && kind === "as the newest") continue;
      if (isAnswered.has(kind) || (kind === text && isAnswered.size > 0)) continue;
      const query = `search_fields=${field}&search_field_values=${encodeURIComponent(text)}`;
      const { status, body } = await ask(path, `${query}&limit=0`);
      if (status === 422 && !body.includes("narrow")) continue;
      isAnswered.add(kind);
      found.push({ path, name: `${field}: ${kind}`, query });
    }
  }
  for (const field of list.order)
    for (const way of ["asc", "desc"])
      found.push({ path, name: `by ${field} ${way}`, query: `order_by=${field}&order_by_direction=${way}` });
  for (const [name, page] of [
    ["page 300", 300],
    ["page in the middle", Math.floor(rows / 50)],
    ["last page", Math.floor(rows / 25) - 1],
  ])
    found.push({ path, name: String(name), query: `page=${page}` });
  return found;
}

async function measure(one: Case): Promise<Measured> {
  const took: number[] = [];
  let status = 0;
  // The first one warms the pages; what is this slow need not be asked often.
  for (let n = 0; n <= TIMES && !(n > 2 && (took[0] ?? 0) > 1_000); n++) {
    const answer = await ask(one.path, one.query);
    status = answer.status;
    if (n > 0) took.push(answer.took);
  }
  return { ...one, status, p50: median(took), p95: quantile(took, 0.95) };
}

/** Results of a batch are no list of the one mechanism, but as long. */
const ofBatch = (batch_id: string, rows: number): Case[] => {
  const path = `/api/v1/outbound/batches/${batch_id}/results`;
  const name = (text: string, query: string): Case => ({ path, name: text, query });
  return [
    name("first page", "limit=25"),
    name("reference_id: one", `limit=25&reference_id=r${Math.floor(rows / 2)}`),
    name("reference_id: none", "limit=25&reference_id=nobody"),
    name("status: many", "limit=25&status=COMPLETED"),
    name("status: none", "limit=25&status=INVALID"),
    name("insights_status: none", "limit=25&insights_status=failed"),
    name("last page", `limit=25&page=${Math.floor(rows / 25) - 1}`),
  ];
};

const measured = new Map<string, Measured[]>();
const parents = await analysisParents(database.db, caller.sub_organization_id);
let from = 0;
for (const rows of SIZES) {
  const began = performance.now();
  const fill = {
    sub_organization_id: caller.sub_organization_id,
    from,
    to: rows,
    middle: SMALL / 2,
  };
  await fillLists(database.db, fill);
  await fillAnalysis(database.db, fill, parents);
  const batch_id = await fillBatch(database.db, fill);
  // What autovacuum does in life, some minutes after.
  await sql`vacuum analyze`.execute(database.db);
  print(
    `${rows.toLocaleString("en")} rows of each table in ${((performance.now() - began) / 1000).toFixed(0)} s`,
  );
  from = rows;
  const all = (await Promise.all(lists(parents).map((list) => cases(list, rows)))).flat();
  if (!options.only) all.push(...ofBatch(batch_id, rows));
  print(`${all.length} requests`);
  for (const one of all) {
    const key = `${one.path} ${one.name}`;
    measured.set(key, [...(measured.get(key) ?? []), await measure(one)]);
  }
}

const rows = [...measured.values()].flatMap(([small, large]) => (small && large ? [{ small, large }] : []));
const shown = rows
  .filter(({ large }) => options.all || large.p95 > BOUND_ms)
  .toSorted((a, b) => b.large.p95 - a.large.p95)
  .map(({ small, large }) => [
    large.path.replace("/api/v1", "").replace(/[0-9a-f-]{36}/, "{batch_id}"),
    large.name,
    large.status === 200 ? "" : large.status,
    ms(small.p95),
    ms(large.p50),
    ms(large.p95),
    (large.p95 / small.p95).toFixed(1),
  ]);
const refused = rows.filter(({ large }) => large.status !== 200);
print(`\n${machine()}; ${TIMES} requests each, one after the other\n`);
print(
  `${rows.length} requests; ${shown.length} shown (p95 above ${BOUND_ms} ms${options.all ? ", and all others" : ""}); ${refused.length} answered with a bound: ${refused.map(({ large }) => `${large.path} ${large.name} (${large.status})`).join(", ")}\n`,
);
print(
  markdownTable(["list", "asked for", "status", "p95 at 10,000", "p50", "p95", "p95 / at 10,000"], shown),
);
await platform.stop();
