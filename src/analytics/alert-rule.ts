import { isDeepStrictEqual } from "node:util";
import { sql } from "kysely";
import { z } from "zod";
import { type Caller, requirePermission } from "../api/caller.ts";
import * as list from "../api/list.ts";
import { addResource } from "../api/resource.ts";
import { integer, name, recordId, timestamp } from "../api/schema.ts";
import type { Api } from "../api/server.ts";
import type { Clock } from "../base/clock.ts";
import { Fault, invalid } from "../base/errors.ts";
import { type Db, json, type Tx } from "../db/database.ts";
import { ALERT_CONDITIONS, neverFires } from "./alert-judge.ts";
import { checkFilters, type FilterField, requireFilters } from "./fact-filters.ts";
import { FigureMetric, ruleOf } from "./metric.ts";
import { searchedFields } from "./tile.ts";

/** Each is checked every minute. */
const MOST_RULES = 100;
const MOST_NOTIFIED = 20;
const WEEK_MINUTES = 7 * 24 * 60;

export const alertDefinition = {
  metric: FigureMetric,
  ...searchedFields(),
  window_minutes: integer({ min: 5, max: WEEK_MINUTES })
    .default(60)
    .describe("Sessions that ended in the last minutes are counted."),
  condition: z
    .enum(ALERT_CONDITIONS)
    .describe("`rises_by` and `falls_by` compare with the window before, as a share: 0.5 is by half."),
  threshold: z.number().min(0).max(1_000_000_000).describe("Shares are from 0 to 1: 0.05 is 5 %."),
  least_sessions: integer({ min: 0, max: 1_000_000 })
    .default(20)
    .describe(
      "With fewer sessions nothing can be told: the rule does not begin to fire, and one that fires goes on. `rises_by` and `falls_by` need them in both windows; of `sessions`, `people_tried` and `cost` in one of them.",
    ),
};

const AlertRuleCreate = z
  .object({
    name: name(),
    is_active: z.boolean().default(true),
    ...alertDefinition,
    remind_hours: integer({ min: 1, max: 168 })
      .nullish()
      .describe("How often people are reminded while it fires; null: only when it begins and ends."),
    notified_users: z.array(recordId()).max(MOST_NOTIFIED).default([]).describe("Who gets a mail."),
    uses_webhooks: z
      .boolean()
      .default(true)
      .describe("Whether the organization's webhooks for `alert` are told."),
  })
  .meta({ id: "AlertRuleCreate" });
const AlertRuleUpdate = AlertRuleCreate.safeExtend({ id: recordId() }).meta({ id: "AlertRuleUpdate" });
type AlertInput = z.infer<typeof AlertRuleCreate>;

const AlertRule = z
  .object({
    id: z.int(),
    name: z.string(),
    is_active: z.boolean(),
    metric: FigureMetric,
    search_fields: z.array(z.string()),
    search_field_values: z.array(z.string()),
    window_minutes: z.int(),
    condition: z.enum(ALERT_CONDITIONS),
    threshold: z.number(),
    least_sessions: z.int(),
    remind_hours: z.int().nullable(),
    notified_users: z.array(z.int()),
    uses_webhooks: z.boolean(),
    state: z.enum(["ok", "firing"]).nullable().describe("null: not checked yet, or not active."),
    state_since: timestamp().nullable(),
    last_value: z.number().nullable().describe("Needs the permissions of a tile."),
    last_sessions: z.int().nullable(),
    checked_at: timestamp().nullable(),
    problem: z.string().nullable().describe("Why the last check found no figure."),
    last_updated: timestamp(),
    last_updated_by: z.string(),
  })
  .meta({ id: "AlertRule" });
export type AlertRule = Omit<z.infer<typeof AlertRule>, "search_fields"> & { search_fields: FilterField[] };

const ruleList = {
  fields: {
    id: list.integer("r.id"),
    name: list.text("r.name"),
    is_active: list.boolean("r.is_active"),
    state: list.exact("r.state"),
    state_since: list.time("r.state_since"),
    last_updated: list.time("r.last_updated"),
  },
  time: "r.last_updated",
  order: [
    { column: "r.name", direction: "asc" },
    { column: "r.id", direction: "asc" },
  ],
} satisfies list.ListRules;

const COLUMNS = [
  ...(["r.id", "r.name", "r.is_active", "r.metric", "r.search_fields", "r.search_field_values"] as const),
  ...(["r.window_minutes", "r.condition", "r.threshold", "r.least_sessions", "r.remind_hours"] as const),
  ...(["r.notified_users", "r.uses_webhooks", "r.state", "r.state_since", "r.last_value"] as const),
  ...(["r.last_sessions", "r.checked_at", "r.problem", "r.last_updated", "r.last_updated_by"] as const),
];

const selectRules = (db: Db, caller: Caller) =>
  db
    .selectFrom("alert_rules as r")
    .where("r.sub_organization_id", "=", caller.sub_organization_id)
    .select(COLUMNS)
    .$castTo<AlertRule>();

type AlertDefinition = Pick<AlertInput, keyof typeof alertDefinition>;

type Watched = Pick<AlertDefinition, "metric" | "search_fields" | "search_field_values">;

