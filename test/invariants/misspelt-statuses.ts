import { patch } from "../../src/base/patch.ts";
import type { Db, Tx } from "../../src/db/database.ts";
import type { AttemptRow, RequestRow } from "../../src/dialing/settled-rows.ts";
import { publish } from "../../src/events/event.ts";

const event = { at: new Date(0), source: "job", source_id: null } as const;

/**
 * Never run: a status that is misspelt doesn't compile, wherever it is written, nor an event that docs/events.md doesn't tell. Each line below must be an error of
 * types, else `@ts-expect-error` is one itself (./parley test runs the compiler).
 */
export function misspelt(db: Db, tx: Tx, attempt: AttemptRow, request: RequestRow): unknown[] {
  return [
    // @ts-expect-error: INITIATED
    patch(request, { request_status: "INITIATEDX", due_at: null }),
    // @ts-expect-error: PENDING
    patch(attempt, { placed_at: null, channel_status: "PENDINGG" }),
    // @ts-expect-error: CLAIMED
    patch(attempt, { state: "CLAIMD" }),
    // @ts-expect-error: CANCELED
    db.updateTable("requests").set({ request_status: "CANCELLED" }),
    // @ts-expect-error: answered
    db.updateTable("calls").set({ state: "answred" }),
    // @ts-expect-error: IN-PROGRESS
    db.selectFrom("attempts").select("key").where("channel_status", "=", "IN_PROGRESS"),
    // @ts-expect-error: DELIVERED
    tx.updateTable("mail_messages").set({ channel_status: "DELIVERD" }),
    // @ts-expect-error: RECEIVED
    db.selectFrom("text_messages").select("id").where("status", "in", ["RECIEVED"]),
    // @ts-expect-error: voice
    db.selectFrom("sessions").select("id").where("channel", "=", "phone"),
    // @ts-expect-error: WAITING
    db.deleteFrom("webhook_deliveries").where("state", "=", "WATING"),
    // @ts-expect-error: PROCESSING
    db.updateTable("insight_executions").set({ status: "RUNNING" }),
    // @ts-expect-error: a field that the row doesn't have
    patch(request, { requst_status: "PENDING" }),
    // @ts-expect-error: hangup
    publish(tx, 1, [{ ...event, category: "automation", type: "hang-up", description: "" }]),
    // @ts-expect-error: conversation
    publish(tx, 1, [{ ...event, category: "automation", type: "llm-error", description: "" }]),
    publish(tx, 1, [
      // @ts-expect-error: digits
      { ...event, category: "automation", type: "dtmf-sent", description: "", attributes: { keys: "1" } },
    ]),
  ];
}
