import { sql } from "kysely";
import { z } from "zod";
import type { Caller } from "../api/caller.ts";
import { holdRecord } from "../api/hold-record.ts";
import { recordId } from "../api/schema.ts";
import type { Clock } from "../base/clock.ts";
import { Fault, invalid, notFound, unreachable } from "../base/errors.ts";
import { isUniqueViolation, type Tx } from "../db/database.ts";
import { normaliseEmail } from "./address.ts";
import { findChannel } from "./channel.ts";
import { type Channel, modesOf, TARGET_MODES } from "./channel-schema.ts";

export const TargetModes = z.enum(TARGET_MODES).meta({ id: "TargetModes" });

export const ChannelTargetCreateRequest = z
  .object({
    agent_id: recordId(),
    channel_id: recordId(),
    target: z.string().min(1).max(320),
    target_mode: TargetModes,
    fallback_target: z.string().min(1).max(320).nullish(),
    is_test: z.boolean().default(false),
  })
  .meta({ id: "ChannelTargetCreateRequest" });
export const ChannelTargetUpdateRequest = ChannelTargetCreateRequest.extend({ id: recordId() }).meta({
  id: "ChannelTargetUpdateRequest",
});
export type ChannelTargetInput = z.infer<typeof ChannelTargetCreateRequest>;

/**
 * Claims an address for an agent; also how the demo gets its chat page. `offered`: the carrier has said that the number
 * is the channel's, and from now on that is stored.
 */
export async function insertTarget(
  tx: Tx,
  clock: Clock,
  caller: Caller,
  input: ChannelTargetInput,
  offered = false,
): Promise<number> {
  await checkTarget(tx, clock, caller, input, offered);
  await refuseSameMailbox(tx, input, null);
  const { id } = await claim(input, () =>
    tx
      .insertInto("channel_targets")
      .values({ ...targetRow(clock, caller, input), sub_organization_id: caller.sub_organization_id })
      .returning("id")
      .executeTakeFirstOrThrow(),
  );
  return id;
}

/** Moves a target to what the input says; the address it had becomes available again. */
export async function replaceTarget(
  tx: Tx,
  clock: Clock,
  caller: Caller,
  input: ChannelTargetInput & { id: number },
  offered: boolean,
): Promise<void> {
  await checkTarget(tx, clock, caller, input, offered);
  await refuseSameMailbox(tx, input, input.id);
  await claim(input, () =>
    tx
      .updateTable("channel_targets")
      .set(targetRow(clock, caller, input))
      .where("id", "=", input.id)
      .execute(),
  );
}

/** /chat/<target> is the page of a chat target, and this one is taken. */
const WIDGET_SCRIPT = "widget.js";

const targetRow = (clock: Clock, caller: Caller, input: ChannelTargetInput) => ({
  channel_id: input.channel_id,
  agent_id: input.agent_id,
  target: input.target,
  target_mode: input.target_mode,
  fallback_target: input.fallback_target ?? null,
  is_test: input.is_test,
  updated_at: clock.now().toISOString(),
  last_updated_by: caller.email,
});

async function checkTarget(
  tx: Tx,
  clock: Clock,
  caller: Caller,
  input: ChannelTargetInput,
  offered: boolean,
): Promise<void> {
  const channel = await findChannel(tx, caller, input.channel_id);
  const modes = modesOf(channel);
  if (!modes.includes(input.target_mode)) {
    throw new Fault(
      "refused",
      `Channel "${channel.name}" does not support ${input.target_mode}; it supports ${modes.join(", ") || "nothing"}.`,
    );
  }
  if (input.fallback_target && input.target_mode !== "voice") {
    throw invalid(["body", "fallback_target"], "fallback_target is only supported for voice mode");
  }
  if (channel.channel_service === "webchat" && input.target === WIDGET_SCRIPT) {
    throw invalid(
      ["body", "target"],
      `${WIDGET_SCRIPT} is where the widget's script is; choose another name`,
    );
  }
  if (!(await holdRecord(tx, caller, "agents", input.agent_id, "share"))) {
    throw notFound("Agent", input.agent_id);
  }
  await requireAddress(tx, clock, caller, channel, { target: input.target, offered });
}

async function requireAddress(
  tx: Tx,
  clock: Clock,
  caller: Caller,
  channel: Channel,
  { target, offered }: { target: string; offered: boolean },
): Promise<void> {
  const known = await tx
    .selectFrom("channel_addresses")
    .select("target")
    .where("channel_id", "=", channel.id)
    .where("target", "=", target)
    .executeTakeFirst();
  if (known) return;
  const problem = offered ? null : whyNoNewAddress(channel, target);
  if (problem) throw new Fault("refused", problem);
  await tx
    .insertInto("channel_addresses")
    .values({
      organization_id: caller.organization_id,
      channel_id: channel.id,
      target,
      created_at: clock.now().toISOString(),
    })
    // Voice and texts of one number may be linked at once.
    .onConflict((conflict) => conflict.columns(["channel_id", "target"]).doNothing())
    .execute();
}

/**
 * Numbers of a carrier account are offered by it. The other services have no such list: naming a well-formed address
 * makes it known.
 */
function whyNoNewAddress(channel: Channel, target: string): string | null {
  switch (channel.channel_service) {
    case "webchat":
      return /^[a-z0-9][a-z0-9._-]*$/.test(target)
        ? null
        : `Chat target "${target}" has to be made of lower-case letters, digits, dots, hyphens and underscores.`;
    case "email": {
      const domain = channel.config?.email?.sending_domain ?? "";
      return target.toLowerCase().endsWith(`@${domain.toLowerCase()}`) && normaliseEmail(target) !== null
        ? null
        : `E-mail target "${target}" has to be an address of ${domain}.`;
    }
    case "sip":
    case "whatsapp":
    case "africastalking":
      return /^\+[1-9]\d{6,14}$/.test(target)
        ? null
        : `Target "${target}" has to be a number such as +15125551234.`;
    case "twilio":
      return `Target ${target} is not an address of channel "${channel.name}". GET /api/v1/channels/available-targets lists those that are.`;
    default:
      return unreachable(channel.channel_service);
  }
}

/** Mails come to an address in any case. `id`: the target itself, which may change its own. */
async function refuseSameMailbox(tx: Tx, input: ChannelTargetInput, id: number | null): Promise<void> {
  if (input.target_mode !== "email") return;
  const same = await tx
    .selectFrom("channel_targets")
    .select("id")
    .where("channel_id", "=", input.channel_id)
    .where("target_mode", "=", "email")
    .where(sql<string>`lower(target)`, "=", input.target.toLowerCase())
    .where("id", "is distinct from", id)
    .limit(1)
    .executeTakeFirst();
  if (same) throw isTaken(input);
}

async function claim<T>(input: ChannelTargetInput, change: () => Promise<T>): Promise<T> {
  try {
    return await change();
  } catch (error) {
    throw isUniqueViolation(error) ? isTaken(input) : error;
  }
}

const isTaken = ({ target, target_mode }: ChannelTargetInput): Fault =>
  new Fault("refused", `Target ${target} already has an agent for ${target_mode}.`);
