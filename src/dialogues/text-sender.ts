import { errorText, publicText } from "../base/errors.ts";
import { CarrierFault, type Taken } from "../channels/carrier.ts";
import { carrierOfChannel } from "../channels/channel-carrier.ts";
import type { ChannelStatus } from "../channels/channel-status.ts";
import { isUnderWay } from "../channels/message-progress.ts";
import {
  type AttemptReports,
  type Outreach,
  type OutreachSender,
  type SentOutreach,
  SHOWN_AFTER_ms,
  Withdrawn,
} from "../channels/outreach.ts";
import { endSession } from "../turns/end-session.ts";
import { loadAnswer } from "../turns/stored-answer.ts";
import { runTurn } from "../turns/turn.ts";
import { handOver } from "./outbound/outbox.ts";
import { applySignals, giveUpTry, markTaken, NOT_SENT, otherTextSids } from "./outbound/text-out-store.ts";
import type { TextParts } from "./outbound/text-outbox.ts";
import { tryHanding } from "./outbound/text-try.ts";
import { startTextSession } from "./text-session.ts";
import { splitText } from "./text-split.ts";
import { type Medium, openText } from "./text-store.ts";
import { isWindowOpen } from "./whatsapp-window.ts";
import type { WrittenTarget } from "./written-target.ts";

/** The campaign or request variable that names an approved template, and those that fill its places 1, 2, … */
const TEMPLATE_VARIABLE = "vars.whatsapp_template";

/**
 * Reaches people by text: opens the session, has the agent say its first words, and sends them. The text's row, under the
 * try's own key, is committed before the carrier is asked, so that a try of unknown fate can be asked for; and so are those
 * of words that don't fit into it, which the dialogue's job sends once the carrier has the first.
 */
export function textSender(
  parts: TextParts,
  attempts: Pick<AttemptReports, "sessionStarted">,
  medium: Medium,
): OutreachSender {
  const { engine, carriers } = parts;
  const { db, clock } = engine;

  const carrierOf = async (channel_id: number) => {
    const found = await carrierOfChannel({ db, carriers }, channel_id);
    const texts = found?.carrier.texts;
    if (texts) return { texts, account: found.account, is_simulated: found.carrier.simulated };
    throw new CarrierFault("This installation has no carrier for the channel's texts.", "refused", {
      status: "UNEXPECTED_ERROR",
      ours: "source",
    });
  };

  const known = (outreach: Outreach) =>
    db
      .selectFrom("text_messages as m")
      .leftJoin("sessions as s", "s.id", "m.session_id")
      .select([
        "m.id",
        "m.key",
        "m.channel_target_id",
        "m.source",
        "m.sid",
        "m.status",
        "m.asked_at",
        "m.text",
        "m.template",
        "m.sealed_text",
        "m.session_id",
        "s.conversation_id",
      ])
      .where("m.channel_id", "=", outreach.channel_id)
      .where("m.direction", "=", "out")
      .where("m.key", "=", outreach.key)
      .executeTakeFirst();

  /** How a text stands that its carrier took, whose word may have been lost: it is asked, and what it says is kept. */
  async function standing({ channel_id, key }: Outreach, known: Taken): Promise<Taken> {
    if (!isUnderWay(known.status)) return known;
    try {
      const { texts, account } = await carrierOf(channel_id);
      const { status, failure } = await texts.look(account, known.sid);
      const reason = failure ?? { error_code: null, is_transient: null };
      const told = { ...known, channel_id, key, status, word: "asked", ...reason, at: clock.now() };
      await applySignals(db, [told], clock.now());
      return { ...known, status, failure: reason };
    } catch (error) {
      engine.log.info(
        { err: errorText(error), key },
        "a carrier could not be asked about a text that it took",
      );
      return known;
    }
  }

  return {
    async send(outreach, mayGo) {
      const { texts, account, is_simulated } = await carrierOf(outreach.channel_id);
      const template = templateOf(outreach, medium);
      if (medium === "whatsapp" && !template) await requireWindow(parts, outreach);
      const target = targetOf(outreach);
      const opened = await open(parts, attempts, outreach, target, medium);
      const { session_id, conversation_id, agent_initiated } = opened;
      let asks = false;
      try {
        const words = await firstWords(parts, session_id, agent_initiated);
        const [first, ...rest] = splitText(words.join("\n\n"), medium);
        // A template stands for all of the words, and opens nothing for the rest of them.
        const following = template === null ? rest : [];
        if (first === undefined) {
          throw new CarrierFault("The agent has no greeting and does not speak first.", "refused", {
            status: "UNEXPECTED_ERROR",
            ours: "step",
          });
        }
        const { key } = outreach;
        const asked = { key, medium, from: outreach.source, to: outreach.target, text: first, template };
        const taken = await handOver(
          tryHanding(parts),
          { key, target, medium, source: outreach.target, session_id, first, template, following },
          {
            is_simulated,
            async send(handingOver) {
              await handingOver();
              asks = true;
              return texts.send(account, asked);
            },
          },
          mayGo,
        );
        return { ...taken, session_id, conversation_id };
      } catch (error) {
        // What was never sent is no conversation; what may have been is one, whatever failed once the carrier was asked.
        const isNever = error instanceof CarrierFault ? error.fate !== "unknown" : !asks;
        if (isNever) {
          await endSession(engine, session_id, "error").catch((cause) =>
            engine.log.warn({ err: cause }, "a text session could not be ended"),
          );
        }
        throw error;
      }
    },

    async find(outreach, since): Promise<SentOutreach | null> {
      const row = await known(outreach);
      if (!row) return null;
      const session = { session_id: row.session_id, conversation_id: row.conversation_id };
      const taken_as = row.sid !== null && { sid: row.sid, status: row.status as ChannelStatus };
      if (taken_as) return { ...(await standing(outreach, taken_as)), ...session };
      const { texts, account } = await carrierOf(outreach.channel_id);
      const asked = { key: outreach.key, medium, from: outreach.source, to: outreach.target };
      const template = templateOf(outreach, medium);
      const asked_at = row.asked_at === null ? since : new Date(row.asked_at);
      const taken = await texts.find(
        account,
        { ...asked, text: openText(engine.vault, row).text, template },
        asked_at,
        (sids) => otherTextSids(db, { ...row, source: outreach.target }, sids),
      );
      if (taken) {
        await markTaken(db, row.id, taken, clock.now());
        return { ...taken, ...session };
      }
      const age_ms = clock.now().getTime() - asked_at.getTime();
      if (age_ms >= SHOWN_AFTER_ms) await giveUpTry(db, row, NOT_SENT, clock.now());
      return null;
    },

    /** A text that was sent can't be called back. */
    async cancel() {},
  };
}

