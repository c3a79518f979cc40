import { sql } from "kysely";
import { type DestinationRules, refusalOf } from "../base/destination.ts";
import { readReachRules } from "../campaigns/reach-rules.ts";
import { readReachIssues } from "../consent/reach-check.ts";
import type { Db } from "../db/database.ts";
import { WAITS_FOR_FIRST } from "../dialing/candidates.ts";
import type { Mode } from "../planning/attempt.ts";

/** Numbers that are judged for a forecast; takes some 40 ms. */
const MAX_NUMBERS = 1_000;

export const skippedOf = ({ refused, unwilling, without_consent }: Judged): number =>
  refused + unwilling + without_consent;

export type Judged = { judged: number; refused: number; unwilling: number; without_consent: number };
export const NOBODY_JUDGED: Judged = { judged: 0, refused: 0, unwilling: 0, without_consent: 0 };

/** Of those who wait for their first attempt and are next in each batch; each counts once, for the first reason. */
export async function judgeNumbers(
  { db, destinations }: { db: Db; destinations: DestinationRules },
  campaign: { id: number; mode: Mode; sub_organization_id: number },
): Promise<Judged> {
  const { rows } = await sql<{ target: string }>`
    select r.target from batches b
    cross join lateral (
      select r.target from requests r
      where r.batch_key = b.key and ${WAITS_FOR_FIRST}
      order by r.due_at, r.id limit ${MAX_NUMBERS}
    ) as r
    where b.campaign_id = ${campaign.id} and b.status in ('ACTIVE', 'PAUSED')
    limit ${MAX_NUMBERS}`.execute(db);
  const isRefused = ({ target }: { target: string }) =>
    campaign.mode !== "email" && refusalOf(target, destinations) !== null;
  const allowed = rows.filter((row) => !isRefused(row));
  const { purpose } = await readReachRules(db, campaign.id);
  const issues = await readReachIssues(
    db,
    allowed.map(({ target: address }) => ({ ...campaign, purpose, address })),
  );
  const without_consent = issues.filter((issue) => issue?.kind === "no-consent").length;
  return {
    judged: rows.length,
    refused: rows.length - allowed.length,
    unwilling: issues.filter((issue) => issue !== null).length - without_consent,
    without_consent,
  };
}

/** For the assumptions of a forecast. */
export const judgedText = ({ judged, refused, unwilling, without_consent }: Judged): string[] => [
  ...(refused === 0
    ? []
    : [`Of the next ${judged} numbers, ${refused} may not be reached by the operator's settings.`]),
  ...(unwilling === 0
    ? []
    : [`Of the next ${judged} people, ${unwilling} are on a list of those who must not be reached.`]),
  ...(without_consent === 0
    ? []
    : [`Of the next ${judged} people, ${without_consent} have no consent on record, and are skipped.`]),
];
