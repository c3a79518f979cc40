import { validateRequest } from "twilio/lib/webhooks/webhooks.js";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { movedClock } from "../../../src/base/clock.ts";
import { silentLog } from "../../../src/base/log.ts";
import { Scenario } from "../../../src/simulator/people.ts";
import { createSimulator, type Simulator } from "../../../src/simulator/simulator.ts";
import { createPeer, type Peer } from "../../harness/peer.ts";

const ACCOUNT = "AC00000000000000000000000000000007";
const TOKEN = "token of the account";
const clock = movedClock("2026-11-18T12:00:00.000Z");

let platform: Peer;
let simulator: Simulator;
/** What the platform answers when it is asked what to do with a call. */
let markup = "<Response><Hangup/></Response>";
beforeAll(async () => {
  platform = await createPeer();
  platform.respond((request, response) => {
    if (request.path.endsWith("/answer") || request.path.endsWith("/voice")) {
      response.writeHead(200, { "content-type": "text/xml" }).end(markup);
    } else response.writeHead(204).end();
  });
  simulator = createSimulator({
    clock,
    log: silentLog,
    base: "http://simulator.example",
    scenario: Scenario.parse({}),
    speed: "moved",
    tokenOf: () => TOKEN,
    numberUrls: () => ({
      voice: `${platform.url}/voice`,
      status: `${platform.url}/voice/status`,
      messages: `${platform.url}/messages`,
    }),
    reach: (origin) => origin,
  });
});
afterAll(() => simulator.close());

const rest = (method: string, path: string, form: Record<string, string> = {}) =>
  simulator.answer({
    method,
    path: `/2010-04-01/Accounts/${ACCOUNT}/${path}`,
    query: new URLSearchParams(),
    form: new URLSearchParams(form),
    authorization: `Basic ${Buffer.from(`${ACCOUNT}:${TOKEN}`).toString("base64")}`,
  }) as { status: number; body: { sid: string; status: string } };

async function call(ending: string, more: Record<string, string> = {}) {
  const from = platform.requests.length;
  const placed = rest("POST", "Calls.json", {
    From: "+15125550100",
    To: `+151255502${ending}`,
    Url: `${platform.url}/answer`,
    StatusCallback: `${platform.url}/status#rc=3&rp=ct,5xx`,
    ...more,
  });
  await simulator.advance(clock, 120_000);
  const told = platform.requests.slice(from).map((request) => ({
    path: request.path,
    form: Object.fromEntries(new URLSearchParams(request.body)),
    headers: request.headers,
  }));
  const { sid } = placed.body;
  const own = told.filter(({ path, form }) => path === "/status" && form.CallSid === sid);
  return { placed, told, statuses: own.map(({ form }) => form) };
}

test("every callback is signed as Twilio's own library checks it", async () => {
  const { told } = await call("01");
  expect(told.length).toBeGreaterThan(2);
  for (const { path, form, headers } of told) {
    const signature = String(headers["x-twilio-signature"]);
    expect(validateRequest(TOKEN, signature, `${platform.url}${path}`, form)).toBe(true);
  }
});

