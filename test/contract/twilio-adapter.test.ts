import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { systemClock } from "../../src/base/clock.ts";
import { createEgress, type Egress } from "../../src/base/egress.ts";
import { parseEgressAllow } from "../../src/base/egress-allow.ts";
import { silentLog } from "../../src/base/log.ts";
import type { Carrier, CarrierAccount, OutgoingCall, OutgoingText } from "../../src/channels/carrier.ts";
import { serveSimulator } from "../../src/channels/simulator/mount.ts";
import { Scenario } from "../../src/channels/simulator/people.ts";
import { createSimulator, type Simulator } from "../../src/channels/simulator/simulator.ts";
import { hostsAt } from "../../src/channels/twilio-api.ts";
import { createTwilio } from "../../src/channels/twilio-carrier.ts";
import { adapterSuite, type Recipient } from "../harness/carrier-adapter.ts";

const account: CarrierAccount = {
  channel_id: 7,
  credentials: { account_sid: "AC00000000000000000000000000000007", auth_token: "the secret" },
};

let egress: Egress;
let carrier: Carrier;
let simulator: Simulator;
let served: Awaited<ReturnType<typeof serveSimulator>>;
let close: () => Promise<void>;
beforeAll(async () => {
  simulator = createSimulator({
    clock: systemClock,
    log: silentLog,
    base: "http://simulator.example",
    scenario: Scenario.parse({}),
    // Nothing happens by itself: the platform that would be called back is not there.
    speed: "moved",
    tokenOf: () => "the secret",
    numberUrls: () => null,
    reach: (origin) => origin,
  });
  served = await serveSimulator(simulator);
  const allowed = parseEgressAllow("127.0.0.1");
  egress = createEgress({ allow: allowed.ok ? allowed.rules : { hosts: [], networks: [] } });
  const hosts = hostsAt(served.url);
  const publicUrl = "https://parley.example.com";
  carrier = createTwilio({ egress, publicUrl, hosts, name: "Twilio", simulated: true });
  close = async () => {
    await served.close();
    await simulator.close();
    await egress.close();
  };
});
afterAll(() => close());

/** The simulator's people by their last two digits; somebody else for each medium, who counts their own 429s. */
const NUMBERS: Record<Recipient, string> = {
  fine: "01",
  refused: "16",
  "too-many": "30",
  "failed-but-taken": "31",
  failed: "32",
};
const KNOWS = Object.keys(NUMBERS) as Recipient[];
const number = (medium: string, to: Recipient) =>
  `+1512${{ sms: 1, whatsapp: 2, voice: 3 }[medium]}00${NUMBERS[to].padStart(4, "0")}`;

for (const medium of ["sms", "whatsapp"] as const) {
  const text = (to: Recipient, key: string): OutgoingText => ({
    key,
    medium,
    from: "+15125550100",
    to: number(medium, to),
    text: `Hello ${key}`,
    template: null,
  });
  adapterSuite(`Twilio ${medium}`, () => ({
    send: (to, key) => carrier.texts!.send(account, text(to, key)),
    find: (to, key, since) => carrier.texts!.find(account, text(to, key), since),
    knows: KNOWS,
  }));
}

const call = (to: Recipient, key: string): OutgoingCall => ({
  key,
  from: "+15125550100",
  to: number("voice", to),
  caller_id: null,
  answerer_detection: {
    timeout_s: 30,
    speech_threshold_s: 2.4,
    speech_end_threshold_s: 1.2,
    silence_timeout_s: 5,
  },
  ring_timeout_s: 40,
  longest_s: 3600,
});
adapterSuite("Twilio voice", () => ({
  send: (to, key) => carrier.calls!.place(account, call(to, key)),
  find: (to, key, since) => carrier.calls!.find(account, call(to, key), since),
  knows: KNOWS,
}));

describe("calls", () => {
  test("a call that waits can be called off, and one that is over is told to be", async () => {
    const { sid } = await carrier.calls!.place(account, call("fine", "cancelled"));
    await carrier.calls!.hangUp(account, sid);
    expect(simulator.callStatus(sid)).toBe("canceled");
    await expect(carrier.calls!.hangUp(account, sid)).rejects.toMatchObject({ fate: "refused" });
  });
});

describe("numbers", () => {
  test("are listed, bought in an area and attached, each leading to us", async () => {
    const before = await carrier.numbers!.list(account);
    expect(before).toHaveLength(2);
    const bought = await carrier.numbers!.buy(account, { area_code: "415", friendly_name: "Front desk" });
    expect(bought).toMatchObject({
      phone_number: expect.stringMatching(/^\+1415/),
      friendly_name: "Front desk",
    });
    const attached = await carrier.numbers!.attach(account, { sid: before[0]!.sid, friendly_name: "Night" });
    expect(attached).toMatchObject({ sid: before[0]!.sid, friendly_name: "Night", trunk_sid: "" });
    expect(await carrier.numbers!.list(account)).toHaveLength(3);
    await expect(
      carrier.numbers!.attach(account, { sid: "PNnone", friendly_name: "x" }),
    ).rejects.toMatchObject({ fate: "refused" });
  });

  test("are approved for texts in the US if their service, brand and campaign are", async () => {
    const [first] = await carrier.numbers!.list(account);
    expect(await carrier.numbers!.isA2pApproved(account, first!.phone_number)).toBe(true);
    expect(await carrier.numbers!.isA2pApproved(account, "+19995550000")).toBe(false);
  });
});

describe("lookups", () => {
  test("ask and pay for the packages that the fields need only", async () => {
    const { lookup } = carrier.lookup!;
    expect(await lookup(account, "+15125550001", ["line_type", "carrier"])).toEqual({
      facts: {
        line_type: "mobile",
        carrier_name: "Simulated Mobile",
        mcc: "310",
        mnc: "999",
        error_code: null,
        caller_name: null,
        caller_type: null,
      },
      cost: 0.008,
    });
    const business = await lookup(account, "+15125550043", ["line_type", "caller_name"]);
    expect(business).toMatchObject({ facts: { caller_name: "ACME CORP", caller_type: "BUSINESS" } });
    expect(business.cost).toBeCloseTo(0.018);
  });

  test("of a number that nobody knows tell so without a fault", async () => {
    const { facts } = await carrier.lookup!.lookup(account, "+15125550016", ["line_type"]);
    expect(facts).toMatchObject({ line_type: null, error_code: "60600" });
  });
});

test("an account with a wrong token is not signed in, and may be tried again when it is mended", async () => {
  const wrong = { ...account, credentials: { ...account.credentials, auth_token: "another secret" } };
  const fault = await carrier.numbers!.list(wrong).then(
    () => null,
    (error) => error,
  );
  expect(fault).toMatchObject({ fate: "not-sent", retry_after_s: 300 });
  expect(fault.message).not.toContain("secret");
});

test("a carrier that never answers is not waited for for ever, and is asked afterwards what it took", async () => {
  const hosts = hostsAt(served.url);
  const patient = { egress, publicUrl: "https://parley.example.com", hosts, name: "Twilio", simulated: true };
  const hasty = createTwilio({ ...patient, timeout_ms: 100 });
  const silent: OutgoingCall = { ...call("fine", "silent"), to: "+15123330033" };
  const since = new Date();
  const fault = await hasty.calls!.place(account, silent).catch((error) => error);
  expect(fault).toMatchObject({ fate: "unknown", message: expect.stringContaining("within 100 ms") });
  expect(await carrier.calls!.find(account, silent, since)).toMatchObject({
    sid: expect.stringMatching(/^CA/),
  });
});
