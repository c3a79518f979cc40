import { createVoiceCalls } from "../../src/calls/telephone.ts";
import type { CarrierSignal } from "../../src/channels/carrier.ts";
import type { Outreach } from "../../src/channels/outreach.ts";
import type { TestApp } from "./app.ts";
import type { createNumber } from "./phone.ts";

type From = Pick<
  Awaited<ReturnType<typeof createNumber>>,
  "agent_id" | "channel_id" | "target_id" | "number"
>;

let counter = 0;

/** A try of a campaign to call somebody, and the program as campaigns see it: what they are told is kept here. */
export function voiceTry(
  app: TestApp,
  from: From,
  more: Pick<Outreach, "target"> & Partial<Pick<Outreach, "variables" | "voicemail_detection">>,
) {
  const key = `try-${++counter}`;
  const outreach: Outreach = {
    key,
    sub_organization_id: app.admin.sub_organization_id,
    mode: "voice",
    campaign_id: 1,
    agent_id: from.agent_id,
    channel_id: from.channel_id,
    channel_target_id: from.target_id,
    source: from.number,
    caller_id: null,
    variables: {},
    voicemail_detection: null,
    sms_session_ttl: null,
    is_test: false,
    ...more,
  };
  const started: { session_id: number }[] = [];
  const signals: CarrierSignal[] = [];
  const voiceCalls = createVoiceCalls({
    voice_missing: null,
    engine: app.engine,
    vault: app.vault,
    carriers: { of: async () => null },
    publicUrl: "https://parley.example",
    attempts: {
      find: async (wanted) => (wanted === key ? outreach : null),
      sessionStarted: async (_tx, _key, session) => void started.push(session),
      signal: async (some) => void signals.push(...some),
    },
  });
  return { key, voiceCalls, started, signals };
}
