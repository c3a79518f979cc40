import { sql } from "kysely";
import type { Caller } from "../api/caller.ts";
import * as list from "../api/list.ts";
import { write } from "../api/resource.ts";
import { Deleted } from "../api/schema.ts";
import type { Api } from "../api/server.ts";
import type { Clock } from "../base/clock.ts";
import type { Vault } from "../base/crypto.ts";
import { Fault, invalid, notFound } from "../base/errors.ts";
import { randomBase62 } from "../base/ids.ts";
import { secretProblem } from "../base/webhook-secret.ts";
import type { Db, Tx } from "../db/database.ts";
import { INBOX_HOST, INBOX_PREFIX } from "./webhook-inbox-receive.ts";
import {
  type InboxSettings,
  inboxParams,
  WebhookInbox,
  WebhookInboxInput,
  WebhookInboxMessage,
  WebhookInboxUpdate,
} from "./webhook-inbox-schema.ts";

const INBOXES = "/api/v1/outbound/webhook_inboxes";
/** Each can hold a few megabytes of messages. */
const MAX_INBOXES = 100;
/** 71 bits: an address that nobody guesses, so that nobody else fills it. */
const KEY_LETTERS = 12;

const inboxList: list.ListRules = {
  fields: { name: list.text("i.name"), updated_at: list.time("i.updated_at") },
  time: "i.updated_at",
  order: [{ column: "i.name", direction: "asc" }],
};

const messageList: list.ListRules = {
  fields: {
    id: list.integer("m.id"),
    received_at: list.time("m.received_at"),
    method: list.exact("m.method"),
    message_id: list.exact("m.message_id"),
    signature: list.exact("m.signature"),
    answered_status: list.integer("m.answered_status"),
    body: list.text("m.body"),
  },
  time: "m.received_at",
  order: [{ column: "m.id", direction: "desc" }],
};

type Deps = { db: Db; clock: Clock; vault: Vault; publicUrl: string };

