import { sql } from "kysely";
import type { Db } from "../db/database.ts";

export type SenderProblem = "not-ours" | "not-answered" | "not-registered";
export type SenderFinding = { number: string; problem: SenderProblem; text: string };

/** A channel target of the sub-organization. `is_answered`: it has an agent that exists. */
export type OwnNumber = {
  target: string;
  target_mode: string;
  is_answered: boolean;
  a2p_verified: boolean | null;
};

/** What is wrong with the numbers that people see, and what to do. Pure. */
export function senderFindings(
  mode: string,
  shown: readonly string[],
  own: readonly OwnNumber[],
  { reaches_us }: { reaches_us: boolean },
): SenderFinding[] {
  if (mode !== "voice" && mode !== "sms") return [];
  return [...new Set(shown)].flatMap((number): SenderFinding[] => {
    const ours = own.filter(({ target }) => target === number);
    if (ours.length === 0)
      return [
        {
          number,
          problem: "not-ours",
          text: `${number} is no number of yours. Connect it to a channel, or choose another one.`,
        },
      ];
    if (mode === "voice")
      return ours.some(({ target_mode, is_answered }) => target_mode === "voice" && is_answered)
        ? []
        : [
            {
              number,
              problem: "not-answered",
              text: `Nobody answers calls to ${number}. Connect an agent to it for voice, so that who calls back reaches one.`,
            },
          ];
    const isRegistered = ours.some(
      ({ target_mode, a2p_verified }) => target_mode === "sms" && a2p_verified === true,
    );
    if (!reaches_us || !number.startsWith("+1") || isRegistered) return [];
    return [
      {
        number,
        problem: "not-registered",
        text: `${number} is not known to be registered for texts to the US (A2P 10DLC). Register it with your carrier, then check it on its channel.`,
      },
    ];
  });
}

/** Of the numbers that a campaign shows: its caller ID or its number, and those of its number group. */
export async function readSenderFindings(
  db: Db,
  campaign_id: number,
  how: { reaches_us: boolean },
): Promise<SenderFinding[]> {
  const { rows } = await sql<{ mode: string; shown: string[]; own: OwnNumber[] }>`
    with shown as (
      select coalesce(c.mode, 'voice') as mode, c.sub_organization_id, array_remove(array[coalesce(
        case when coalesce(c.mode, 'voice') = 'voice' then c.caller_id end,
        case when c.number_group_id is null then c.source end)], null)
      || array(select t.target from number_group_numbers n join channel_targets t on t.id = n.channel_target_id
        where n.group_id = c.number_group_id order by t.id) as numbers
      from campaigns c where c.id = ${campaign_id})
    select s.mode, s.numbers as shown, coalesce((
      select json_agg(json_build_object('target', t.target, 'target_mode', t.target_mode,
        'is_answered', a.id is not null, 'a2p_verified', t.a2p_verified))
      from channel_targets t left join agents a on a.id = t.agent_id and a.deleted_at is null
      where t.sub_organization_id = s.sub_organization_id and t.target = any(s.numbers)), '[]') as own
    from shown s`.execute(db);
  const [found] = rows;
  return found ? senderFindings(found.mode, found.shown, found.own, how) : [];
}
