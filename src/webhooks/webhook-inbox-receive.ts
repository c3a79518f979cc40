import type { FastifyReply, FastifyRequest } from "fastify";
import { sql } from "kysely";
import type { Api } from "../api/server.ts";
import type { Clock } from "../base/clock.ts";
import type { Vault } from "../base/crypto.ts";
import { storableJson, storableText } from "../base/storable.ts";
import { openSecret } from "../base/webhook-secret.ts";
import type { Db } from "../db/database.ts";
import type { EgressRoute } from "../egress/egress-target.ts";
import { textSealer } from "../redaction/text-sealer.ts";
import { verifySignature } from "./webhook-signature.ts";

export const INBOX_PREFIX = "/webhook-inbox/";
/**
 * How campaigns name the inboxes of their own installation: an https URL, as webhooks must have, on a name that only
 * exists as a route of the guarded egress. So a fresh install needs no certificate, tunnel or opened address.
 */
export const INBOX_HOST = "inbox.parley.internal";

export const inboxRoute = (connect: EgressRoute["connect"]): EgressRoute => ({
  host: INBOX_HOST,
  connect,
  pathPrefix: INBOX_PREFIX,
  scheme: "https",
});

/** The most messages kept; the oldest are deleted. */
const MESSAGES_KEPT = 100;
const MAX_MESSAGE_bytes = 64 * 1024;
/** The most messages per minute from one client. */
const PER_MINUTE = 1_200;

type Deps = { db: Db; clock: Clock; vault: Vault };
type Inbox = {
  id: number;
  sealed_hmac_secret: string | null;
  fail_status: number | null;
  /** Where the organization stores what is said sealed: webhooks repeat some of it. */
  key_id: number | null;
  sealed_key: string | null;
};

/** The public door of the inboxes: takes any body, as it is. Outside the API, and so outside openapi.json. */
export function webhookInboxReceiver(api: Api, deps: Deps): void {
  api.server.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    // A signature is over the bytes; a body that is no JSON, or no UTF-8, is shown all the same.
    scope.addContentTypeParser(
      "*",
      { parseAs: "buffer", bodyLimit: MAX_MESSAGE_bytes },
      (_request, body, done) => done(null, body),
    );
    scope.route<{ Params: { key: string } }>({
      method: ["POST", "PUT", "PATCH"],
      url: `${INBOX_PREFIX}:key`,
      schema: { hide: true },
      config: { rateLimit: { max: PER_MINUTE, timeWindow: 60_000 } },
      handler: (request, reply) => receive(deps, request, reply),
    });
  });
}

async function receive(
  { db, clock, vault }: Deps,
  request: FastifyRequest<{ Params: { key: string } }>,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const inbox = await takeTurn(db, request.params.key);
  if (!inbox) return reply.code(404).send({ detail: `There is no inbox ${request.params.key}.` });
  const body = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
  const headers = textHeaders(request);
  const now = clock.now();
  const status = inbox.fail_status ?? 200;
  const sealed = inbox.sealed_hmac_secret;
  const secret = sealed === null ? null : openSecret(vault, sealed);
  const { key_id, sealed_key } = inbox;
  const key = key_id === null || sealed_key === null ? null : { id: key_id, sealed_key };
  const seal = textSealer(vault, key, `inbox ${inbox.id}`);
  await store(db, inbox.id, {
    received_at: now.toISOString(),
    method: request.method,
    headers: JSON.stringify(storableJson(headers)),
    body: seal(storableText(body.toString())),
    message_id: headers["webhook-id"] ?? null,
    // No verdict without a secret or with one that can't be decrypted; the message is kept anyway.
    signature: secret === null ? null : verifySignature(headers, body, secret, now),
    answered_status: status,
  });
  return reply
    .code(status)
    .send(status === 200 ? { received: true } : { detail: "Told to fail (fail_next)." });
}

/** Reads the inbox of a path and uses up one of its planned failures; `fail_status` null: this message is accepted. */
async function takeTurn(db: Db, key: string): Promise<Inbox | undefined> {
  const { rows } = await sql<Inbox>`
    with failing as (
      update webhook_inboxes set fail_next = fail_next - 1 where path_key = ${key} and fail_next > 0
      returning id, fail_status
    )
    select inbox.id, inbox.sealed_hmac_secret, failing.fail_status, k.id as key_id, k.sealed_key
    from webhook_inboxes inbox left join failing using (id)
    join sub_organizations s on s.id = inbox.sub_organization_id
    join organizations o on o.id = s.organization_id
    left join data_keys k on o.seals_texts and k.organization_id = o.id and k.retired_at is null
    where inbox.path_key = ${key}
  `.execute(db);
  return rows[0];
}

function textHeaders({ headers }: FastifyRequest): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, Array.isArray(value) ? value.join(", ") : value]],
    ),
  );
}

type Message = {
  received_at: string;
  method: string;
  headers: string;
  body: string;
  message_id: string | null;
  signature: string | null;
  answered_status: number;
};

const store = (db: Db, inbox_id: number, message: Message) =>
  db.transaction().execute(async (tx) => {
    await tx
      .insertInto("webhook_inbox_messages")
      .values({ inbox_id, ...message })
      .execute();
    await tx
      .deleteFrom("webhook_inbox_messages")
      .where("id", "in", (of) =>
        of
          .selectFrom("webhook_inbox_messages")
          .select("id")
          .where("inbox_id", "=", inbox_id)
          .orderBy("id", "desc")
          .offset(MESSAGES_KEPT),
      )
      .execute();
  });
