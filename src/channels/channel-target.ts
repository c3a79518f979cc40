import { sql } from "kysely";
import { z } from "zod";
import { AgentResponse, agentFindings, nestedAgent } from "../agents/agent-record.ts";
import { offerAt } from "../agents/prompt-llm.ts";
import type { Caller } from "../api/caller.ts";
import * as list from "../api/list.ts";
import { write } from "../api/resource.ts";
import { Deleted, recordId, timestamp } from "../api/schema.ts";
import type { Api } from "../api/server.ts";
import type { Clock } from "../base/clock.ts";
import { Fault, invalid, notFound, unreachable } from "../base/errors.ts";
import { type Db, isUniqueViolation, type Tx } from "../db/database.ts";
import type { LlmEntry } from "../llm/catalogue.ts";
import { type Channel, findChannel, modesOf, TARGET_MODES } from "./channel.ts";

const TargetModes = z.enum(TARGET_MODES).meta({ id: "TargetModes" });

const ChannelTargetCreateRequest = z
  .object({
    agent_id: recordId(),
    channel_id: recordId(),
    target: z.string().min(1).max(320),
    target_mode: TargetModes,
    fallback_target: z.string().min(1).max(320).nullish(),
    is_test: z.boolean().default(false),
  })
  .meta({ id: "ChannelTargetCreateRequest" });
const ChannelTargetUpdateRequest = ChannelTargetCreateRequest.extend({ id: recordId() }).meta({
  id: "ChannelTargetUpdateRequest",
});
export type ChannelTargetInput = z.infer<typeof ChannelTargetCreateRequest>;

export const ChannelTargetResponse = z
  .object({
    agent_id: z.int(),
    channel_id: z.int(),
    target: z.string(),
    target_mode: TargetModes,
    fallback_target: z.string().nullish(),
    is_test: z.boolean(),
    id: z.int(),
    channel_name: z.string(),
    updated_at: timestamp(),
    last_updated_by: z.string(),
    agent: AgentResponse.nullish(),
    a2p_verified: z.boolean().nullish(),
  })
  .meta({ id: "ChannelTargetResponse" });
type ChannelTarget = z.infer<typeof ChannelTargetResponse>;

const AvailableTarget = z
  .object({
    organization_id: z.int(),
    channel_id: z.int(),
    channel_name: z.string().nullable(),
    target: z.string(),
  })
  .meta({ id: "AvailableTarget" });

const targetList: list.ListRules = {
  fields: {
    id: list.integer("t.id"),
    channel_id: list.integer("t.channel_id"),
    channel_name: list.text("c.name"),
    agent_id: list.integer("t.agent_id"),
    target: list.text("t.target"),
    target_mode: list.exact("t.target_mode"),
    target_mode_list: list.anyOf("t.target_mode"),
    fallback_target: list.text("t.fallback_target"),
    is_test: list.boolean("t.is_test"),
    updated_at: list.time("t.updated_at"),
    a2p_verified: list.boolean("t.a2p_verified"),
  },
  time: "t.updated_at",
  order: [{ column: "t.id", direction: "asc" }],
};

const availableList: list.ListRules = {
  fields: {
    channel_id: list.integer("a.channel_id"),
    channel_name: list.text("c.name"),
    target: list.text("a.target"),
  },
  time: "a.created_at",
  order: [
    { column: "a.channel_id", direction: "asc" },
    { column: "a.target", direction: "asc" },
  ],
};

const selectTargets = (db: Db, caller: Caller) =>
  db
    .selectFrom("channel_targets as t")
    .innerJoin("channels as c", "c.id", "t.channel_id")
    .where("t.sub_organization_id", "=", caller.sub_organization_id)
    .select([
      "t.agent_id",
      "t.channel_id",
      "t.target",
      "t.target_mode",
      "t.fallback_target",
      "t.is_test",
      "t.id",
      "c.name as channel_name",
      "t.updated_at",
      "t.last_updated_by",
      nestedAgent("t.agent_id").as("agent"),
      "t.a2p_verified",
    ])
    .$castTo<ChannelTarget>();

