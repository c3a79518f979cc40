import { afterAll, beforeAll, expect, test } from "vitest";
import { twoEgresses } from "../../../test/harness/carrier-door.ts";
import { createPeer, json, type Peer } from "../../../test/harness/peer.ts";
import { SOME_CALL } from "../../../test/harness/twilio-adapter.ts";
import { createTelnyx } from "./telnyx-carrier.ts";
import { writeState } from "./telnyx-state.ts";

const ACCOUNT = {
  channel_id: 7,
  credentials: { carrier: "telnyx", api_key: "key", public_key: "", connection_id: "1234" },
};
const SINCE = new Date();

/** As https://developers.telnyx.com/api-reference/debugging/list-call-events shows one, with the event that it includes. */
const kept = (name: string, key: string, payload: object = {}) => ({
  record_type: "call_event",
  call_leg_id: "308fe500-5213-11e9-ace7-02420a0f0668",
  event_timestamp: SINCE.toISOString(),
  name,
  type: "webhook",
  metadata: {
    attempts: 3,
    raw: {
      data: {
        event_type: name,
        payload: { call_control_id: `v3:${key}`, client_state: writeState({ key }), ...payload },
      },
    },
  },
});

let telnyx: Peer;
let events: object[] | null = [];
const egress = twoEgresses();
afterAll(() => egress.close());
beforeAll(async () => {
  telnyx = await createPeer();
  telnyx.respond((request, response) => {
    if (!request.path.startsWith("/call_events")) return json(response, 200, { data: [] });
    if (events === null) return json(response, 403, { errors: [{ code: "10010", title: "Not permitted" }] });
    return json(response, 200, { data: events });
  });
});
const find = (key: string) =>
  createTelnyx({
    egress: egress.open,
    publicUrl: "https://parley.example.com",
    base_url: telnyx.url,
  }).calls!.find(ACCOUNT, { ...SOME_CALL, key }, SINCE, async () => new Set());

test("a call that is over, and whose events nobody took, is found by its key and how it ended", async () => {
  const other = [
    kept("call.initiated", "other"),
    kept("call.hangup", "other", { hangup_cause: "user_busy" }),
  ];
  events = [
    ...other,
    kept("call.initiated", "rang"),
    kept("call.hangup", "rang", { hangup_cause: "timeout" }),
  ];
  expect(await find("rang")).toEqual({ sid: "v3:rang", status: "NO-ANSWER" });
  expect(await find("other")).toEqual({ sid: "v3:other", status: "BUSY" });
  expect(await find("never")).toBeNull();
});

test("who picked up such a call heard nobody: it is no conversation", async () => {
  const end = kept("call.hangup", "silent", { hangup_cause: "normal_clearing" });
  events = [kept("call.initiated", "silent"), kept("call.answered", "silent"), end];
  expect(await find("silent")).toEqual({ sid: "v3:silent", status: "NO_OUTCOME" });
});

test("an account that does not show its events, and events without what was posted, find nothing", async () => {
  events = [{ ...kept("call.hangup", "bare"), metadata: {} }];
  expect(await find("bare")).toBeNull();
  events = null;
  expect(await find("bare")).toBeNull();
});