const targetOf = (outreach: Outreach): WrittenTarget => ({
  id: outreach.channel_target_id,
  sub_organization_id: outreach.sub_organization_id,
  channel_id: outreach.channel_id,
  agent_id: outreach.agent_id,
  agent_name: "",
  target: outreach.source,
  is_test: outreach.is_test,
});

const open = (
  { engine }: TextParts,
  attempts: Pick<AttemptReports, "sessionStarted">,
  outreach: Outreach,
  target: WrittenTarget,
  medium: Medium,
) =>
  startTextSession(
    engine,
    {
      target,
      medium,
      source: outreach.target,
      sid: outreach.key,
      opened_by: outreach.key,
      is_outbound: true,
      campaign_id: outreach.campaign_id,
      ttl_minutes: outreach.sms_session_ttl,
      variables: outreach.variables,
      announces: templateOf(outreach, medium) === null ? "at-once" : "in-answer",
    },
    (tx, session) => attempts.sessionStarted(tx, outreach.key, session),
  );

async function firstWords({ engine }: TextParts, session_id: number, agent_initiated: boolean) {
  const greeting = await loadAnswer(engine, session_id, 0);
  if (!agent_initiated) return greeting;
  try {
    return [...greeting, ...(await runTurn(engine, session_id, { text: null })).messages];
  } catch (error) {
    const why = publicText(error, engine.log, "an agent could not speak first");
    throw new CarrierFault(`The agent could not speak first: ${why}`, "not-sent", { cause: error });
  }
}

function templateOf({ variables }: Outreach, medium: Medium) {
  const sid = variables[TEMPLATE_VARIABLE];
  if (medium !== "whatsapp" || !sid) return null;
  const places = Object.entries(variables).flatMap(([name, value]) => {
    const place = name.startsWith(`${TEMPLATE_VARIABLE}_`) ? name.slice(TEMPLATE_VARIABLE.length + 1) : "";
    return place === "" ? [] : [[place, value]];
  });
  return { sid, variables: Object.fromEntries(places) as Record<string, string> };
}

async function requireWindow({ engine }: TextParts, outreach: Outreach): Promise<void> {
  const { channel_target_id, target: source } = outreach;
  if (await isWindowOpen(engine.db, { channel_target_id, source }, engine.clock.now())) return;
  throw new Withdrawn(
    `WhatsApp takes words only within 24 hours of the person's last; name an approved template in the variable whatsapp_template.`,
  );
}
