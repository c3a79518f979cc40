import { sql } from "kysely";
import { z } from "zod";
import type { Caller } from "../api/caller.ts";
import { inputTimestamp, recordId, timestamp } from "../api/schema.ts";
import type { Api } from "../api/server.ts";
import type { Clock } from "../base/clock.ts";
import { REQUESTS_OF_CAMPAIGN } from "../batches/campaign-requests.ts";
import {
  placeText,
  type RequestPlace,
  RequestSelection,
  readPlace,
  refuseEmptySelection,
  selectRequests,
} from "../batches/request-selection.ts";
import { findCampaign } from "../campaigns/campaign-store.ts";
import { SUPPRESSION_REASONS, SUPPRESSION_SCOPES, suppress } from "../consent/suppression.ts";
import type { Db, Tx } from "../db/database.ts";
import { REOPEN_REFUSALS } from "../planning/reopen.ts";
import { MOST_RETRIED, planRetry, type RetryPlan, retryRequests } from "./retry-requests.ts";

const RetryInput = RequestSelection.extend({
  as_of: inputTimestamp()
    .nullish()
    .describe("`at` of the preview: requests that were tried since are left alone."),
}).meta({ id: "RequestRetry" });

const next = () => z.string().nullable().describe("Send it as `before` for those that are left.");

const RetryCounts = z
  .object({
    at: timestamp().describe("Send it as `as_of`."),
    selected: z.int().describe(`Requests of this call, at most ${MOST_RETRIED}.`),
    retried: z.int(),
    not_retried: z.array(z.object({ reason: z.string(), text: z.string(), count: z.int() })),
    next: next(),
  })
  .meta({ id: "RequestRetryCounts" });

const SuppressInput = RequestSelection.extend({
  scope: z.enum(SUPPRESSION_SCOPES).default("all"),
  reason: z.enum(SUPPRESSION_REASONS).default("do-not-call"),
  comment: z.string().max(1000).nullish(),
}).meta({ id: "RequestSuppression" });

/** Each address takes a few statements, because it revokes consents too. */
const MOST_SUPPRESSED = 1_000;

const SuppressCounts = z
  .object({
    selected: z.int().describe(`Requests of this call, at most ${MOST_SUPPRESSED}.`),
    addresses: z.int(),
    suppressed: z.int(),
    next: next(),
  })
  .meta({ id: "RequestSuppressionCounts" });

