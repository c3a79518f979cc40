import type { Caller } from "../api/caller.ts";
import { misplaced } from "../api/input/misplaced-members.ts";
import * as list from "../api/list.ts";
import { write } from "../api/resource.ts";
import type { Api } from "../api/server.ts";
import type { Clock } from "../base/clock.ts";
import type { Vault } from "../base/crypto.ts";
import { InvalidInput, invalid, notFound } from "../base/errors.ts";
import { type Db, json, type Tx } from "../db/database.ts";
import { parseAllowedOrigins } from "./allowed-origins.ts";
import {
  Channel,
  ChannelCreateRequest,
  type ChannelInput,
  ChannelUpdateRequest,
  DEFAULT_MODES,
  MISPLACED_SETTINGS,
  splitModes,
} from "./channel-schema.ts";
import {
  type Credentials,
  lockCredentials,
  mergeCredentials,
  sealCredentials,
  shownCredentials,
} from "./credentials/channel-credentials.ts";
import { movedSecrets, readMailAccount } from "./credentials/mail-credentials.ts";
import { sipFaults } from "./credentials/sip-credentials.ts";
import { claimDomain, normaliseDomain } from "./mail-domain-store.ts";

const channelList: list.ListRules = {
  fields: {
    id: list.integer("c.id"),
    name: list.text("c.name"),
    name_exact: list.exact("c.name"),
    channel_service: list.exact("c.channel_service"),
    supported_modes: list.text("c.supported_modes"),
    config: list.document("c.config"),
  },
  time: "c.updated_at",
  order: [{ column: "c.id", direction: "asc" }],
};

/** Channels belong to the organization; their targets to its sub-organizations. */
const selectChannels = (db: Db, caller: Caller) =>
  db
    .selectFrom("channels as c")
    .where("c.organization_id", "=", caller.organization_id)
    .select(["c.name", "c.channel_service", "c.supported_modes", "c.is_system_channel", "c.id", "c.config"])
    .$castTo<Channel>();

export async function findChannel(db: Db, caller: Caller, id: number): Promise<Channel> {
  const channel = await selectChannels(db, caller).where("c.id", "=", id).executeTakeFirst();
  if (!channel) throw notFound("Channel", id);
  return channel;
}

type Deps = {
  db: Db;
  clock: Clock;
  vault: Vault;
  /** Why this machine neither hears nor speaks itself; null: it does. */
  voice_missing: string | null;
};

export function channelRoutes(api: Api, deps: Deps): void {
  const { db } = deps;
  const path = "/api/v1/channels/";
  const tag = "channels";

  api.get(
    path,
    {
      summary: "List channels",
      tag,
      permission: "channels_read",
      query: list.listQuery(channelList),
      response: list.listOf(Channel),
    },
    ({ caller, query }) => list.recordPage(Channel, db, selectChannels(db, caller), query, channelList),
  );

  api.post(
    path,
    {
      summary: "Create a channel",
      tag,
      permission: "channels_write",
      body: ChannelCreateRequest,
      misplaced: MISPLACED_SETTINGS,
      response: Channel,
    },
    ({ caller, body }) =>
      write(db, "Channel", async (tx) => {
        const after = await insertChannel(tx, deps, caller, body);
        await api.audit(tx, caller, { action: "create", resource: tag, resource_id: after.id, after });
        return after;
      }),
  );

  api.put(
    path,
    {
      summary: "Update a channel",
      tag,
      permission: "channels_write",
      body: ChannelUpdateRequest,
      misplaced: MISPLACED_SETTINGS,
      response: Channel,
    },
    ({ caller, body }) =>
      write(db, "Channel", async (tx) => {
        const before = await lockChannel(tx, caller, body.id);
        const after = await replaceChannel(tx, deps, caller, body);
        await api.audit(tx, caller, { action: "update", resource: tag, resource_id: body.id, before, after });
        return after;
      }),
  );
}

export async function insertChannel(
  tx: Tx,
  deps: Omit<Deps, "db">,
  caller: Caller,
  input: ChannelInput,
): Promise<Channel> {
  checkConfig(input, deps);
  const { id } = await tx
    .insertInto("channels")
    .values({ ...columns(deps, caller, input, {}), organization_id: caller.organization_id })
    .returning("id")
    .executeTakeFirstOrThrow();
  await claimSendingDomain(tx, deps.clock, caller, input);
  return findChannel(tx, caller, id);
}

