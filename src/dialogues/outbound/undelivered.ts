import type { ChannelStatus } from "../../channels/channel-status.ts";
import type { Tx } from "../../db/database.ts";
import { ANSWER_NOT_DELIVERED, type NewEvent, publish } from "../../events/event.ts";
import type { StoredMail } from "../mail-store.ts";

/** An answer that its person did not get, whatever the transcript says. */
export type Undelivered = {
  sub_organization_id: number;
  session_id: number | null;
  channel: "sms" | "whatsapp" | "email";
  person: string;
  status: ChannelStatus;
  /** In the words of its carrier, or its code. */
  why: string | null;
};

/** Carriers say these of a text that they had taken, and mail servers of a mail. */
export const UNDELIVERED = [
  "UNDELIVERED",
  "DELIVERY_FAILED",
  "FAILED",
  "BOUNCED",
  "DROPPED",
] as const satisfies ChannelStatus[];
export const isUndelivered = (status: ChannelStatus): boolean => UNDELIVERED.some((one) => one === status);

const NAMES = { sms: "SMS", whatsapp: "WhatsApp", email: "e-mail" } as const;

/**
 * Tells the people who work here of answers that did not arrive. Campaigns tell of their own, and a carrier that has
 * confirmed an opt-out word itself lets our confirmation through no more.
 */
export async function tellUndelivered(tx: Tx, answers: readonly Undelivered[], at: Date): Promise<void> {
  const byOrganization = Map.groupBy(answers, ({ sub_organization_id }) => sub_organization_id);
  for (const [sub_organization_id, its] of byOrganization)
    await publish(
      tx,
      sub_organization_id,
      its.map((answer) => eventOf(answer, at)),
    );
}

const eventOf = ({ session_id, channel, person, status, why }: Undelivered, at: Date): NewEvent => ({
  at,
  source: "outbound",
  source_id: null,
  category: channel === "email" ? "mail" : "text",
  type: ANSWER_NOT_DELIVERED,
  description: `An answer to ${person} by ${NAMES[channel]} was not delivered${why === null ? "" : `: ${why}`}`,
  ...(session_id !== null && { session_id }),
  user_id: person,
  attributes: { channel, status, why },
});

export const undeliveredMail = (
  {
    sub_organization_id,
    session_id,
    to_address: person,
  }: Pick<StoredMail, "sub_organization_id" | "session_id" | "to_address">,
  { status, why }: Pick<Undelivered, "status" | "why">,
): Undelivered => ({ sub_organization_id, session_id, channel: "email", person, status, why });
