import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { hostsAt, TWILIO_HOSTS } from "../../../src/carriers/twilio/twilio-api.ts";
import { createTwilio, isTwilios } from "../../../src/carriers/twilio/twilio-carrier.ts";
import type { Carrier, OutgoingCall } from "../../../src/channels/carrier.ts";
import { createEgress, type Egress } from "../../../src/egress/egress.ts";
import { parseEgressAllow } from "../../../src/egress/egress-allow.ts";
import type { Simulator } from "../../../src/simulator/simulator.ts";
import { TWILIO_ACCOUNT as account, SOME_CALL, serveIdleSimulator } from "../../harness/twilio-adapter.ts";

/** What Twilio's adapter does beside calling and texting, which carrier-adapters.test.ts is about. */
let egress: Egress;
let carrier: Carrier;
let simulator: Simulator;
let url: string;
beforeAll(async () => {
  ({ simulator, url } = await serveIdleSimulator());
  const allowed = parseEgressAllow("127.0.0.1");
  egress = createEgress({ allow: allowed.ok ? allowed.rules : { hosts: [], networks: [] } });
  carrier = createTwilio({
    egress,
    publicUrl: "https://parley.example.com",
    hosts: hostsAt(url),
    name: "Twilio",
    simulated: true,
  });
});
afterAll(() => egress.close());

const call = (key: string): OutgoingCall => ({ ...SOME_CALL, key });

describe("calls", () => {
  test("a call that waits can be called off, and one that is over is told to be", async () => {
    const { sid } = await carrier.calls!.place(account, call("cancelled"));
    await carrier.calls!.hangUp(account, sid);
    expect(simulator.callStatus(sid)).toBe("canceled");
    await expect(carrier.calls!.hangUp(account, sid)).rejects.toMatchObject({ fate: "refused" });
  });

  test("a call that still rings is canceled, and one that is over is told to be", async () => {
    const { sid } = await carrier.calls!.place(account, call("ringing"));
    await carrier.calls!.cancel(account, sid);
    expect(simulator.callStatus(sid)).toBe("canceled");
    await expect(carrier.calls!.cancel(account, sid)).rejects.toMatchObject({ fate: "refused" });
  });
});

test.each([
  ["https://api.twilio.com/2010-04-01/Accounts/AC1/Recordings/RE1", TWILIO_HOSTS, true],
  ["https://api.dublin.ie1.twilio.com/2010-04-01/Accounts/AC1/Recordings/RE1", TWILIO_HOSTS, true],
  ["http://api.twilio.com/Recordings/RE1", TWILIO_HOSTS, false],
  ["https://twilio.com.evil.example/RE1", TWILIO_HOSTS, false],
  ["https://eviltwilio.com/RE1", TWILIO_HOSTS, false],
  ["https://api.twilio.com@evil.example/RE1", TWILIO_HOSTS, false],
  ["no address", TWILIO_HOSTS, false],
  ["http://127.0.0.1:8080/RE1", hostsAt("http://127.0.0.1:8080"), true],
  ["http://127.0.0.1:8081/RE1", hostsAt("http://127.0.0.1:8080"), false],
  ["https://api.twilio.com/RE1", hostsAt("http://127.0.0.1:8080"), false],
])("%s is the carrier's own address, where %o is: %s", (address, hosts, expected) => {
  expect(isTwilios(address, hosts)).toBe(expected);
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

  test("are given back", async () => {
    const { sid } = await carrier.numbers!.buy(account, { area_code: "415", friendly_name: "For a week" });
    const release = () => carrier.numbers!.release(account, sid);
    await release();
    expect(await carrier.numbers!.list(account)).not.toContainEqual(expect.objectContaining({ sid }));
    await expect(release()).rejects.toMatchObject({ fate: "refused" });
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

  test("tell whether a simulated number was given to somebody else since a day", async () => {
    const ask = async (number: string, since: string) =>
      (await carrier.lookup!.reassigned!(account, number, since)).answer;
    expect(await ask("+15125550044", "2026-05-31")).toBe("yes");
    expect(await ask("+15125550044", "2026-06-01")).toBe("no");
    expect(await ask("+15125550001", "2020-01-01")).toBe("no");
    expect(await ask("+442079460044", "2026-05-31")).toBe("unknown");
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
  const hosts = hostsAt(url);
  const patient = { egress, publicUrl: "https://parley.example.com", hosts, name: "Twilio", simulated: true };
  const hasty = createTwilio({ ...patient, timeout_ms: 100 });
  const silent: OutgoingCall = { ...call("silent"), to: "+15123330033" };
  const since = new Date();
  const fault = await hasty.calls!.place(account, silent).catch((error) => error);
  expect(fault).toMatchObject({ fate: "unknown", message: expect.stringContaining("within 100 ms") });
  expect(await carrier.calls!.find(account, silent, since, async () => new Set())).toMatchObject({
    sid: expect.stringMatching(/^CA/),
  });
});