/** For writes: the row is locked before it is read, so that what is kept of it is what the writer before left. */
export async function lockChannel(tx: Tx, caller: Caller, id: number): Promise<Channel> {
  await tx
    .selectFrom("channels")
    .select("id")
    .where("id", "=", id)
    .where("organization_id", "=", caller.organization_id)
    .forUpdate()
    .execute();
  return findChannel(tx, caller, id);
}

/** The caller has locked the channel already: its number is known to be the organization's. */
export async function replaceChannel(
  tx: Tx,
  deps: Omit<Deps, "db">,
  caller: Caller,
  input: ChannelInput & { id: number },
): Promise<Channel> {
  checkConfig(input, deps);
  const stored = await lockCredentials(tx, deps.vault, input.id);
  await tx
    .updateTable("channels")
    .set(columns(deps, caller, input, stored))
    .where("id", "=", input.id)
    .execute();
  await claimSendingDomain(tx, deps.clock, caller, input);
  return findChannel(tx, caller, input.id);
}

/** Who sets a domain says that it is theirs; what it takes to prove it stands with the claim (mail-domain.ts). */
async function claimSendingDomain(tx: Tx, clock: Clock, caller: Caller, input: ChannelInput): Promise<void> {
  const domain =
    input.channel_service === "email" && normaliseDomain(input.config.email?.sending_domain ?? "");
  if (domain) await claimDomain(tx, clock, caller, domain);
}

function columns(
  { clock, vault }: Pick<Deps, "clock" | "vault">,
  caller: Caller,
  input: ChannelInput,
  stored: Credentials,
) {
  const credentials = mergeCredentials(input.config, stored);
  // What was not sent again is kept, so that only both together can be judged.
  const faults = [
    ...(input.channel_service === "email" ? readMailAccount(credentials).faults : []),
    ...(input.channel_service === "sip" ? sipFaults(credentials) : []),
    ...movedSecrets(input.config.provider_credentials ?? {}, stored),
  ];
  if (faults.length > 0) throw invalid(["body", "config", "provider_credentials"], faults.join("; "));
  const { telephony = null, email = null } = input.config;
  const shown = shownCredentials(input.channel_service, credentials);
  refuseShownSites(input, [shown, shownCredentials(input.channel_service, stored)]);
  return {
    name: input.name,
    channel_service: input.channel_service,
    supported_modes:
      splitModes(input.supported_modes ?? "").join(",") || DEFAULT_MODES[input.channel_service],
    is_system_channel: input.is_system_channel,
    config: json({ telephony, email, credentials: shown }),
    sealed_credentials: sealCredentials(vault, credentials),
    account_sid_last_four: credentials.account_sid?.slice(-4) ?? null,
    updated_at: clock.now().toISOString(),
    last_updated_by: caller.email,
  };
}

/** Answers show the sites where they are not set. What was read is sent back as it was, before or after this change. */
function refuseShownSites({ channel_service, config }: ChannelInput, shown: (Credentials | null)[]): void {
  if (channel_service !== "webchat" || !config.credentials) return;
  const { allowed_origins } = config.credentials;
  if (shown.some((each) => each?.allowed_origins === allowed_origins)) return;
  const path = ["config", "credentials", "allowed_origins"];
  throw new InvalidInput([misplaced(path, MISPLACED_SETTINGS.allowed_origins)]);
}

/** What the schema can't say because it depends on the service. */
function checkConfig(
  { channel_service, config }: ChannelInput,
  { voice_missing }: Pick<Deps, "voice_missing">,
): void {
  if (config.telephony?.audio === "stream") {
    const at = ["body", "config", "telephony", "audio"];
    if (channel_service !== "twilio" && channel_service !== "sip")
      throw invalid(at, "Only a Twilio or SIP channel streams its audio.");
    if (voice_missing !== null) throw invalid(at, voice_missing);
  }
  if (channel_service === "email" && !config.email) {
    throw invalid(["body", "config", "email"], "Field required", "missing");
  }
  if (channel_service !== "webchat") return;
  const { faults } = parseAllowedOrigins(config.provider_credentials?.allowed_origins ?? "");
  if (faults.length > 0) {
    throw invalid(["body", "config", "provider_credentials", "allowed_origins"], faults.join("; "));
  }
}
