import { sql } from "kysely";
import { json } from "../db/database.ts";
import { publish } from "../events/event.ts";
import type { Engine } from "../sessions/engine.ts";
import type { Dial } from "./call-settings.ts";
import { type CallRow, OPENING_MS, TRANSFER_MS, until } from "./call-store.ts";
import type { Transfer } from "./voice-call.ts";
import type { TransferResult } from "./voice-calls.ts";

/*
 * Transfers a call to another number. Its event is written at the start and gets its outcome later. When nobody was reached
 * the agent goes on, and the outcome becomes the result of its transfer tool.
 */

type TransferOutcome = "success" | "voicemail" | "no-answer" | "busy" | "failed";

/** Maps the carrier's status of the leg and its answering machine detection (in Twilio's words) to an outcome. Pure. */
export function transferOutcome({ status, answered_by, duration_s }: TransferResult): TransferOutcome {
  switch (status) {
    case "completed":
    case "answered":
    case "in-progress":
      return answered_by !== null && /^(machine|fax)/.test(answered_by) ? "voicemail" : "success";
    case "busy":
      return "busy";
    case "no-answer":
    case "canceled":
      return "no-answer";
    default:
      return duration_s !== null && duration_s > 0 ? "success" : "failed";
  }
}

/** Whether the person was connected, to a person or a machine. */
const isConnected = (outcome: TransferOutcome): boolean => outcome === "success" || outcome === "voicemail";

export async function beginTransfer(
  engine: Engine,
  call: CallRow,
  dial: Dial,
  transfer: Transfer | null,
): Promise<void> {
  const now = engine.clock.now();
  await engine.db.transaction().execute(async (tx) => {
    const begun = await tx
      .updateTable("calls")
      .set({
        state: "transferring",
        transfer_number: dial.number,
        transfer_by_agent: transfer !== null,
        transfer_started_at: now.toISOString(),
        lease_owner: null,
        lease_expires_at: until(now, TRANSFER_MS),
      })
      .where("id", "=", call.id)
      .where("state", "=", "open")
      .returning("id")
      .executeTakeFirst();
    if (!begun) return;
    const session = await tx
      .selectFrom("sessions")
      .select(["conversation_id", "source", "prompt_id"])
      .where("id", "=", call.session_id)
      .executeTakeFirstOrThrow();
    await publish(tx, call.sub_organization_id, [
      {
        at: now,
        source: transfer ? "tool-call" : "llm-prompt",
        source_id: transfer ? null : session.prompt_id,
        category: "automation",
        type: "phone-transfer",
        description: `Transfer to phone number ${dial.number}`,
        session_id: call.session_id,
        conversation_id: session.conversation_id,
        user_id: session.source,
        attributes: {
          contact_type: transfer?.member?.type ?? null,
          name: transfer?.member?.name ?? null,
          phone: dial.number,
          reason: transfer ? transfer.reason : "fallback",
          start_time: now.toISOString(),
        },
      },
    ]);
  });
}

/** "resumed": nobody was reached, and the agent that asked for the transfer goes on. */
type TransferEnd = "connected" | "resumed" | "unreached";

/** Stores the outcome of a transfer. */
export async function endTransfer(
  engine: Engine,
  call: CallRow,
  result: TransferResult,
): Promise<TransferEnd> {
  const now = engine.clock.now();
  const outcome = transferOutcome(result);
  const resumed = !isConnected(outcome) && call.transfer_by_agent === true && call.state === "transferring";
  await engine.db.transaction().execute(async (tx) => {
    if (resumed) {
      const again = await tx
        .updateTable("calls")
        .set((row) => ({
          state: "answered",
          leg: row("leg", "+", 1),
          lease_expires_at: until(now, OPENING_MS),
        }))
        .where("id", "=", call.id)
        .where("state", "=", "transferring")
        .returning("id")
        .executeTakeFirst();
      if (!again) return;
      // The model then reads the outcome as the tool's result, instead of "transferring".
      await sql`
        update session_tool_calls set result = ${json({ outcome })}
        where session_id = ${call.session_id} and seq = (
          select max(seq) from session_tool_calls
          where session_id = ${call.session_id} and tool_name = 'transfer' and error is null)`.execute(tx);
    }
    if (outcome === "voicemail") {
      await tx
        .updateTable("sessions")
        .set({ transfer_voicemail_detected: true })
        .where("id", "=", call.session_id)
        .execute();
    }
    const ending = { outcome, end_time: now.toISOString(), duration_s: result.duration_s };
    await sql`
      update events set attributes = (coalesce(attributes::jsonb, '{}') || ${JSON.stringify(ending)}::jsonb)::json
      where id = (
        select max(id) from events
        where sub_organization_id = ${call.sub_organization_id} and session_id = ${String(call.session_id)}
          and type = 'phone-transfer')
        and attributes ->> 'outcome' is null`.execute(tx);
  });
  return resumed ? "resumed" : isConnected(outcome) ? "connected" : "unreached";
}
