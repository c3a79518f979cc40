import type { Db } from "../../db/database.ts";
import { readWindows } from "../../dialogues/whatsapp-window.ts";
import { type DueBatch, reachModeOf } from "../due-batches.ts";

type Written = { target: string; request_variables: Record<string, string> };

/** Whether a person can't be written to for want of an approved template of WhatsApp. */
export type LacksTemplate = (batch: DueBatch, person: Written) => boolean;

/** Of the campaign or the request: the name of an approved template. */
const namesTemplate = (...variables: Record<string, string>[]): boolean =>
  variables.some((each) =>
    ["whatsapp_template", "vars.whatsapp_template"].some((name) => each[name]?.trim()),
  );

/** Whether a person would get words by WhatsApp that are no approved template. */
export const isWithoutTemplate: LacksTemplate = (batch, { request_variables }) =>
  reachModeOf(batch) === "whatsapp" &&
  // A group's numbers send in place of the sender's own, and send SMS.
  batch.campaign.number_group_id === null &&
  !namesTemplate(batch.campaign.campaign_variables, request_variables);

/** WhatsApp takes other words only from whoever wrote within 24 hours. Asks nothing where every person has a template. */
export async function readLacksTemplate(
  db: Db,
  lanes: readonly { batch: DueBatch; people: readonly Written[] }[],
  now: Date,
): Promise<LacksTemplate> {
  const asked = lanes.flatMap(({ batch, people }) =>
    people
      .filter((person) => isWithoutTemplate(batch, person))
      .map(({ target: source }) => ({
        channel_target_id: batch.sender?.channel_target_id as number,
        source,
      })),
  );
  const windows = await readWindows(db, asked, now);
  const open = new Set(asked.filter((_, index) => windows[index]).map(nameOf));
  return (batch, person) =>
    isWithoutTemplate(batch, person) &&
    !open.has(
      nameOf({ channel_target_id: batch.sender?.channel_target_id as number, source: person.target }),
    );
}

const nameOf = ({ channel_target_id, source }: { channel_target_id: number; source: string }): string =>
  `${channel_target_id} ${source}`;