/** Many requests of a campaign at once: tried again, or their people suppressed. */
export function bulkRequestRoutes(api: Api, { db, clock }: { db: Db; clock: Clock }): void {
  const tag = "outbound";
  const params = z.object({ campaign_id: recordId() });

  api.post(
    `${REQUESTS_OF_CAMPAIGN}/retry/preview`,
    {
      summary: "Count which requests a retry would try again",
      description: "Changes nothing.",
      tag,
      permission: "outbound_read",
      reads: true,
      params,
      body: RetryInput,
      response: RetryCounts,
    },
    async ({ caller, params, body }) => {
      const { id } = await findCampaign(db, caller, params.campaign_id);
      return countsOf(await planRetry(db, clock, askedOf(id, body)));
    },
  );

  api.post(
    `${REQUESTS_OF_CAMPAIGN}/retry`,
    {
      summary: "Try requests of a campaign again",
      description: `Opens requests that failed, were skipped, or met a machine without leaving a message: by \`request_ids\`, or all that a filter means, up to ${MOST_RETRIED} a call. They wait like a retry that is due, under all rules of the campaign, and are tried once more, or as often as the campaign's retries leave. Nobody who was reached, waits or is being contacted is opened. Send \`as_of\` from the preview to repeat a call safely.`,
      tag,
      permission: "outbound_write",
      params,
      body: RetryInput,
      response: RetryCounts,
    },
    ({ caller, params, body }) =>
      db.transaction().execute(async (tx) => {
        const { id } = await findCampaign(tx, caller, params.campaign_id);
        const counts = countsOf(await retryRequests(tx, caller, clock, askedOf(id, body)));
        await auditBulk(tx, caller, "retry-requests", id, { selection: body, ...counts });
        return counts;
      }),
  );

  api.post(
    `${REQUESTS_OF_CAMPAIGN}/suppress/preview`,
    {
      summary: "Count which addresses a suppression of requests would add",
      description: "Changes nothing.",
      tag,
      permission: "outbound_read",
      reads: true,
      params,
      body: SuppressInput,
      response: SuppressCounts,
    },
    async ({ caller, params, body }) => {
      const { id } = await findCampaign(db, caller, params.campaign_id);
      const { addresses, ...found } = await addressesOf(db, id, body);
      const { rows } = await sql<{ address: string }>`
        select distinct address from suppressions
        where sub_organization_id = ${caller.sub_organization_id} and lifted_at is null
          and address = any(${addresses}::text[]) and scope = ${body.scope} and reason = ${body.reason}`.execute(
        db,
      );
      return { ...found, addresses: addresses.length, suppressed: addresses.length - rows.length };
    },
  );

  api.post(
    `${REQUESTS_OF_CAMPAIGN}/suppress`,
    {
      summary: "Suppress the addresses of requests",
      description: `Puts the addresses of the selected requests on the suppression list, up to ${MOST_SUPPRESSED} requests a call. Requests that wait are skipped.`,
      tag,
      permission: "outbound_write",
      params,
      body: SuppressInput,
      response: SuppressCounts,
    },
    ({ caller, params, body }) =>
      db.transaction().execute(async (tx) => {
        const { id } = await findCampaign(tx, caller, params.campaign_id);
        const { addresses, ...found } = await addressesOf(tx, id, body);
        const at = clock.now();
        const comment = body.comment ?? null;
        const proof = { at, through: "operator", said: comment, session_id: null, message_id: null } as const;
        const { scope, reason } = body;
        const { sub_organization_id, email: created_by } = caller;
        const added = await suppress(
          tx,
          addresses.map((address) => ({
            sub_organization_id,
            address,
            scope,
            reason,
            proof,
            comment,
            created_by,
          })),
          at,
        );
        const counts = { ...found, addresses: addresses.length, suppressed: added.length };
        await auditBulk(tx, caller, "suppress-requests", id, { selection: body, ...counts });
        return counts;
      }),
  );

  const auditBulk = (tx: Tx, caller: Caller, action: string, campaign_id: number, after: object) =>
    api.audit(tx, caller, { action, resource: "campaigns", resource_id: campaign_id, after });

  /** In the order of their texts, so that two calls never wait for each other. */
  async function addressesOf(from: Db, campaign_id: number, selection: RequestSelection) {
    refuseEmptySelection(selectionOf(selection));
    const { rows } = await selectRequests<RequestPlace & { target: string }>(selection, {
      campaign_id,
      columns: sql`r.batch_key, r.id as request_id, r.target`,
      most: MOST_SUPPRESSED + 1,
      now: clock.now(),
      from: selection.before ? readPlace(selection.before, ["body"]) : null,
    }).execute(from);
    const taken = rows.slice(0, MOST_SUPPRESSED);
    const last = taken.at(-1);
    return {
      selected: taken.length,
      addresses: [...new Set(taken.map(({ target }) => target))].toSorted(),
      next: rows.length > MOST_SUPPRESSED && last ? placeText(last) : null,
    };
  }
}

function askedOf(campaign_id: number, { as_of, ...selection }: z.output<typeof RetryInput>) {
  refuseEmptySelection(selection);
  return {
    campaign_id,
    selection,
    from: selection.before ? readPlace(selection.before, ["body"]) : null,
    as_of: as_of ? new Date(as_of) : null,
  };
}

/** Without what says how they are suppressed. */
const selectionOf = (body: RequestSelection): RequestSelection =>
  RequestSelection.parse(
    Object.fromEntries(Object.entries(body).filter(([key]) => Object.hasOwn(RequestSelection.shape, key))),
  );

const countsOf = ({ at, selected, retried, not_retried, next }: RetryPlan) => ({
  at: at.toISOString(),
  selected,
  retried: retried.length,
  not_retried: [...not_retried].map(([reason, count]) => ({ reason, text: REOPEN_REFUSALS[reason], count })),
  next,
});
