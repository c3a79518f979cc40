import { afterAll } from "vitest";
import { systemClock } from "../../src/base/clock.ts";
import { silentLog } from "../../src/base/log.ts";
import { hostsAt } from "../../src/carriers/twilio/twilio-api.ts";
import { createTwilio } from "../../src/carriers/twilio/twilio-carrier.ts";
import type {
  Carrier,
  CarrierAccount,
  OutgoingCall,
  OutgoingText,
  Taken,
} from "../../src/channels/carrier.ts";
import { serveSimulator } from "../../src/simulator/mount.ts";
import { Scenario } from "../../src/simulator/people.ts";
import { createSimulator } from "../../src/simulator/simulator.ts";
import type { Adapter, Meeting } from "./carrier-adapter.ts";
import { createDoor, HASTE_MS, NOWHERE, PATIENCE_MS, twoEgresses } from "./carrier-door.ts";

export const TWILIO_ACCOUNT: CarrierAccount = {
  channel_id: 7,
  credentials: { account_sid: "AC00000000000000000000000000000007", auth_token: "the secret" },
};

/** A simulator whose people do nothing by themselves: the platform that would be called back is not there. */
export async function serveIdleSimulator() {
  const simulator = createSimulator({
    clock: systemClock,
    log: silentLog,
    base: "http://simulator.example",
    scenario: Scenario.parse({}),
    speed: "moved",
    tokenOf: () => "the secret",
    numberUrls: () => null,
    reach: (origin) => origin,
  });
  const served = await serveSimulator(simulator);
  afterAll(async () => {
    await served.close();
    await simulator.close();
  });
  return { simulator, url: served.url };
}

type Behaviour = Meeting | "failed";
/** The simulator's people by their last two digits; those behind 50 are the door's own. */
const PEOPLE: Record<Behaviour, string> = {
  fine: "01",
  refused: "16",
  busy: "30",
  down: "31",
  failed: "32",
  silent: "33",
  nonsense: "57",
  "not-signed-in": "58",
  unreachable: "01",
  forbidden: "01",
};

/** Twilio's texts, WhatsApp or calls, before the simulator. */
export async function twilioAdapter(medium: "sms" | "whatsapp" | "voice"): Promise<Adapter> {
  const { url } = await serveIdleSimulator();
  const door = await createDoor(url, ({ headers, body }) => {
    const to = new URLSearchParams(body).get("To") ?? "";
    if (to.endsWith(PEOPLE.nonsense)) return { status: 201, body: '{"sid":7,"status":null}' };
    if (!to.endsWith(PEOPLE["not-signed-in"])) return "pass";
    const message = `Authenticate: ${Buffer.from(String(headers.authorization).slice(6), "base64")}`;
    return { status: 401, body: JSON.stringify({ code: 20003, message }) };
  });
  const egress = twoEgresses();
  afterAll(() => egress.close());
  const at = (host: string, timeout_ms = PATIENCE_MS, through = egress.open): Carrier =>
    createTwilio({
      egress: through,
      publicUrl: "https://parley.example.com",
      hosts: hostsAt(host),
      name: "Twilio",
      simulated: true,
      timeout_ms,
    });
  const carrier = at(door.url);
  const others: Partial<Record<Behaviour, Carrier>> = {
    silent: at(door.url, HASTE_MS),
    unreachable: at(NOWHERE),
    forbidden: at(door.url, PATIENCE_MS, egress.guarded),
  };

  // Somebody new for each key, which is found in the words of a text and in the addresses for a call's callbacks.
  const people = new Map<string, number>();
  const to = (who: Behaviour, key: string) => {
    const n = people.get(key) ?? people.size;
    people.set(key, n);
    return `+151255${String(n).padStart(3, "0")}${PEOPLE[who]}`;
  };
  const text = (who: Behaviour, key: string): OutgoingText => ({
    key,
    medium: medium === "voice" ? "sms" : medium,
    from: "+14155550100",
    to: to(who, key),
    text: `Hello ${key}`,
    template: null,
  });
  const call = (who: Behaviour, key: string): OutgoingCall => ({ ...SOME_CALL, key, to: to(who, key) });
  const send = (who: Behaviour, key: string): Promise<Taken> => {
    const through = others[who] ?? carrier;
    return medium === "voice"
      ? through.calls!.place(TWILIO_ACCOUNT, call(who, key))
      : through.texts!.send(TWILIO_ACCOUNT, text(who, key));
  };
  const noneKnown = async () => new Set<string>();
  const find = (who: Behaviour, key: string, since: Date) =>
    medium === "voice"
      ? carrier.calls!.find(TWILIO_ACCOUNT, call(who, key), since, noneKnown)
      : carrier.texts!.find(TWILIO_ACCOUNT, text(who, key), since, noneKnown);
  return {
    send,
    asked: door.asked,
    accepted: door.accepted,
    secrets: ["the secret"],
    says_when: true,
    lookUp: {
      fail: (took, key) => send(took ? "down" : "failed", key),
      find: (what, key, since) => find(what === "failed-but-taken" ? "down" : what, key, since),
    },
  };
}

export const SOME_CALL: OutgoingCall = {
  key: "k",
  from: "+14155550100",
  to: "+15125550001",
  caller_id: null,
  answerer_detection: {
    timeout_s: 30,
    speech_threshold_s: 2.4,
    speech_end_threshold_s: 1.2,
    silence_timeout_s: 5,
  },
  ring_timeout_s: 40,
  longest_s: 3600,
};
