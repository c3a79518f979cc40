import { type RawBuilder, sql } from "kysely";
import { z } from "zod";
import type { Caller } from "../api/caller.ts";
import type { Api } from "../api/server.ts";
import type { Clock } from "../base/clock.ts";
import type { Vault } from "../base/crypto.ts";
import { invalid } from "../base/errors.ts";
import { findSender } from "../campaigns/campaign-store.ts";
import { targetsOf } from "../channels/address.ts";
import { ChannelManagerStatus } from "../channels/channel-status.ts";
import type { Db } from "../db/database.ts";
import { organizationJsonSealer } from "../redaction/text-sealer.ts";
import { BATCHES, batchParams } from "./batch.ts";
import { Added, RequestStatus } from "./batch-schema.ts";
import { findKey, lockBatch, statusAfter, updateBatch } from "./batch-store.ts";
import { linkRequests } from "./link-requests.ts";
import { statusShown } from "./request-selection.ts";
import { addRequests, countInvalid, newRequest } from "./request-store.ts";
import { lastRequest, tellOfAdded } from "./status-change.ts";
import { refuseWhileRead } from "./upload-claim.ts";
import { wakeBatch } from "./wake-batch.ts";

/** People of one call: the batch they go into is locked for about half a second, and a page of variables each fits. */
const PIECE = 5_000;

const CopySource = z
  .strictObject({
    batch_id: z.string().describe("The batch whose people are taken, of this or another campaign."),
    request_statuses: z
      .array(RequestStatus)
      .max(20)
      .nullish()
      .describe("Only people of these; null or empty: all but DUPLICATE and INVALID."),
    channel_statuses: z
      .array(ChannelManagerStatus)
      .max(100)
      .nullish()
      .describe("Only people of these, too; null or empty: all."),
  })
  .meta({ id: "RequestsCopySource" });
type CopySource = z.output<typeof CopySource>;

const CopyInput = CopySource.extend({
  after: z.int().min(0).nullish().describe("`next` of the answer before."),
}).meta({ id: "RequestsCopy" });

const Copied = Added.extend({
  present: z.int().describe("People whose reference was in the batch already: they stay as they are."),
  next: z.int().nullable().describe("`after` of the next call; null: that was everybody."),
}).meta({ id: "RequestsCopied" });

const CopyCount = z
  .object({
    people: z.int().describe("People of the other batch whom the statuses mean."),
    present: z.int().describe("Those of them whose reference is in this batch already."),
  })
  .meta({ id: "RequestsCopyCount" });

type Deps = { db: Db; clock: Clock; vault: Vault };

/** People of one batch once more in another. */
export function copyRequestsRoutes(api: Api, { db, clock, vault }: Deps): void {
  const tag = "outbound";
  const params = batchParams;

  api.post(
    `${BATCHES}/:batch_id/requests/from/preview`,
    {
      summary: "Count the people that another batch would add",
      tag,
      permission: "outbound_read",
      params,
      body: CopySource,
      response: CopyCount,
    },
    async ({ caller, params, body }) => {
      const keys = await keysOf(caller, params.batch_id, body);
      const { rows } = await sql<z.output<typeof CopyCount>>`
        select count(*) as people, count(*) filter (where ${isPresent(keys.into)}) as present
        from ${peopleOf(keys.from, body, clock.now())}`.execute(db);
      return rows[0] as z.output<typeof CopyCount>;
    },
  );

  api.post(
    `${BATCHES}/:batch_id/requests/from`,
    {
      summary: "Add the people of another batch",
      description: `Reference, target and variables of up to ${PIECE.toLocaleString("en")} people a call, in the order in which they came; repeat it with \`after\` until \`next\` is null. The same rules hold as for a file: targets that are no address are INVALID, targets that came before DUPLICATE. A reference that is in the batch already stays as it is, so a call may be repeated.`,
      tag,
      permission: "outbound_write",
      params,
      body: CopyInput,
      response: Copied,
    },
    ({ caller, params, body }) => copy(caller, params.batch_id, body),
  );

  async function keysOf(caller: Caller, into: string, { batch_id: from }: CopySource) {
    if (into === from) throw invalid(["body", "batch_id"], "Name another batch.", "value_error");
    return { into: await findKey(db, caller, into), from: await findKey(db, caller, from) };
  }

  async function copy(caller: Caller, batch_id: string, source: z.output<typeof CopyInput>) {
    const keys = await keysOf(caller, batch_id, source);
    return db.transaction().execute(async (tx) => {
      const locked = await lockBatch(tx, clock, caller, batch_id);
      const status = statusAfter(locked, { kind: "filled" });
      await refuseWhileRead(tx, locked);
      // Variables are opened as they are read and sealed anew: with the key that is in use now.
      const { rows } = await sql<CopiedPerson>`
        select r.id, r.reference_id, r.target, r.request_variables, ${isPresent(keys.into)} as is_present
        from ${peopleOf(keys.from, source, locked.at)} and r.id > ${source.after ?? 0}
        order by r.id limit ${PIECE}`.execute(tx);
      const normalise = targetsOf(await findSender(tx, locked.batch.campaign_id));
      const seal = await organizationJsonSealer(tx, vault, caller.sub_organization_id);
      const requests = rows
        .filter(({ is_present }) => !is_present)
        .map(({ request_variables, ...person }) =>
          newRequest({ ...person, request_variables: JSON.stringify(request_variables) }, normalise, seal),
        );
      const last = await lastRequest(tx, locked.key);
      const duplicates = await addRequests(tx, { batch_key: locked.key, at: locked.at }, requests);
      await tellOfAdded(tx, locked.key, last);
      await linkRequests(tx, vault, caller, { batch_key: locked.key, batch_id, after: last, at: locked.at });
      const bad = countInvalid(requests);
      const copied = {
        batch_id,
        accepted: requests.length - duplicates - bad,
        duplicates,
        invalid: bad,
        present: rows.length - requests.length,
        next: rows.length < PIECE ? null : (rows.at(-1)?.id ?? null),
      };
      await updateBatch(tx, locked, caller.email, { status });
      await wakeBatch(tx, locked.key, locked.at);
      const after = { ...copied, from: source };
      await api.audit(tx, caller, {
        action: "copy-requests",
        resource: "batches",
        resource_id: batch_id,
        after,
      });
      return copied;
    });
  }
}

type CopiedPerson = {
  id: number;
  reference_id: string;
  target: string;
  request_variables: Record<string, string>;
  is_present: boolean;
};

/** Requests `r` of a batch in a `from` and `where`. Index: primary key of requests. */
function peopleOf(key: number, source: CopySource, now: Date): RawBuilder<unknown> {
  const { request_statuses, channel_statuses } = source;
  const shown = statusShown(now);
  const status = request_statuses?.length
    ? sql`${shown} = any(${request_statuses}::text[])`
    : sql`r.request_status not in ('DUPLICATE', 'INVALID')`;
  const channel = channel_statuses?.length
    ? sql`r.channel_manager_status = any(${channel_statuses}::text[])`
    : sql`true`;
  return sql`requests r join batches b on b.key = r.batch_key
    where r.batch_key = ${key} and ${status} and ${channel}`;
}

/** Index: `requests_reference`. */
const isPresent = (key: number): RawBuilder<boolean> => sql<boolean>`exists (
  select from requests t where t.batch_key = ${key} and t.reference_id = r.reference_id)`;
