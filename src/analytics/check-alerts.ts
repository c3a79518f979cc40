import { sql } from "kysely";
import { z } from "zod";
import { isOfOpenOrganization } from "../accounts/organization-deletion.ts";
import { CLOCK_SET_BACK_MS, type Clock } from "../base/clock.ts";
import { type Db, json, type Tx } from "../db/database.ts";
import { enqueue, handle, type Job, type JobHandler } from "../jobs/define-job.ts";
import { oneByOne } from "../jobs/one-by-one.ts";
import type { KeptSince } from "../sessions/kept-since.ts";
import { sendEvents } from "../webhooks/event-delivery.ts";
import { windowFigures } from "./alert-figure.ts";
import {
  type AlertChange,
  type AlertFigure,
  alertWords,
  changeAfter,
  isBeyond,
  stateAfter,
} from "./alert-judge.ts";
import { mailAlert } from "./alert-mail.ts";
import type { AlertRule } from "./alert-rule.ts";
import { comparisonProblem } from "./kept-since.ts";
import { ruleOf } from "./metric.ts";
import { METRIC_LABELS } from "./metric-labels.ts";

/*
 * Each minute, every active rule is checked once, by whichever process claims it for that minute: `checked_at` is the lease,
 * which the next minute ends. The figure is read outside of any transaction. What it says is stored together with the notices
 * of it, if the claim still holds; a process that dies in between leaves the rule to the next minute.
 */

const checkAlerts: Job<object> = {
  name: "check-alerts",
  payload: z.object({}),
  max_attempts: 1,
  schedule: "* * * * *",
};

/** So that the next minute's run begins after this one has ended. */
const LONGEST_MS = 45_000;

type Parts = { db: Db; clock: Clock; keptSince: KeptSince };

export const checkAlertsJob = (parts: Parts): JobHandler =>
  handle(checkAlerts, async (_, { stopping }) => {
    const until = performance.now() + LONGEST_MS;
    await oneByOne(
      dueRules(parts, () => !stopping.aborted && performance.now() < until),
      (rule) => check(parts, rule),
    );
  });

/** Claims each once the one before it was checked. */
async function* dueRules({ db, clock }: Parts, goesOn: () => boolean): AsyncGenerator<ClaimedRule> {
  while (goesOn()) {
    const rule = await claimNext(db, clock.now());
    if (!rule) return;
    yield rule;
  }
}

type ClaimedRule = AlertRule & {
  sub_organization_id: number;
  notified_at: string | null;
  checked_at: string;
};

async function check(parts: Parts, rule: ClaimedRule): Promise<void> {
  const { db, clock } = parts;
  const { sub_organization_id: tenant } = rule;
  const watched = { ...rule, tenant };
  const problem = await comparisonProblem(parts, watched);
  const found: FoundFigures = problem
    ? { figures: null, problem }
    : await windowFigures(db, watched, clock.now(), 2);
  await db.transaction().execute((tx) => settle(tx, rule, found, clock.now()));
}

/** The rule that waits longest. One that a clock checked which was set back since is due. Index: alert_rules_active. */
async function claimNext(db: Db, now: Date): Promise<ClaimedRule | undefined> {
  const minute = new Date(Math.floor(now.getTime() / 60_000) * 60_000).toISOString();
  const ahead = new Date(now.getTime() + CLOCK_SET_BACK_MS).toISOString();
  const { rows } = await sql<ClaimedRule>`
    update alert_rules set checked_at = ${minute}::timestamptz
    where id = (
      select id from alert_rules
      where is_active
        and (checked_at is null or checked_at < ${minute}::timestamptz or checked_at > ${ahead}::timestamptz)
        and ${isOfOpenOrganization("alert_rules.sub_organization_id")}
      order by checked_at nulls first limit 1 for update skip locked)
    returning *`.execute(db);
  return rows[0];
}

type FoundFigures = Awaited<ReturnType<typeof windowFigures>>;

async function settle(tx: Tx, claimed: ClaimedRule, found: FoundFigures, now: Date): Promise<void> {
  const rule = await tx
    .selectFrom("alert_rules")
    .select(["id", "state", "notified_at", "remind_hours"])
    .where("id", "=", claimed.id)
    .where("checked_at", "=", claimed.checked_at)
    .where("last_updated", "=", claimed.last_updated)
    .forUpdate()
    .executeTakeFirst();
  // Deleted, changed, or claimed anew meanwhile.
  if (!rule) return;
  if (found.problem !== null) {
    await tx.updateTable("alert_rules").set({ problem: found.problem }).where("id", "=", rule.id).execute();
    return;
  }
  const figure = found.figures[1] as AlertFigure;
  const beyond = isBeyond(claimed, figure);
  const change = changeAfter(rule, beyond, now);
  const state = stateAfter(rule.state, beyond);
  const at = now.toISOString();
  // A clock that was set back since would put the reminder off by as much.
  const isAhead = Date.parse(rule.notified_at ?? "") > now.getTime();
  await tx
    .updateTable("alert_rules")
    .set({
      state,
      problem: null,
      last_value: figure.value,
      last_sessions: figure.sessions,
      ...(state !== rule.state && { state_since: at }),
      ...((change || isAhead) && { notified_at: at }),
    })
    .where("id", "=", rule.id)
    .execute();
  if (change) await notify(tx, claimed, change, figure, at);
}

async function notify(tx: Tx, rule: ClaimedRule, state: AlertChange, figure: AlertFigure, at: string) {
  const { id: alert_rule_id, sub_organization_id, metric, name, search_fields, search_field_values } = rule;
  const { value, sessions } = figure;
  const { unit, of } = ruleOf(metric.name);
  const description = alertWords(rule, figure, { label: METRIC_LABELS[metric.name], unit, of });
  const { id: alert_change_id } = await tx
    .insertInto("alert_changes")
    .values({
      sub_organization_id,
      alert_rule_id,
      at,
      state,
      value,
      sessions,
      description,
      metric: json(metric),
      search_fields,
      search_field_values,
    })
    .returning("id")
    .executeTakeFirstOrThrow();
  for (const user_id of rule.notified_users)
    await enqueue(tx, mailAlert, { alert_change_id, user_id }, { tenant: sub_organization_id });
  if (!rule.uses_webhooks) return;
  const data = { alert_rule_id, name, state, at, metric, value, sessions, description };
  await sendEvents(tx, sub_organization_id, [{ event: "alert", at: new Date(at), session_id: null, data }]);
}