/** Test endpoints of this installation, for inspecting webhooks before there is a receiver. */
export function webhookInboxRoutes(api: Api, { db, clock, vault, publicUrl }: Deps): void {
  const one = `${INBOXES}/:name`;
  const params = inboxParams;
  const tag = "outbound";

  const selectInboxes = (from: Db, caller: Caller) =>
    from
      .selectFrom(
        sql<WebhookInbox & { id: number }>`(
          select inbox.id, inbox.name, ${`https://${INBOX_HOST}${INBOX_PREFIX}`} || inbox.path_key as url,
            ${`${publicUrl}${INBOX_PREFIX}`} || inbox.path_key as public_url,
            case when inbox.sealed_hmac_secret is not null then json_build_array('hmac_secret') end as auth_value_keys,
            inbox.fail_next, inbox.fail_status,
            (select count(*) from webhook_inbox_messages where inbox_id = inbox.id) as message_count,
            inbox.created_at, inbox.updated_at, inbox.last_updated_by
          from webhook_inboxes inbox where inbox.sub_organization_id = ${caller.sub_organization_id}
        )`.as<"i">("i"),
      )
      .select([
        "i.name",
        "i.url",
        "i.public_url",
        "i.auth_value_keys",
        "i.fail_next",
        "i.fail_status",
        "i.message_count",
        "i.created_at",
        "i.updated_at",
        "i.last_updated_by",
      ]);

  const readInbox = (from: Db, caller: Caller, name: string): Promise<WebhookInbox | undefined> =>
    selectInboxes(from, caller).where("i.name", "=", name).executeTakeFirst();

  api.get(
    INBOXES,
    {
      summary: "List webhook inboxes",
      tag,
      permission: "outbound_read",
      query: list.listQuery(inboxList),
      response: list.listOf(WebhookInbox),
    },
    async ({ caller, query }) => {
      const page = await list.listPage(db, selectInboxes(db, caller), query, inboxList);
      return list.onlyFields(page, query.fields, WebhookInbox);
    },
  );

  api.post(
    INBOXES,
    {
      summary: "Create a webhook inbox",
      description:
        "A test endpoint that stores what it receives: give its `url` to a campaign's webhook and look at what arrives. The last 100 messages are kept.",
      tag,
      permission: "outbound_write",
      body: WebhookInboxInput,
      response: WebhookInbox,
    },
    ({ caller, body: { name, ...settings } }) => {
      checkSecret(settings);
      return write(db, "Webhook inbox", async (tx) => {
        await refuseTooMany(tx, caller);
        const { updated_at, ...columns } = columnsOf(caller, settings, null);
        await tx
          .insertInto("webhook_inboxes")
          .values({
            ...columns,
            sub_organization_id: caller.sub_organization_id,
            name,
            path_key: `${name}-${randomBase62(KEY_LETTERS)}`,
            created_at: updated_at,
            updated_at,
          })
          .execute();
        const after = await readInbox(tx, caller, name);
        await api.audit(tx, caller, {
          action: "create",
          resource: "webhook_inboxes",
          resource_id: name,
          after,
        });
        return after;
      });
    },
  );

  api.put(
    one,
    {
      summary: "Change a webhook inbox",
      tag,
      permission: "outbound_write",
      params,
      body: WebhookInboxUpdate,
      response: WebhookInbox,
    },
    ({ caller, params: { name }, body }) => {
      checkSecret(body);
      return db.transaction().execute(async (tx) => {
        const { id, sealed_hmac_secret } = await lockInbox(tx, caller, name);
        const before = await readInbox(tx, caller, name);
        await tx
          .updateTable("webhook_inboxes")
          .set(columnsOf(caller, body, sealed_hmac_secret))
          .where("id", "=", id)
          .execute();
        const after = await readInbox(tx, caller, name);
        await api.audit(tx, caller, {
          action: "update",
          resource: "webhook_inboxes",
          resource_id: name,
          before,
          after,
        });
        return after;
      });
    },
  );

  api.delete(
    one,
    {
      summary: "Delete a webhook inbox",
      description: "With the messages in it.",
      tag,
      permission: "outbound_delete",
      params,
      response: Deleted,
    },
    ({ caller, params }) =>
      db.transaction().execute(async (tx) => {
        const { id } = await lockInbox(tx, caller, params.name);
        const before = await readInbox(tx, caller, params.name);
        await tx.deleteFrom("webhook_inboxes").where("id", "=", id).execute();
        await api.audit(tx, caller, {
          action: "delete",
          resource: "webhook_inboxes",
          resource_id: params.name,
          before,
        });
        return { success: true };
      }),
  );

  api.get(
    `${one}/messages`,
    {
      summary: "List the messages of a webhook inbox",
      description: "Newest first.",
      tag,
      permission: "outbound_read",
      params,
      query: list.listQuery(messageList),
      response: list.listOf(WebhookInboxMessage),
    },
    async ({ caller, params, query }) => {
      const inbox = await db
        .selectFrom("webhook_inboxes")
        .select("id")
        .where("sub_organization_id", "=", caller.sub_organization_id)
        .where("name", "=", params.name)
        .executeTakeFirst();
      if (!inbox) throw notFound("Webhook inbox", params.name);
      const messages = db
        .selectFrom("webhook_inbox_messages as m")
        .where("m.inbox_id", "=", inbox.id)
        .select([
          "m.id",
          "m.received_at",
          "m.method",
          "m.headers",
          "m.body",
          "m.message_id",
          "m.signature",
          "m.answered_status",
        ]);
      const page = await list.listPage(db, messages, query, messageList);
      return list.onlyFields(page, query.fields, WebhookInboxMessage);
    },
  );

  const columnsOf = (caller: Caller, { auth_values, ...settings }: InboxSettings, sealed: string | null) => {
    const given = auth_values == null ? null : auth_values.hmac_secret;
    return {
      ...settings,
      sealed_hmac_secret: given === undefined ? null : given === null ? sealed : vault.seal(given),
      updated_at: clock.now().toISOString(),
      last_updated_by: caller.email,
    };
  };
}

/** Locks its row until the transaction ends. */
async function lockInbox(tx: Tx, caller: Caller, name: string) {
  const found = await tx
    .selectFrom("webhook_inboxes")
    .select(["id", "sealed_hmac_secret"])
    .where("sub_organization_id", "=", caller.sub_organization_id)
    .where("name", "=", name)
    .forUpdate()
    .executeTakeFirst();
  if (!found) throw notFound("Webhook inbox", name);
  return found;
}

async function refuseTooMany(tx: Tx, caller: Caller): Promise<void> {
  const { n } = await tx
    .selectFrom("webhook_inboxes")
    .select(sql<number>`count(*)`.as("n"))
    .where("sub_organization_id", "=", caller.sub_organization_id)
    .executeTakeFirstOrThrow();
  if (n >= MAX_INBOXES) throw new Fault("refused", `There are ${n} inboxes already. Delete one first.`);
}

function checkSecret({ auth_values }: InboxSettings): void {
  const secret = auth_values?.hmac_secret;
  const problem = secret == null ? null : secretProblem(secret);
  if (problem) throw invalid(["body", "auth_values", "hmac_secret"], problem);
}
