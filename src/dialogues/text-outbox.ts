import { CarrierFault, type Carriers, type OutgoingText } from "../channels/carrier.ts";
import type { ChannelStatus } from "../channels/channel-status.ts";
import { SHOWN_AFTER_ms } from "../channels/outreach.ts";
import { suppressed } from "../consent/suppression.ts";
import type { Engine } from "../sessions/engine.ts";
import { isTooLate, markTaken, otherTextSids, type StoredText, updateText } from "./text-store.ts";

export type TextParts = { engine: Engine; carriers: Carriers };

/** Why this person must not be written to; undefined where nothing stands against it. */
export async function priorStatusOf(
  { engine }: TextParts,
  text: StoredText,
): Promise<ChannelStatus | undefined> {
  const { sub_organization_id, medium, source } = text;
  return (await suppressed(engine.db, sub_organization_id, medium, [source])).get(source);
}

/**
 * Hands one text to the carrier. Resolves with the moment to try again at, where the carrier did not take it or doesn't
 * show it yet; throws where it may have it, so that the job comes back and asks.
 */
export async function sendText(parts: TextParts, text: StoredText): Promise<Date | null> {
  const { engine, carriers } = parts;
  const { db, clock, log } = engine;
  const prior = text.purpose === "opt-out" ? undefined : await priorStatusOf(parts, text);
  if (prior) {
    await updateText(db, text.id, { status: prior }, clock.now());
    return null;
  }
  const channel = await db
    .selectFrom("channels")
    .select(["id", "channel_service"])
    .where("id", "=", text.channel_id)
    .executeTakeFirstOrThrow();
  const found = await carriers.of(channel);
  const texts = found?.carrier.texts;
  if (!texts) {
    log.warn({ channel_id: channel.id, text_id: text.id }, "a text has no carrier to go out by");
    await updateText(db, text.id, { status: "DELIVERY_FAILED", error_code: "no-carrier" }, clock.now());
    return null;
  }
  const outgoing = outgoingText(text);
  if (text.asked_at !== null) {
    const others = (sids: readonly string[]) => otherTextSids(db, text, sids);
    const taken = await texts.find(found.account, outgoing, new Date(text.asked_at), others);
    if (taken) {
      await markTaken(db, text.id, taken, clock.now());
      return null;
    }
    const shown_by = new Date(new Date(text.asked_at).getTime() + SHOWN_AFTER_ms);
    if (clock.now() < shown_by) return shown_by;
  }
  if (isTooLate(text, clock.now())) {
    await updateText(db, text.id, { status: "DELIVERY_FAILED", error_code: "too-late" }, clock.now());
    return null;
  }
  await updateText(db, text.id, { asked_at: clock.now().toISOString() }, clock.now());
  try {
    await markTaken(db, text.id, await texts.send(found.account, outgoing), clock.now());
    return null;
  } catch (error) {
    if (!(error instanceof CarrierFault) || error.fate === "unknown") throw error;
    log.warn({ text_id: text.id, fate: error.fate, status: error.status }, error.message);
    if (error.fate === "refused") {
      const status = error.status ?? "DELIVERY_FAILED";
      await updateText(db, text.id, { status, error_code: error.message.slice(0, 200) }, clock.now());
      return null;
    }
    await updateText(db, text.id, { asked_at: null }, clock.now());
    return new Date(clock.now().getTime() + (error.retry_after_s ?? 1) * 1000);
  }
}

const outgoingText = (text: StoredText): OutgoingText => ({
  key: text.key,
  medium: text.medium,
  from: text.target,
  to: text.source,
  text: text.text,
  template: text.template as OutgoingText["template"],
});
