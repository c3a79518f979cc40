import { type RawBuilder, sql } from "kysely";
import { z } from "zod";
import type { Db } from "../db/database.ts";

/** An address that somebody writes to, by text or e-mail, with the agent behind it. */
export type WrittenTarget = {
  id: number;
  sub_organization_id: number;
  channel_id: number;
  agent_id: number;
  agent_name: string;
  target: string;
  is_test: boolean;
};

/** One person writing with one of our addresses, by text or by e-mail; what comes of it is done one thing after the other. */
export type Correspondence = { channel_target_id: number; source: string };
export const Correspondence: z.ZodType<Correspondence> = z.object({
  channel_target_id: z.number(),
  source: z.string(),
});

export const TARGET_COLUMNS = [
  "t.id",
  "t.sub_organization_id",
  "t.channel_id",
  "t.agent_id",
  "a.name as agent_name",
  "t.target",
  "t.is_test",
] as const;

/** Whose the address is, for the share of the workers that its conversations take. */
export const tenantOfTarget = (channel_target_id: number): RawBuilder<number> =>
  sql<number>`(select sub_organization_id from channel_targets where id = ${channel_target_id})`;

/** Those that an agent answers. */
export const selectTargets = (db: Db) =>
  db
    .selectFrom("channel_targets as t")
    .innerJoin("agents as a", "a.id", "t.agent_id")
    .where("a.deleted_at", "is", null)
    .select(TARGET_COLUMNS);
