import { sql } from "kysely";
import { z } from "zod";
import type { Caller } from "../api/caller.ts";
import * as list from "../api/list.ts";
import { addResource } from "../api/resource.ts";
import { integer, name, recordId, timestamp } from "../api/schema.ts";
import { refuseUnpaired } from "../api/search-pairs.ts";
import type { Api } from "../api/server.ts";
import type { Clock } from "../base/clock.ts";
import { Fault, type InputIssue, InvalidInput } from "../base/errors.ts";
import type { Db } from "../db/database.ts";
import { SEARCH_RULES, SessionSearchField } from "./search-rules.ts";

const FIELDS = Object.keys(SEARCH_RULES.fields) as [keyof typeof SEARCH_RULES.fields];
const SORTED = FIELDS.filter((field) => SEARCH_RULES.fields[field].order !== null) as typeof FIELDS;
const MOST_SEARCHES = 30;
const MOST_COLUMNS = 50;

const SessionViewCreate = z
  .object({
    name: name(),
    is_shared: z.boolean().default(false).describe("Everybody in the organization sees it."),
    search_fields: z.array(SessionSearchField).max(MOST_SEARCHES).default([]),
    search_field_values: z
      .array(z.string().max(1_000))
      .max(MOST_SEARCHES)
      .default([])
      .describe("Matched with `search_fields` by index, as in GET /api/v1/sessions/search."),
    columns: z
      .array(z.string().min(1).max(64))
      .max(MOST_COLUMNS)
      .default([])
      .describe("The console's columns; none: those it shows by itself."),
    order_by: z.enum(SORTED).nullish(),
    order_by_direction: z.enum(["asc", "desc"]).nullish(),
    last_days: integer({ min: 1, max: 3_650 })
      .nullish()
      .describe("How many days the search goes back, today included."),
  })
  .superRefine(refuseUnpaired)
  .meta({ id: "SessionViewCreate" });
const SessionViewUpdate = SessionViewCreate.safeExtend({ id: recordId() }).meta({ id: "SessionViewUpdate" });
type ViewInput = z.infer<typeof SessionViewCreate>;

const SessionView = z
  .object({
    id: z.int(),
    name: z.string(),
    is_shared: z.boolean(),
    is_own: z.boolean().describe("Whether the caller made it."),
    search_fields: z.array(z.string()),
    search_field_values: z.array(z.string()),
    columns: z.array(z.string()),
    order_by: z.string().nullish(),
    order_by_direction: z.enum(["asc", "desc"]).nullish(),
    last_days: z.int().nullish(),
    last_updated: timestamp(),
    last_updated_by: z.string(),
  })
  .meta({ id: "SessionView" });
type SessionView = z.infer<typeof SessionView>;

const viewList = {
  fields: {
    id: list.integer("v.id"),
    name: list.text("v.name"),
    is_shared: list.boolean("v.is_shared"),
    last_updated: list.time("v.last_updated"),
  },
  time: "v.last_updated",
  order: [
    { column: "v.name", direction: "asc" },
    { column: "v.id", direction: "asc" },
  ],
} satisfies list.ListRules;

/** The caller's own, and those that are shared. */
const selectViews = (db: Db, caller: Caller) =>
  db
    .selectFrom("session_views as v")
    .where("v.sub_organization_id", "=", caller.sub_organization_id)
    .where(({ or, eb }) => or([eb("v.is_shared", "=", true), eb("v.owner_id", "=", caller.user_id)]))
    .select([
      "v.id",
      "v.name",
      "v.is_shared",
      sql<boolean>`v.owner_id = ${caller.user_id}`.as("is_own"),
      "v.search_fields",
      "v.search_field_values",
      "v.columns",
      "v.order_by",
      "v.order_by_direction",
      "v.last_days",
      "v.last_updated",
      "v.last_updated_by",
    ]);

/** Words are read by PostgreSQL and not before they are searched for. */
function refuseWrongValues({ search_fields, search_field_values }: ViewInput): void {
  const problems = search_fields.flatMap((field, n): InputIssue[] => {
    if (field === "words") return [];
    const match = SEARCH_RULES.fields[field].match(search_field_values[n] ?? "");
    return "problem" in match
      ? [{ loc: ["body", "search_field_values", n], msg: match.problem, type: "value_error" }]
      : [];
  });
  if (problems.length > 0) throw new InvalidInput(problems);
}

export function sessionViewRoutes(api: Api, { db, clock }: { db: Db; clock: Clock }): void {
  const values = (caller: Caller, input: ViewInput) => {
    refuseWrongValues(input);
    const { name, is_shared, search_fields, search_field_values, columns } = input;
    return {
      name,
      is_shared,
      search_fields,
      search_field_values,
      columns,
      order_by: input.order_by ?? null,
      order_by_direction: input.order_by_direction ?? null,
      last_days: input.last_days ?? null,
      last_updated: clock.now().toISOString(),
      last_updated_by: caller.email,
    };
  };

  addResource<SessionView, ViewInput, z.infer<typeof SessionViewUpdate>>(api, db, {
    path: "/api/v1/session_views",
    noun: "Session view",
    id_name: "session_view_id",
    tag: "session_views",
    permission: { read: "sessions_read", write: "session_views_write", delete: "session_views_write" },
    record: SessionView,
    create: SessionViewCreate,
    update: SessionViewUpdate,
    list: viewList,
    store: {
      page: (caller, query) => list.listPage(db, selectViews(db, caller), query, viewList),
      find: (from, caller, id) => selectViews(from, caller).where("v.id", "=", id).executeTakeFirst(),
      async insert(tx, caller, input) {
        const { id } = await tx
          .insertInto("session_views")
          .values({
            ...values(caller, input),
            sub_organization_id: caller.sub_organization_id,
            owner_id: caller.user_id,
          })
          .returning("id")
          .executeTakeFirstOrThrow();
        return id;
      },
      async replace(tx, caller, input, before) {
        if (before.is_shared && !input.is_shared && !before.is_own)
          throw new Fault("refused", "Only the person who made this view can take it back from the others.");
        await tx
          .updateTable("session_views")
          .set(values(caller, input))
          .where("id", "=", input.id)
          .where("sub_organization_id", "=", caller.sub_organization_id)
          .execute();
      },
      async remove(tx, caller, id) {
        await tx
          .deleteFrom("session_views")
          .where("id", "=", id)
          .where("sub_organization_id", "=", caller.sub_organization_id)
          .execute();
      },
    },
  });
}