function requireWatched(caller: Caller, { metric, ...searched }: Watched): void {
  requireFilters(caller, searched);
  if (metric.insight) requirePermission(caller, "insights_read");
  if (ruleOf(metric.name).of === "people") requirePermission(caller, "outbound_read");
}

/** Whether somebody may see the figures of a rule: a token that reads alerts may not read insights. */
export function mayWatch(caller: Caller, watched: Watched): boolean {
  try {
    requireWatched(caller, watched);
    return true;
  } catch (error) {
    if (error instanceof Fault && error.kind === "forbidden") return false;
    throw error;
  }
}

const shownTo =
  (caller: Caller) =>
  (rule: AlertRule): AlertRule =>
    mayWatch(caller, rule) ? rule : { ...rule, last_value: null, last_sessions: null };

/** Throws where a rule can't be checked, could never fire, or looks at what the caller may not see. */
export function checkDefinition(
  caller: Caller,
  { metric, search_fields, search_field_values, ...limit }: AlertDefinition,
): void {
  if (search_fields.length !== search_field_values.length)
    throw invalid(["body", "search_field_values"], "Give one value for each of the search_fields");
  requireWatched(caller, { metric, search_fields, search_field_values });
  checkFilters(metric, { search_fields, search_field_values }, ["body"]);
  const { unit, kind } = ruleOf(metric.name);
  const figure = { unit, isCountOfAll: kind === "count", canBeNegative: metric.name === "insight_mean" };
  const never = neverFires(limit, figure);
  if (never) throw invalid(["body", never.field], never.why);
}

const UNCHECKED = { state: null, state_since: null, notified_at: null };
/** The last figure was of something else. */
const WATCHES_ANEW = { ...UNCHECKED, last_value: null, last_sessions: null, problem: null };

/** Which sessions, and what of them. That others were beyond a limit says nothing of these. */
const watchedBy = ({ metric, search_fields, search_field_values }: Watched) => [
  ...[metric.name, metric.insight ?? null, metric.value ?? null],
  ...[search_fields, search_field_values],
];

export function alertRuleRoutes(api: Api, { db, clock }: { db: Db; clock: Clock }): void {
  async function values(tx: Tx, caller: Caller, input: AlertInput) {
    checkDefinition(caller, input);
    const { metric, remind_hours, notified_users, ...rest } = input;
    const people = [...new Set(notified_users)];
    const known = await tx
      .selectFrom("users")
      .select("id")
      .where("sub_organization_id", "=", caller.sub_organization_id)
      .where("deleted_at", "is", null)
      .where(sql<boolean>`id = any(${people}::bigint[])`)
      .execute();
    const stranger = people.find((id) => !known.some((user) => user.id === id));
    if (stranger !== undefined)
      throw invalid(["body", "notified_users"], `There is no user ${stranger} in this organization`);
    return {
      ...rest,
      metric: json(metric),
      remind_hours: remind_hours ?? null,
      notified_users: json(people),
      ...(input.is_active ? {} : UNCHECKED),
      last_updated: clock.now().toISOString(),
      last_updated_by: caller.email,
    };
  }

  addResource<AlertRule, AlertInput, z.infer<typeof AlertRuleUpdate>>(api, db, {
    path: "/api/v1/alerts",
    noun: "Alert rule",
    id_name: "alert_rule_id",
    tag: "alerts",
    permission: "alerts",
    record: AlertRule,
    create: AlertRuleCreate,
    update: AlertRuleUpdate,
    list: ruleList,
    // Who reads the trail need not be somebody who may see the figures.
    audited: ({ state, state_since, last_value, last_sessions, checked_at, problem, ...rule }) => rule,
    store: {
      async page(caller, query) {
        const page = await list.listPage(db, selectRules(db, caller), query, ruleList);
        return { ...page, items: page.items.map(shownTo(caller)) };
      },
      async find(from, caller, id) {
        const found = await selectRules(from, caller).where("r.id", "=", id).executeTakeFirst();
        return found && shownTo(caller)(found);
      },
      async insert(tx, caller, input) {
        const { sub_organization_id } = caller;
        const { count } = await tx
          .selectFrom("alert_rules")
          .where("sub_organization_id", "=", sub_organization_id)
          .select(sql<number>`count(*)`.as("count"))
          .executeTakeFirstOrThrow();
        if (count >= MOST_RULES)
          throw invalid(["body"], `An organization has ${MOST_RULES} alert rules at most. Delete one first.`);
        const { id } = await tx
          .insertInto("alert_rules")
          .values({ ...(await values(tx, caller, input)), sub_organization_id })
          .returning("id")
          .executeTakeFirstOrThrow();
        return id;
      },
      async replace(tx, caller, { id, ...input }) {
        const before = await selectRules(tx, caller).where("r.id", "=", id).executeTakeFirst();
        const asksAnew = before === undefined || !isDeepStrictEqual(watchedBy(before), watchedBy(input));
        await tx
          .updateTable("alert_rules")
          .set({ ...(asksAnew ? WATCHES_ANEW : {}), ...(await values(tx, caller, input)) })
          .where("id", "=", id)
          .where("sub_organization_id", "=", caller.sub_organization_id)
          .execute();
      },
      async remove(tx, caller, id) {
        await tx
          .deleteFrom("alert_rules")
          .where("id", "=", id)
          .where("sub_organization_id", "=", caller.sub_organization_id)
          .execute();
      },
    },
  });
}