/** Addresses of the organization that nobody in this sub-organization has claimed. */
const selectAvailable = (db: Db, caller: Caller) =>
  db
    .selectFrom("channel_addresses as a")
    .innerJoin("channels as c", "c.id", "a.channel_id")
    .where("a.organization_id", "=", caller.organization_id)
    .where(
      sql<boolean>`not exists (
        select from channel_targets t
        where t.channel_id = a.channel_id and t.target = a.target
          and t.sub_organization_id = ${caller.sub_organization_id}
      )`,
    )
    .select(["a.organization_id", "a.channel_id", "c.name as channel_name", "a.target"]);

type Deps = { db: Db; clock: Clock; catalogue: readonly LlmEntry[] };

export function channelTargetRoutes(api: Api, { db, clock, catalogue }: Deps): void {
  const tag = "channels";
  /** Findings about the nested agent depend on today, so they are added here and not by the database. */
  const withFindings = (target: ChannelTarget): ChannelTarget => ({
    ...target,
    agent: target.agent && agentFindings(target.agent, offerAt(catalogue, clock)),
  });
  const targetParams = z.object({ channel_id: recordId(), target_id: recordId() });

  const find = async (from: Db, caller: Caller, channel_id: number, id: number): Promise<ChannelTarget> => {
    const found = await selectTargets(from, caller)
      .where("t.id", "=", id)
      .where("t.channel_id", "=", channel_id)
      .executeTakeFirst();
    if (!found) throw notFound("Channel target", id);
    return withFindings(found);
  };

  api.get(
    "/api/v1/channels/targets",
    {
      summary: "List channel targets",
      tag,
      permission: "channels_read",
      query: list.listQuery(targetList),
      response: list.listOf(ChannelTargetResponse),
    },
    async ({ caller, query }) => {
      const page = await list.listPage(db, selectTargets(db, caller), query, targetList);
      const items = page.items.map(withFindings);
      return list.onlyFields({ ...page, items }, query.fields, ChannelTargetResponse);
    },
  );

  api.get(
    "/api/v1/channels/available-targets",
    {
      summary: "List addresses that no target claims yet",
      tag,
      permission: "channels_read",
      query: list.listQuery(availableList),
      response: list.listOf(AvailableTarget),
    },
    ({ caller, query }) => list.listPage(db, selectAvailable(db, caller), query, availableList),
  );

  api.get(
    "/api/v1/channels/:channel_id/targets/:target_id",
    {
      summary: "Get a channel target",
      tag,
      permission: "channels_read",
      params: targetParams,
      response: ChannelTargetResponse,
    },
    ({ caller, params }) => find(db, caller, params.channel_id, params.target_id),
  );

  api.post(
    "/api/v1/channels/:channel_id/targets",
    {
      summary: "Link an agent to an address of a channel",
      tag,
      permission: "channels_write",
      params: z.object({ channel_id: recordId() }),
      body: ChannelTargetCreateRequest,
      response: ChannelTargetResponse,
    },
    ({ caller, params, body }) =>
      write(db, "Channel target", async (tx) => {
        refuseOtherChannel(params.channel_id, body.channel_id);
        const id = await insertTarget(tx, clock, caller, body);
        const after = await find(tx, caller, body.channel_id, id);
        await api.audit(tx, caller, {
          action: "create",
          resource: "channel_targets",
          resource_id: id,
          after,
        });
        return after;
      }),
  );

  api.put(
    "/api/v1/channels/:channel_id/targets/:target_id",
    {
      summary: "Update a channel target",
      tag,
      permission: "channels_write",
      params: targetParams,
      body: ChannelTargetUpdateRequest,
      response: ChannelTargetResponse,
    },
    ({ caller, params, body }) =>
      write(db, "Channel target", async (tx) => {
        refuseOtherChannel(params.channel_id, body.channel_id);
        if (body.id !== params.target_id)
          throw invalid(["body", "id"], "id differs from the one in the path");
        const before = await find(tx, caller, params.channel_id, params.target_id);
        await checkTarget(tx, clock, caller, body);
        await claim(body, () =>
          tx
            .updateTable("channel_targets")
            .set(targetRow(clock, caller, body))
            .where("id", "=", body.id)
            .execute(),
        );
        const after = await find(tx, caller, params.channel_id, params.target_id);
        const resource_id = body.id;
        await api.audit(tx, caller, {
          action: "update",
          resource: "channel_targets",
          resource_id,
          before,
          after,
        });
        return after;
      }),
  );

  api.delete(
    "/api/v1/channels/:channel_id",
    {
      summary: "Delete a channel target",
      description: "The target is removed for good; its address becomes available again.",
      tag,
      permission: "channels_delete",
      params: z.object({ channel_id: recordId() }),
      query: z.object({ target_id: recordId() }),
      response: Deleted,
    },
    ({ caller, params, query }) =>
      write(db, "Channel target", async (tx) => {
        const before = await find(tx, caller, params.channel_id, query.target_id);
        await tx.deleteFrom("channel_targets").where("id", "=", before.id).execute();
        await api.audit(tx, caller, {
          action: "delete",
          resource: "channel_targets",
          resource_id: before.id,
          before,
        });
        return { success: true };
      }),
  );
}

