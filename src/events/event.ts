import { type RawBuilder, sql } from "kysely";
import { z } from "zod";
import type { Caller } from "../api/caller.ts";
import * as list from "../api/list.ts";
import { timestamp } from "../api/schema.ts";
import type { Api } from "../api/server.ts";
import type { Db, Tx } from "../db/database.ts";
import type { EventOf, EventType, LoggedEvent } from "./event-types.ts";

/** Something that occurred (specification, "Event"); written once, read-only ever after. */
const Event = z
  .object({
    timestamp: timestamp(),
    session_id: z.string().nullish(),
    conversation_id: z.string().nullish(),
    source: z.string().nullish().describe("What caused it: tool-call, llm-prompt, outbound, api or job"),
    source_id: z.string().nullish().describe("ID of the tool or prompt"),
    category: z.string().nullish(),
    type: z.string().nullish(),
    user_id: z.string().nullish().describe("The person's number or address"),
    description: z.string().nullish(),
    attributes: z.record(z.string(), z.unknown()).nullish(),
  })
  .meta({ id: "Event" });
type Event = z.infer<typeof Event>;

export type NewEvent = {
  at: Date;
  source: "tool-call" | "llm-prompt" | "outbound" | "api" | "job";
  source_id: number | null;
  session_id?: number;
  conversation_id?: number;
  user_id?: string | null;
} & (EventOf<EventType> | LoggedEvent);

/** Records events in the transaction of the change they tell of. One statement of one text, however many there are. */
export async function publish(
  tx: Tx,
  sub_organization_id: number,
  events: readonly NewEvent[],
): Promise<void> {
  if (events.length > 0) await eventInsert(sub_organization_id, events).execute(tx);
}

/** The same as a part of a statement; nothing is written unless `only_if`. */
export function eventInsert(
  sub_organization_id: number,
  events: readonly NewEvent[],
  only_if: RawBuilder<boolean> = sql`true`,
): RawBuilder<unknown> {
  const column = (value: (event: NewEvent) => string | null) => events.map(value);
  return sql`
    insert into events (sub_organization_id, timestamp, session_id, conversation_id, source, source_id, category, type,
      user_id, description, attributes)
    select ${sub_organization_id}::bigint, e.* from unnest(
      ${column(({ at }) => at.toISOString())}::timestamptz[],
      ${column(({ session_id }) => text(session_id))}::text[],
      ${column(({ conversation_id }) => text(conversation_id))}::text[],
      ${column(({ source }) => source)}::text[],
      ${column(({ source_id }) => text(source_id))}::text[],
      ${column(({ category }) => category)}::text[],
      ${column(({ type }) => type)}::text[],
      ${column(({ user_id }) => user_id ?? null)}::text[],
      ${column(({ description }) => description)}::text[],
      ${column(({ attributes }) => (attributes ? JSON.stringify(attributes) : null))}::json[]
    ) as e
    where ${only_if}`;
}

const text = (id: number | null | undefined): string | null => (id == null ? null : String(id));

const eventList: list.ListRules = {
  fields: {
    timestamp: list.time("e.timestamp"),
    // Ids match whole: "7" is not a search for session 17.
    session_id: list.textId("e.session_id"),
    conversation_id: list.read(list.textId("e.conversation_id")),
    source: list.read(list.text("e.source")),
    source_id: list.read(list.textId("e.source_id")),
    category: list.read(list.text("e.category")),
    type: list.read(list.text("e.type")),
    // Index: events_person.
    user_id: list.byTrigrams(list.text("e.user_id")),
    description: list.read(list.text("e.description")),
    attributes: list.read(list.document("e.attributes")),
  },
  time: "e.timestamp",
  order: [
    { column: "e.timestamp", direction: "desc" },
    { column: "e.id", direction: "desc" },
  ],
  countUpTo: 10_000,
  isLong: true,
};

const selectEvents = (db: Db, caller: Caller) =>
  db
    .selectFrom("events as e")
    .where("e.sub_organization_id", "=", caller.sub_organization_id)
    .select([
      "e.timestamp",
      "e.session_id",
      "e.conversation_id",
      "e.source",
      "e.source_id",
      "e.category",
      "e.type",
      "e.user_id",
      "e.description",
      "e.attributes",
    ])
    .$castTo<Event>();

/** An answer that its person did not get (dialogues/outbound/undelivered.ts); the timeline of its session shows it, too. */
export const ANSWER_NOT_DELIVERED = "answer-not-delivered" satisfies EventType;

/** The newest of one type, of one session. Index: events_session. */
export const eventsOfSession = (
  db: Db,
  { sub_organization_id }: Caller,
  { session_id, type, most }: { session_id: number; type: EventType; most: number },
) =>
  db
    .selectFrom("events")
    .select(["timestamp", "description"])
    .where("sub_organization_id", "=", sub_organization_id)
    .where("session_id", "=", String(session_id))
    .where("type", "=", type)
    .orderBy("timestamp", "desc")
    .limit(most)
    .execute();

export function eventRoutes(api: Api, { db }: { db: Db }): void {
  api.get(
    "/api/v1/events/",
    {
      summary: "List events",
      description: `Newest first. ${list.LONG}`,
      tag: "events",
      permission: "events_read",
      query: list.listQuery(eventList),
      response: list.listOf(Event),
    },
    async ({ caller, query }) => {
      const page = await list.listPage(db, selectEvents(db, caller), query, eventList);
      return list.onlyFields(page, query.fields, Event);
    },
  );
}
