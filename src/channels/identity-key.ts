import { z } from "zod";
import type { Caller } from "../api/caller.ts";
import { write } from "../api/resource.ts";
import { Deleted, recordId, timestamp } from "../api/schema.ts";
import type { Api } from "../api/server.ts";
import type { Clock } from "../base/clock.ts";
import type { Vault } from "../base/crypto.ts";
import { Fault, notFound } from "../base/errors.ts";
import { randomBase62 } from "../base/ids.ts";
import type { Db, Tx } from "../db/database.ts";

/**
 * The key of a chat target, with which a site signs who its visitor is. Shown once, when it is made; another one takes
 * its place at once, so that a key that leaked is worth nothing from then on.
 */
const IdentityKey = z
  .object({
    key: z.string().describe("Shown this once. Keep it on your server; never put it into a page."),
    identity_key_set_at: timestamp(),
  })
  .meta({ id: "IdentityKey" });

const KEY_CHARACTERS = 48;

export function identityKeyRoutes(api: Api, deps: { db: Db; clock: Clock; vault: Vault }): void {
  const { db, clock, vault } = deps;
  const path = "/api/v1/channels/:channel_id/targets/:target_id/identity_key";
  const operation = {
    tag: "channels",
    permission: "channels_write",
    params: z.object({ channel_id: recordId(), target_id: recordId() }),
  } as const;

  const change = (caller: Caller, target_id: number, channel_id: number, key: string | null) =>
    write(db, "Channel target", async (tx) => {
      const before = await lockTarget(tx, caller, channel_id, target_id);
      const now = key === null ? null : clock.now().toISOString();
      const { identity_key_set_at } = await tx
        .updateTable("channel_targets")
        .set({ sealed_identity_key: key === null ? null : vault.seal(key), identity_key_set_at: now })
        .where("id", "=", target_id)
        .returning("identity_key_set_at")
        .executeTakeFirstOrThrow();
      await api.audit(tx, caller, {
        action: key === null ? "remove_identity_key" : "set_identity_key",
        resource: "channel_targets",
        resource_id: target_id,
        before: { identity_key_set_at: before.identity_key_set_at },
        after: { identity_key_set_at },
      });
      return identity_key_set_at;
    });

  api.post(
    path,
    {
      ...operation,
      summary: "Make the identity key of a chat target",
      description: "Signs identity tokens of visitors. The previous key and its tokens stop working at once.",
      response: IdentityKey,
    },
    async ({ caller, params }) => {
      const key = randomBase62(KEY_CHARACTERS);
      const identity_key_set_at = await change(caller, params.target_id, params.channel_id, key);
      return { key, identity_key_set_at };
    },
  );

  api.delete(
    path,
    { ...operation, summary: "Remove the identity key of a chat target", response: Deleted },
    async ({ caller, params }) => {
      await change(caller, params.target_id, params.channel_id, null);
      return { success: true };
    },
  );
}

async function lockTarget(tx: Tx, caller: Caller, channel_id: number, id: number) {
  const found = await tx
    .selectFrom("channel_targets")
    .select(["target_mode", "identity_key_set_at"])
    .where("id", "=", id)
    .where("channel_id", "=", channel_id)
    .where("sub_organization_id", "=", caller.sub_organization_id)
    .forUpdate()
    .executeTakeFirst();
  if (!found) throw notFound("Channel target", id);
  if (found.target_mode !== "chat") {
    throw new Fault("refused", "Only a chat target has an identity key; carriers name who calls or writes.");
  }
  return found;
}
