import { sql } from "kysely";
import { z } from "zod";
import { AgentResponse, agentFindings, nestedAgent } from "../agents/agent-record.ts";
import { offerAt } from "../agents/prompt-llm.ts";
import type { Caller } from "../api/caller.ts";
import { lockRow } from "../api/hold-record.ts";
import * as list from "../api/list.ts";
import { write } from "../api/resource.ts";
import { Deleted, recordId, timestamp } from "../api/schema.ts";
import type { Api } from "../api/server.ts";
import type { Clock } from "../base/clock.ts";
import type { DestinationRules } from "../base/destination.ts";
import { invalid, notFound } from "../base/errors.ts";
import type { Db, Tx } from "../db/database.ts";
import { directoryNumber } from "../directory/directory-schema.ts";
import type { LlmEntry } from "../llm/catalogue.ts";
import type { Carriers } from "./carrier.ts";
import { isOffered, knownAddresses, offeredNumbers } from "./carrier-numbers.ts";
import { findChannel } from "./channel.ts";
import {
  ChannelTargetCreateRequest,
  type ChannelTargetInput,
  ChannelTargetUpdateRequest,
  insertTarget,
  replaceTarget,
  TargetModes,
} from "./claim-target.ts";
import { fallbackRefusal } from "./fallback-target.ts";
import { requireOwnNumber } from "./number-ownership.ts";

const ChannelTargetResponse = z
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
    identity_key_set_at: timestamp()
      .nullish()
      .describe("When the key that signs identity tokens was made; null: there is none"),
    browser_calls: z
      .boolean()
      .optional()
      .describe("Visitors of a chat may call its agent by voice, from the page"),
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
      "t.identity_key_set_at",
      "t.browser_calls",
    ])
    .$castTo<ChannelTarget>();

/** Addresses of the organization that nobody in this sub-organization has claimed. */
const selectAvailable = (db: Db, caller: Caller, known: ReturnType<typeof knownAddresses>) =>
  db
    .selectFrom(known.as<"a">(sql.ref("a")))
    .innerJoin("channels as c", "c.id", "a.channel_id")
    .where(
      sql<boolean>`not exists (
        select from channel_targets t
        where t.channel_id = a.channel_id and t.target = a.target
          and t.sub_organization_id = ${caller.sub_organization_id}
      )`,
    )
    .select(["a.organization_id", "a.channel_id", "c.name as channel_name", "a.target"]);

type Deps = {
  db: Db;
  clock: Clock;
  catalogue: readonly LlmEntry[];
  destinations: DestinationRules;
  carriers: Carriers;
};

export function channelTargetRoutes(api: Api, { db, clock, catalogue, destinations, carriers }: Deps): void {
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
  const lock = async (tx: Tx, caller: Caller, channel_id: number, id: number): Promise<ChannelTarget> => {
    await lockRow(tx, caller, "channel_targets", id);
    return find(tx, caller, channel_id, id);
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
      summary: "List addresses without an agent",
      description:
        "Those that are stored, and the numbers that the carriers of the channels tell. A carrier that can't be reached adds none.",
      tag,
      permission: "channels_read",
      query: list.listQuery(availableList),
      response: list.listOf(AvailableTarget),
    },
    async ({ caller, query }) => {
      const offered = await offeredNumbers({ db, carriers }, caller, query);
      const known = knownAddresses(caller, offered, clock.now());
      return list.listPage(db, selectAvailable(db, caller, known), query, availableList);
    },
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
      summary: "Connect an agent to an address of a channel",
      tag,
      permission: "channels_write",
      params: z.object({ channel_id: recordId() }),
      body: ChannelTargetCreateRequest,
      response: ChannelTargetResponse,
    },
    async ({ caller, params: { channel_id }, body }) => {
      const offered = await isOffered({ db, carriers }, caller, { channel_id, target: body.target });
      return write(db, "Channel target", async (tx) => {
        const channel = await findChannel(tx, caller, channel_id);
        refuseOtherChannel(channel_id, body.channel_id);
        refuseFallback(body, destinations);
        await requireOwnNumber(tx, { carriers, clock }, caller, channel, body.target);
        const id = await insertTarget(tx, clock, caller, body, offered);
        const after = await find(tx, caller, body.channel_id, id);
        await api.audit(tx, caller, {
          action: "create",
          resource: "channel_targets",
          resource_id: id,
          after,
        });
        return after;
      });
    },
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
    async ({ caller, params, body }) => {
      const wanted = { channel_id: params.channel_id, target: body.target };
      const offered = await isOffered({ db, carriers }, caller, wanted);
      return write(db, "Channel target", async (tx) => {
        const before = await lock(tx, caller, params.channel_id, params.target_id);
        refuseOtherChannel(params.channel_id, body.channel_id);
        refuseFallback(body, destinations);
        if (body.id !== params.target_id)
          throw invalid(["body", "id"], "id differs from the one in the path");
        const channel = await findChannel(tx, caller, params.channel_id);
        await requireOwnNumber(tx, { carriers, clock }, caller, channel, body.target);
        await replaceTarget(tx, clock, caller, body, offered);
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
      });
    },
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
        const before = await lock(tx, caller, params.channel_id, query.target_id);
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

function refuseOtherChannel(path: number, body: number): void {
  if (path !== body) throw invalid(["body", "channel_id"], "channel_id differs from the one in the path");
}

/** It is judged again at each call: settings change. */
function refuseFallback({ fallback_target, target }: ChannelTargetInput, rules: DestinationRules): void {
  if (!fallback_target) return;
  const loc = ["body", "fallback_target"];
  if (!directoryNumber().safeParse(fallback_target).success)
    throw invalid(loc, "Input should be a phone number, or a SIP address such as sip:desk@example.com");
  const refusal = fallbackRefusal(fallback_target, target, rules);
  if (refusal !== null) throw invalid(loc, `nobody would be connected with it: ${refusal}`);
}
