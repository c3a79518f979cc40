import { sql } from "kysely";
import { z } from "zod";
import type { Caller } from "../api/caller.ts";
import * as list from "../api/list.ts";
import { timestamp } from "../api/schema.ts";
import type { Api } from "../api/server.ts";
import type { Clock } from "../base/clock.ts";
import type { Db } from "../db/database.ts";
import type { KeptSince } from "../sessions/kept-since.ts";
import { windowFigures } from "./alert-figure.ts";
import { changeAfter, isBeyond, stateAfter } from "./alert-judge.ts";
import { alertDefinition, checkDefinition, mayWatch } from "./alert-rule.ts";
import { comparisonProblem } from "./kept-since.ts";

const AlertChangeResponse = z
  .object({
    id: z.int(),
    alert_rule_id: z.int(),
    name: z.string(),
    at: timestamp(),
    state: z.enum(["firing", "reminded", "resolved"]),
    value: z.number().nullable(),
    sessions: z.int().nullable(),
    description: z.string().nullable(),
  })
  .meta({ id: "AlertChange" });
type AlertChangeResponse = z.infer<typeof AlertChangeResponse>;

const ofRule = (value: string) =>
  sql<boolean>`c.alert_rule_id in (
    select named.id from alert_rules named
    where named.sub_organization_id = c.sub_organization_id and named.name ilike ${list.containing(value)})`;

const changeList = {
  fields: {
    id: list.integer("c.id"),
    alert_rule_id: list.integer("c.alert_rule_id"),
    name: list.custom(ofRule, sql`r.name`),
    at: list.time("c.at"),
    state: list.read(list.exact("c.state")),
  },
  time: "c.at",
  order: [
    { column: "c.at", direction: "desc" },
    { column: "c.id", direction: "desc" },
  ],
  countUpTo: 10_000,
  isLong: true,
} satisfies list.ListRules;

/** Indexes: alert_changes_listed, alert_changes_rule. */
const selectChanges = (db: Db, caller: Caller) =>
  db
    .selectFrom("alert_changes as c")
    .innerJoin("alert_rules as r", "r.id", "c.alert_rule_id")
    .where("c.sub_organization_id", "=", caller.sub_organization_id)
    .select([
      "c.id",
      "c.alert_rule_id",
      "r.name",
      "c.at",
      "c.state",
      "c.value",
      "c.sessions",
      "c.description",
      sql`coalesce(c.metric, r.metric)`.as("metric"),
      sql`coalesce(c.search_fields, r.search_fields)`.as("search_fields"),
      sql`coalesce(c.search_field_values, r.search_field_values)`.as("search_field_values"),
    ])
    .$castTo<AlertChangeResponse & Parameters<typeof mayWatch>[1]>();

const AlertPreview = z
  .object({
    start_datetime: timestamp(),
    end_datetime: timestamp(),
    windows: z.int().describe("How many windows were looked at, one after the other."),
    fired: z
      .array(z.object({ at: timestamp(), value: z.number().nullable(), sessions: z.int() }))
      .describe("When it would have begun to fire."),
    last: z.object({ value: z.number().nullable(), sessions: z.int() }).describe("Of the last window."),
    problem: z.string().nullable(),
  })
  .meta({ id: "AlertPreview" });
type AlertPreview = z.infer<typeof AlertPreview>;

const PREVIEW_MINUTES = 7 * 24 * 60;

type Deps = { db: Db; clock: Clock; keptSince: KeptSince };

export function alertHistoryRoutes(api: Api, deps: Deps): void {
  const { db, clock } = deps;
  const tag = "alerts";

  api.get(
    "/api/v1/alerts/changes",
    {
      summary: "List when alerts fired and resolved",
      description: `Newest first. ${list.LONG}`,
      tag,
      permission: "alerts_read",
      query: list.listQuery(changeList),
      response: list.listOf(AlertChangeResponse),
    },
    async ({ caller, query }) => {
      const page = await list.listPage(db, selectChanges(db, caller), query, changeList);
      const items = page.items.map(({ metric, search_fields, search_field_values, ...change }) =>
        mayWatch(caller, { metric, search_fields, search_field_values })
          ? change
          : { ...change, value: null, sessions: null, description: null },
      );
      return list.onlyFields({ ...page, items }, query.fields, AlertChangeResponse);
    },
  );

  api.post(
    "/api/v1/alerts/preview",
    {
      summary: "Preview an alert rule",
      description:
        "When it would have begun to fire in the last seven days, by windows one after the other; a check each minute may find more. Changes nothing.",
      tag,
      permission: "alerts_read",
      response: AlertPreview,
      body: z.object(alertDefinition).meta({ id: "AlertPreviewRequest" }),
    },
    async ({ caller, body }): Promise<AlertPreview> => {
      checkDefinition(caller, body);
      const now = clock.now();
      const windows = Math.floor(PREVIEW_MINUTES / body.window_minutes) + 1;
      const watched = { ...body, tenant: caller.sub_organization_id };
      const notKept = await comparisonProblem(deps, watched);
      const { figures, problem } = notKept
        ? { figures: null, problem: notKept }
        : await windowFigures(db, watched, now, windows);
      const window_ms = body.window_minutes * 60_000;
      const endOf = (n: number) => new Date(now.getTime() - (windows - 1 - n) * window_ms);
      const fired: AlertPreview["fired"] = [];
      let state: "ok" | "firing" = "ok";
      // The first window is only what the second is compared with.
      for (const [n, figure] of (figures ?? []).entries()) {
        if (n === 0 && windows > 1) continue;
        const beyond = isBeyond(body, figure);
        if (changeAfter({ state, notified_at: null, remind_hours: null }, beyond, endOf(n)) === "firing")
          fired.push({ at: endOf(n).toISOString(), value: figure.value, sessions: figure.sessions });
        state = stateAfter(state, beyond);
      }
      const last = figures?.at(-1);
      return {
        start_datetime: endOf(0).toISOString(),
        end_datetime: now.toISOString(),
        windows: windows - 1,
        fired,
        last: { value: last?.value ?? null, sessions: last?.sessions ?? 0 },
        problem,
      };
    },
  );
}
