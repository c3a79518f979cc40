import type { Carriers, OutgoingText } from "../../channels/carrier.ts";
import { carrierOfChannel } from "../../channels/channel-carrier.ts";
import type { ChannelStatus } from "../../channels/channel-status.ts";
import { suppressed } from "../../consent/suppression.ts";
import type { Engine } from "../../sessions/engine.ts";
import { openText, type StoredText } from "../text-store.ts";
import { keepCarrierOptOut, type RefusedText } from "./carrier-opt-out.ts";
import { type Fate, type GivenUp, TEXTS } from "./outbound-message.ts";
import { bringAllOn, type MessageCarrier, type Outbox } from "./outbox.ts";
import { markTaken, moveText, otherTextSids } from "./text-out-store.ts";
import { tellUndelivered, type Undelivered } from "./undelivered.ts";

export type TextParts = { engine: Engine; carriers: Carriers };

/** Why this person must not be written to; undefined where nothing stands against it. */
export async function priorStatusOf(
  { engine }: TextParts,
  text: StoredText,
): Promise<ChannelStatus | undefined> {
  const { sub_organization_id, medium, source } = text;
  return (await suppressed(engine.db, sub_organization_id, medium, [source])).get(source);
}

/** Brings waiting texts on their way (outbox.ts). */
export const sendTexts = (parts: TextParts, texts: readonly StoredText[]): Promise<Date | null> =>
  bringAllOn(textOutbox(parts), texts);

function textOutbox(parts: TextParts): Outbox<StoredText> {
  const { db, clock, log } = parts.engine;
  return {
    rules: TEXTS,
    clock,
    log,
    about: ({ id }) => ({ text_id: id }),
    waiting: ({ asked_at, created_at }) => ({
      state: asked_at === null ? "queued" : "handing",
      asked_at,
      created_at,
    }),
    prior: async (text) => (text.purpose === "opt-out" ? undefined : priorStatusOf(parts, text)),
    carrierOf: (text) => carrierOf(parts, text),
    asked: ({ id }) => moveText(db, id, "asked", {}, clock.now()),
    keep: (text, fate) => keep(parts, text, fate),
  };
}

async function carrierOf({ engine, carriers }: TextParts, text: StoredText): Promise<MessageCarrier | null> {
  const { db, log } = engine;
  const found = await carrierOfChannel({ db, carriers }, text.channel_id);
  const texts = found?.carrier.texts;
  if (!texts) {
    log.warn({ channel_id: text.channel_id, text_id: text.id }, "a text has no carrier to go out by");
    return null;
  }
  const outgoing = outgoingText(openText(engine.vault, text));
  const others = (sids: readonly string[]) => otherTextSids(db, text, sids);
  return {
    is_simulated: found.carrier.simulated,
    async send(handingOver) {
      await handingOver();
      return texts.send(found.account, outgoing);
    },
    find: (since) => texts.find(found.account, outgoing, since, others),
  };
}

async function keep(
  { engine: { db, clock } }: TextParts,
  text: StoredText,
  fate: Fate | GivenUp,
): Promise<void> {
  const { id } = text;
  const now = clock.now();
  switch (fate.kind) {
    case "taken":
      return markTaken(db, id, fate.taken, now);
    case "refused":
    case "given-up":
    case "dropped": {
      const { status } = fate;
      // Who asked to be left alone misses nothing.
      const why = fate.why === "suppressed" ? null : fate.why;
      const failed = { status, ...(why !== null && { error_code: why.slice(0, LONGEST_CODE) }) };
      return db.transaction().execute(async (tx) => {
        const isMoved = await moveText(tx, id, fate.kind, failed, now);
        const isAnswer = text.purpose === "answer" && why !== null;
        if (isMoved && isAnswer) await tellUndelivered(tx, [undelivered(text, status, why)], now);
        // Our own confirmation is refused for the same STOP, which is on the list, or for one that was just lifted.
        const isNew = isMoved && fate.kind === "refused" && text.purpose !== "opt-out";
        if (isNew && status === "PRIOR_UNSUBSCRIBED")
          await keepCarrierOptOut(tx, refused(text, fate.why), now);
      });
    }
    case "not-taken":
      return void (await moveText(db, id, "not-taken", {}, now));
    case "to-be-asked":
    case "unanswered":
    // It stays as it is, to be asked for.
  }
}

const refused = (text: StoredText, said: string): RefusedText => {
  const { sub_organization_id, source: address, session_id, created_at: written_at } = text;
  return { sub_organization_id, address, session_id, written_at, said };
};

const undelivered = (text: StoredText, status: ChannelStatus, why: string): Undelivered => {
  const { sub_organization_id, session_id, medium: channel, source: person } = text;
  return { sub_organization_id, session_id, channel, person, status, why: GIVEN_UP[why] ?? why };
};

const GIVEN_UP: Readonly<Record<string, string>> = {
  "too-late": "it could not be sent for a day",
  "no-carrier": "this installation has no carrier for the channel's texts",
};

/** Of a carrier's words, where it has no code. */
export const LONGEST_CODE = 200;

const outgoingText = (text: StoredText): OutgoingText => ({
  key: text.key,
  medium: text.medium,
  from: text.target,
  to: text.source,
  text: text.text,
  template: text.template as OutgoingText["template"],
});
