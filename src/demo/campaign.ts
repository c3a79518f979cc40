import type { Caller } from "../api/caller.ts";
import type { Clock } from "../base/clock.ts";
import type { Vault } from "../base/crypto.ts";
import { CommunicationBatchInput } from "../batches/batch-schema.ts";
import { insertBatch, lockBatch, statusAfter, updateBatch } from "../batches/batch-store.ts";
import { addRequests, type NewRequest, newRequest } from "../batches/request-store.ts";
import { OutboundCampaignInput } from "../campaigns/campaign-schema.ts";
import { insertCampaign } from "../campaigns/campaign-store.ts";
import { checkCampaign } from "../campaigns/check-campaign.ts";
import { saveOutreachRules } from "../campaigns/outreach-rules.ts";
import { saveReachRules } from "../campaigns/reach-rules.ts";
import { targetsOf } from "../channels/address.ts";
import { insertChannel } from "../channels/channel.ts";
import { insertTarget } from "../channels/claim-target.ts";
import type { Tx } from "../db/database.ts";
import { FEDERAL_HOURS } from "../planning/contact-hours.ts";
import type { OutreachRules } from "../planning/person-hold.ts";
import { organizationJsonSealer } from "../redaction/text-sealer.ts";
import { insertConsents, insertEarlierCalls } from "./known-people.ts";

/** Where the demo's agents are called and written to, while no carrier is configured: by simulated people only. */
const CLINIC_NUMBER = "+15125550100";
const REMINDER_NUMBER = "+15125550101";
const DEMO_BATCH = "demo-patients";

/** The last two digits say who they are (docs/simulator.md): who picks up, who is busy, whose mailbox answers … */
const PEOPLE: [name: string, digits: string][] = [
  ["Ann Lee", "01"],
  ["Ben Ortiz", "02"],
  ["Carla Voss", "03"],
  ["Dev Patel", "04"],
  ["Eve Stone", "05"],
  ["Femi Ade", "06"],
  ["Gus Marin", "07"],
  ["Hana Sato", "09"],
  ["Ivo Petrov", "10"],
  ["June Park", "51"],
  ["Kofi Mensah", "52"],
  ["Lena Braun", "53"],
];
const AREAS = ["212", "312", "303", "602", "213", "808"];

type Demo = { tx: Tx; caller: Caller; clock: Clock; vault: Vault };

/** A telephone with two numbers, and a campaign with its people, on hold until somebody starts it. */
export async function insertDemoCampaign(
  demo: Demo,
  agents: { clinic: number; reminder: number },
): Promise<void> {
  const { tx, caller, clock, vault } = demo;
  const channel = await insertChannel(tx, { clock, vault, voice_missing: null }, caller, {
    name: "Telephone",
    channel_service: "twilio",
    supported_modes: "voice,sms",
    // Never over an account of the operator's: these numbers are nobody's.
    is_system_channel: false,
    config: {},
  });
  let caller_target = 0;
  for (const [target, agent_id] of [
    [CLINIC_NUMBER, agents.clinic],
    [REMINDER_NUMBER, agents.reminder],
  ] as const) {
    for (const target_mode of ["voice", "sms"] as const) {
      const claim = {
        channel_id: channel.id,
        agent_id,
        target,
        target_mode,
        fallback_target: null,
        is_test: false,
      };
      // These numbers are the demo's own, so no carrier is asked for them.
      const id = await insertTarget(tx, clock, caller, claim, true);
      if (target === REMINDER_NUMBER && target_mode === "voice") caller_target = id;
    }
  }
  const at = clock.now();
  await saveOutreachRules(tx, caller.organization_id, DEMO_RULES, { by: caller.email, at });
  const campaign_id = await insertReminders(demo);
  const patients = await insertPatients(demo, campaign_id);
  const targets = patients.flatMap(({ reference_id, target }) =>
    reference_id === NO_CONSENT ? [] : [target],
  );
  await insertConsents(demo, targets);
  const tired = patients.find(({ reference_id }) => reference_id === CALLED_TODAY);
  const line = { channel_id: channel.id, channel_target_id: caller_target, source: REMINDER_NUMBER };
  if (tired) await insertEarlierCalls(demo, campaign_id, { agent_id: agents.reminder, ...line }, tired);
}

/** The demo is looked at whenever there is time for it, so only its people in Hawaii keep hours. */
const DEMO_RULES: OutreachRules = {
  person_clock: true,
  contact_hours: FEDERAL_HOURS.map((hours) => ({ ...hours, jurisdiction: "US-HI" })),
  caps: [{ channel: "call", attempts: 3, days: 1 }],
  days_after_conversation: null,
};

/** They asked to be called in their own morning. */
const LATER = new Set(["patient-11", "patient-23"]);
/** Never agreed to such calls. */
const NO_CONSENT = "patient-9";
/** Called as often as the cap allows already. */
const CALLED_TODAY = "patient-20";

const tomorrow = (now: Date): string =>
  `${new Date(now.getTime() + 86_400_000).toISOString().slice(0, 10)}T08:30`;

/** Open at every hour: a demo is looked at when there is time for it. */
async function insertReminders({ tx, caller, clock, vault }: Demo): Promise<number> {
  const checked = checkCampaign(
    OutboundCampaignInput.parse({
      campaign_name: "Visit reminders",
      description: "Calls patients the day before their visit",
      mode: "voice",
      source: REMINDER_NUMBER,
      caller_id: REMINDER_NUMBER,
      campaign_variables: { visit_date: "tomorrow" },
      daily_start_time: "00:00:00",
      daily_end_time: "00:00:00",
      active_days: ["mon", "tue", "wed", "thu", "fri", "sat", "sun"],
      hourly_rate: 720,
      retry_count: 2,
      retry_interval: "10m",
      voicemail_detection: { mode: "v1" },
      labels: ["demo"],
    }),
  );
  if (checked.kind === "refused") throw new Error(JSON.stringify(checked.issues));
  const { id } = await insertCampaign(tx, vault, { caller, at: clock.now() }, checked.campaign);
  // The clinic is careful with its reminders: it calls those who agreed to it.
  await saveReachRules(tx, id, { purpose: "marketing" });
  return id;
}

async function insertPatients(
  { tx, caller, clock, vault }: Demo,
  campaign_id: number,
): Promise<NewRequest[]> {
  const stamp = { caller, at: clock.now() };
  const input = CommunicationBatchInput.parse({ batch_id: DEMO_BATCH, campaign_id, paused: true });
  await insertBatch(tx, stamp, input);
  const locked = await lockBatch(tx, clock, caller, DEMO_BATCH);
  const normalise = targetsOf({ mode: "voice", source: REMINDER_NUMBER, caller_id: REMINDER_NUMBER });
  const seal = await organizationJsonSealer(tx, vault, caller.sub_organization_id);
  const requests = PEOPLE.flatMap(([name, digits], index) =>
    [0, 1].map((half) => {
      const area = AREAS[(index + half * 3) % AREAS.length];
      const reference_id = `patient-${index + 1 + half * PEOPLE.length}`;
      const not_before = LATER.has(reference_id) ? { not_before: tomorrow(locked.at) } : {};
      return newRequest(
        {
          reference_id,
          target: `+1${area}55501${digits}`,
          request_variables: JSON.stringify({ name, ...not_before }),
        },
        normalise,
        seal,
      );
    }),
  );
  await addRequests(tx, { batch_key: locked.key, at: locked.at }, requests);
  await updateBatch(tx, locked, caller.email, { status: statusAfter(locked, { kind: "filled" }) });
  return requests;
}