/** Claims an address for an agent; also how the demo gets its chat page. */
export async function insertTarget(
  tx: Tx,
  clock: Clock,
  caller: Caller,
  input: ChannelTargetInput,
): Promise<number> {
  await checkTarget(tx, clock, caller, input);
  const { id } = await claim(input, () =>
    tx
      .insertInto("channel_targets")
      .values({ ...targetRow(clock, caller, input), sub_organization_id: caller.sub_organization_id })
      .returning("id")
      .executeTakeFirstOrThrow(),
  );
  return id;
}

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

async function checkTarget(tx: Tx, clock: Clock, caller: Caller, input: ChannelTargetInput): Promise<void> {
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
  const agent = await tx
    .selectFrom("agents")
    .select("id")
    .where("id", "=", input.agent_id)
    .where("sub_organization_id", "=", caller.sub_organization_id)
    .where("deleted_at", "is", null)
    .forShare()
    .executeTakeFirst();
  if (!agent) throw notFound("Agent", input.agent_id);
  await requireAddress(tx, clock, caller, channel, input.target);
}

async function requireAddress(
  tx: Tx,
  clock: Clock,
  caller: Caller,
  channel: Channel,
  target: string,
): Promise<void> {
  const known = await tx
    .selectFrom("channel_addresses")
    .select("target")
    .where("channel_id", "=", channel.id)
    .where("target", "=", target)
    .executeTakeFirst();
  if (known) return;
  const problem = whyNoNewAddress(channel, target);
  if (problem) throw new Fault("refused", problem);
  await tx
    .insertInto("channel_addresses")
    .values({
      organization_id: caller.organization_id,
      channel_id: channel.id,
      target,
      created_at: clock.now().toISOString(),
    })
    .execute();
}

/**
 * Numbers of a carrier account must have been listed by it first. The other services have no such list: naming a
 * well-formed address makes it known.
 */
function whyNoNewAddress(channel: Channel, target: string): string | null {
  switch (channel.channel_service) {
    case "webchat":
      return /^[a-z0-9][a-z0-9._-]*$/.test(target)
        ? null
        : `Chat target "${target}" has to be made of lower-case letters, digits, dots, hyphens and underscores.`;
    case "email": {
      const domain = channel.config?.email?.sending_domain ?? "";
      return target.toLowerCase().endsWith(`@${domain.toLowerCase()}`)
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

async function claim<T>(input: ChannelTargetInput, change: () => Promise<T>): Promise<T> {
  try {
    return await change();
  } catch (error) {
    if (isUniqueViolation(error)) {
      throw new Fault("refused", `Target ${input.target} already has an agent for ${input.target_mode}.`);
    }
    throw error;
  }
}

function refuseOtherChannel(path: number, body: number): void {
  if (path !== body) throw invalid(["body", "channel_id"], "channel_id differs from the one in the path");
}