describe("what calling somebody meets", () => {
  test.each([
    ["02", [["busy", "486"]]],
    ["03", [["no-answer", undefined]]],
    ["05", [["busy", "603"]]],
    ["15", [["failed", "480"]]],
    ["22", [["failed", "404"]]],
    [
      "01",
      [
        ["in-progress", undefined],
        ["completed", undefined],
      ],
    ],
  ])("…%s: %j", async (ending, expected) => {
    const { placed, statuses } = await call(ending, { Timeout: "40" });
    expect(placed).toMatchObject({ status: 201, body: { status: "queued" } });
    expect(statuses.map((form) => [form.CallStatus, form.SipResponseCode])).toEqual(expected);
    expect(new Set(statuses.map((form) => form.CallSid))).toEqual(new Set([placed.body.sid]));
  });

  test("the number that doesn't exist is refused at once", () => {
    const refused = rest("POST", "Calls.json", {
      From: "+15125550100",
      To: "+15125550216",
      Url: "http://x/",
    });
    expect(refused).toMatchObject({ status: 400, body: { code: 21211 } });
  });

  test("listening to who answers is told while the call goes on", async () => {
    const amd = {
      MachineDetection: "DetectMessageEnd",
      AsyncAmd: "true",
      AsyncAmdStatusCallback: `${platform.url}/amd`,
    };
    markup = "<Response><Dial action='x'>+15125550201</Dial></Response>".replaceAll("'", '"');
    const answeredBy = async (ending: string) =>
      (await call(ending, amd)).told.find(({ path }) => path === "/amd")?.form.AnsweredBy;
    expect(await answeredBy("01")).toBe("human");
    expect(await answeredBy("04")).toBe("machine_end_beep");
    expect(await answeredBy("14")).toBe("fax");
    markup = "<Response><Hangup/></Response>";
  });

  test.each([
    ["34", ["in-progress", "in-progress", "completed", "completed"]],
    ["35", ["completed"]],
    ["36", []],
    ["37", []],
  ])("callbacks of …%s come as %j at first", async (ending, expected) => {
    const { statuses } = await call(ending);
    expect(statuses.map((form) => form.CallStatus)).toEqual(expected);
  });

  test("callbacks that are late come an hour later, and lost ones never", async () => {
    const from = platform.requests.length;
    await simulator.advance(clock, 2 * 3_600_000);
    const words = platform.requests
      .slice(from)
      .filter(({ path }) => path === "/status")
      .map(({ body }) => new URLSearchParams(body).get("CallStatus"));
    expect(words.toSorted()).toEqual(["completed", "in-progress"]);
  });

  test("a callback that the platform fails at comes again, as its address asks", async () => {
    let failures = 2;
    platform.respond((request, response) => {
      if (request.path === "/answer") return response.writeHead(200).end(markup);
      return response.writeHead(failures-- > 0 ? 503 : 204).end();
    });
    const { statuses } = await call("02");
    expect(statuses.map((form) => form.CallStatus)).toEqual(["busy", "busy", "busy"]);
  });

  test("a call is forgotten by no one until a hundred thousand newer ones came", async () => {
    const { placed } = await call("02");
    expect(rest("GET", `Calls/${placed.body.sid}.json`).body).toMatchObject({ status: "busy" });
  });
});

test("a call that is hung up before its answer has come stays over, whatever the answer is", async () => {
  const released = Promise.withResolvers<void>();
  platform.respond(async ({ path }, response) => {
    if (path !== "/voice") return response.writeHead(204).end();
    await released.promise;
    const connect = '<Connect><ConversationRelay url="ws://x.example/relay"/></Connect>';
    return response.writeHead(200).end(`<Response>${connect}</Response>`);
  });
  const from = platform.requests.length;
  const told = () => platform.requests.slice(from).map(({ path }) => path);
  const called = simulator.call(ACCOUNT, { from: "+15125550201", to: "+15125550100" });
  await expect.poll(told).toEqual(["/voice"]);
  const sid = new URLSearchParams(platform.requests[from]?.body).get("CallSid") ?? "";
  rest("POST", `Calls/${sid}.json`, { Status: "completed" });
  released.resolve();
  expect(await called).toBe(sid);
  await simulator.advance(clock, 10_000);
  expect(simulator.callStatus(sid)).toBe("canceled");
  const statuses = platform.requests
    .slice(from)
    .filter(({ path }) => path === "/voice/status")
    .map(({ body }) => new URLSearchParams(body).get("CallStatus"));
  expect(statuses).toEqual(["canceled"]);
});

test("whoever signs in with another token gets nothing", () => {
  const authorization = `Basic ${Buffer.from(`${ACCOUNT}:guess`).toString("base64")}`;
  const asked = { method: "GET", path: `/2010-04-01/Accounts/${ACCOUNT}/Calls.json` };
  const none = { query: new URLSearchParams(), form: new URLSearchParams() };
  expect(simulator.answer({ ...asked, ...none, authorization })).toMatchObject({ status: 401 });
  expect(simulator.answer({ ...asked, ...none, authorization: undefined })).toMatchObject({ status: 401 });
});
