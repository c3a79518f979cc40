import { normaliseEmail, normalisePhone } from "../channels/address.ts";
import type { SuppressedAddress, SuppressionPath } from "../consent/suppression.ts";
import type { Db } from "../db/database.ts";
import type { LeasedSession } from "../sessions/leased-session.ts";
import { done, failed, type ToolContext, type ToolEffects, type ToolOutcome } from "./tool-outcome.ts";

/**
 * Adds the person to the suppression list at their request. Only their own address is added, even under a prompt injection,
 * and their words are kept as proof.
 */
export function optOut({ source }: ToolContext, values: Record<string, unknown>): ToolOutcome {
  const address = ownAddress(source);
  if (address === null) {
    const message =
      "This person's telephone number or e-mail address is not known here, so nothing could be stored.";
    return failed(message, values);
  }
  const said = typeof values.said === "string" && values.said.trim() !== "" ? values.said.trim() : null;
  const result = { stored: true, address, message: "They will not be called or written to again." };
  return done(result, { opt_out: { address, said } }, values);
}

/** The address of the person in a session, by its `source`; null: it is no telephone number or e-mail address. */
export const ownAddress = (source: string | null): string | null =>
  source === null ? null : (normaliseEmail(source) ?? normalisePhone(source, null));

/** `message_id`: of the message that it was said in, or answers; null: it has none. */
export type SaidOptOut = NonNullable<ToolEffects["opt_out"]> & { at: Date; message_id: string | null };

/**
 * Adds the person's words to opt-outs as proof: when the model gave none, their last message of the session. Index: primary
 * key of session_messages.
 */
export async function withWords<T extends { said: string | null }>(
  db: Db,
  session_id: number,
  opt_outs: readonly T[],
): Promise<T[]> {
  if (opt_outs.every(({ said }) => said !== null)) return [...opt_outs];
  const last = await db
    .selectFrom("session_messages")
    .select("text")
    .where("session_id", "=", session_id)
    .where("role", "=", "user")
    .where("text", "<>", "")
    .orderBy("seq", "desc")
    .limit(1)
    .executeTakeFirst();
  return opt_outs.map((opt_out) => ({ ...opt_out, said: opt_out.said ?? last?.text ?? null }));
}

const THROUGH: Record<string, SuppressionPath> = {
  voice: "speech",
  sms: "text",
  whatsapp: "text",
  email: "mail",
};

/** A turn's opt-outs as entries of the suppression list. */
export const optOutEntries = (
  session: Pick<LeasedSession, "id" | "sub_organization_id" | "channel">,
  opt_outs: readonly SaidOptOut[],
): SuppressedAddress[] =>
  opt_outs.map(({ address, said, scope = "all", at, message_id }) => ({
    sub_organization_id: session.sub_organization_id,
    address,
    scope,
    reason: "unsubscribed",
    proof: {
      at,
      through: THROUGH[session.channel] ?? "chat",
      said,
      session_id: session.id,
      message_id,
    },
  }));
