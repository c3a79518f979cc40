import { sql } from "kysely";
import { z } from "zod";
import type { Caller } from "../api/caller.ts";
import { write } from "../api/resource.ts";
import { recordId } from "../api/schema.ts";
import type { Api } from "../api/server.ts";
import type { Clock } from "../base/clock.ts";
import { invalid } from "../base/errors.ts";
import type { Db, Tx } from "../db/database.ts";
import { findCampaign, lockCampaign } from "./campaign-store.ts";

const CampaignNumberGroup = z
  .strictObject({
    number_group_id: recordId()
      .nullable()
      .describe("Null: every attempt comes from the campaign's own source or caller_id."),
  })
  .meta({ id: "CampaignNumberGroup" });
type CampaignNumberGroup = z.output<typeof CampaignNumberGroup>;

async function readGroup(db: Db, id: number): Promise<CampaignNumberGroup> {
  const { rows } =
    await sql<CampaignNumberGroup>`select number_group_id from campaigns where id = ${id}`.execute(db);
  return { number_group_id: rows[0]?.number_group_id ?? null };
}

/** Of a list of groups as `g`. */
export const campaignNamesOfGroup = sql<string[]>`array(
  select c.campaign_name from campaigns c where c.number_group_id = g.id and c.deleted_at is null order by c.id)`;

/** The names of the campaigns that send from a group. Index: `campaigns_number_group`. */
export async function campaignsOfNumberGroup(tx: Tx, group_id: number): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select campaign_name as name from campaigns
    where number_group_id = ${group_id} and deleted_at is null order by id`.execute(tx);
  return rows.map(({ name }) => name);
}

type Deps = {
  db: Db;
  clock: Clock;
  /** Has the dialer look at the batches of the campaign, in the transaction of the change. */
  wakeBatches(tx: Tx, campaign_id: number, at: Date): Promise<void>;
};

const ONE = "/api/v1/outbound/campaigns/:campaign_id/number-group";

export function campaignNumberGroupRoutes(api: Api, { db, clock, wakeBatches }: Deps): void {
  const tag = "outbound";
  const params = z.object({ campaign_id: recordId() });

  api.get(
    ONE,
    {
      summary: "Get the number group that a campaign sends from",
      tag,
      permission: "outbound_read",
      params,
      response: CampaignNumberGroup,
    },
    async ({ caller, params }) => readGroup(db, (await findCampaign(db, caller, params.campaign_id)).id),
  );

  api.put(
    ONE,
    {
      summary: "Set the number group that a campaign sends from",
      description:
        "Each attempt then shows a number of the group in place of the campaign's source and caller_id, from the next attempt on. The agent stays the one of the campaign's source. Steps of a cadence and test calls keep their own numbers.",
      tag,
      permission: "outbound_write",
      params,
      body: CampaignNumberGroup,
      response: CampaignNumberGroup,
    },
    ({ caller, params, body }) =>
      write(db, "Campaign", (tx) => replaceGroup(tx, caller, params.campaign_id, body)),
  );

  async function replaceGroup(
    tx: Tx,
    caller: Caller,
    campaign_id: number,
    body: CampaignNumberGroup,
  ): Promise<CampaignNumberGroup> {
    const { id, mode } = await lockCampaign(tx, caller, campaign_id);
    if (body.number_group_id !== null) await requireGroup(tx, caller, body.number_group_id, mode ?? "voice");
    const before = await readGroup(tx, id);
    await sql`update campaigns set number_group_id = ${body.number_group_id}::bigint where id = ${id}`.execute(
      tx,
    );
    await wakeBatches(tx, id, clock.now());
    const after = await readGroup(tx, id);
    await api.audit(tx, caller, {
      action: "update",
      resource: "campaign-number-groups",
      resource_id: id,
      before,
      after,
    });
    return after;
  }
}

const WORDS = { voice: "calls", sms: "texts" };

/** Locked, so that the group is not deleted meanwhile. */
async function requireGroup(
  tx: Tx,
  { sub_organization_id }: Caller,
  group_id: number,
  mode: string,
): Promise<void> {
  const at = ["body", "number_group_id"];
  const { rows } = await sql<{ name: string; mode: "voice" | "sms" }>`
    select name, mode from number_groups
    where id = ${group_id} and sub_organization_id = ${sub_organization_id} and deleted_at is null for share`.execute(
    tx,
  );
  const [found] = rows;
  if (!found) throw invalid(at, `Number group with ID ${group_id} not found`);
  if (found.mode !== mode)
    throw invalid(
      at,
      `The numbers of "${found.name}" are used for ${WORDS[found.mode]}, and the campaign is not. Choose another group.`,
    );
}
