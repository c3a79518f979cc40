import { sql } from "kysely";
import { Fault } from "../base/errors.ts";
import type { Db } from "../db/database.ts";
import { FOR_EACH } from "../db/plans.ts";
import type { Correspondence } from "./written-target.ts";

/** WhatsApp lets a business write freely this long after the person's last word; a template may open at any time. */
const WINDOW_MS = 24 * 3_600_000;

/** Whether this person may be written to freely. */
export async function isWindowOpen(db: Db, between: Correspondence, now: Date): Promise<boolean> {
  const [isOpen = false] = await readWindows(db, [between], now);
  return isOpen;
}

/** The same of many, in their order. Index: text_messages_dialogue. */
export async function readWindows(db: Db, between: readonly Correspondence[], now: Date): Promise<boolean[]> {
  if (between.length === 0) return [];
  const since = new Date(now.getTime() - WINDOW_MS).toISOString();
  const given = between.map(({ channel_target_id, source }, n) => ({ n, channel_target_id, source }));
  const { rows } = await sql<{ is_open: boolean }>`
    select exists (
      select from text_messages m
      where m.channel_target_id = w.channel_target_id and m.source = w.source and m.direction = 'in'
        and m.created_at > ${since}::timestamptz
      ${FOR_EACH}) as is_open
    from json_to_recordset(${JSON.stringify(given)}::json) as w (n integer, channel_target_id bigint, source text)
    order by w.n`.execute(db);
  return rows.map(({ is_open }) => is_open);
}

/** Throws where this person may not be written to freely, by an agent or by hand; a text by SMS always may. */
export async function requireOpenWindow(
  db: Db,
  { medium, ...between }: Correspondence & { medium: "sms" | "whatsapp" },
  now: Date,
): Promise<void> {
  if (medium !== "whatsapp" || (await isWindowOpen(db, between, now))) return;
  throw new Fault(
    "blocked",
    "WhatsApp allows free text only within 24 hours of the person's last message, and these are over",
  );
}
