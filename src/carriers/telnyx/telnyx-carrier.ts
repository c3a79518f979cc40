import { createHash } from "node:crypto";
import { z } from "zod";
import type { Carrier, CarrierAccount, CarrierCalls } from "../../channels/carrier.ts";
import type { Egress } from "../../egress/egress.ts";
import { SLACK_MS } from "../twilio/twilio-alike.ts";
import { createTelnyxApi, TELNYX_URL, type TelnyxApi } from "./telnyx-api.ts";
import { findEndedCall } from "./telnyx-ended-calls.ts";
import { telnyxLookup } from "./telnyx-lookup.ts";
import { telnyxNumbers } from "./telnyx-numbers.ts";
import { readState, writeState } from "./telnyx-state.ts";
import { telnyxTexts } from "./telnyx-texts.ts";

export const TELNYX_NAME = "Telnyx";
export const TELNYX_PREFIX = "/carriers/telnyx";

/** Rings somewhere else this long before the person hears that nobody is there. */
const TRANSFER_RING_S = 30;

/** Beside placing calls, what a call that is there is told to do. */
export type TelnyxCommands = {
  answer(account: CarrierAccount, sid: string): Promise<void>;
  reject(account: CarrierAccount, sid: string, cause: "CALL_REJECTED" | "USER_BUSY"): Promise<void>;
  /** Hands the call's audio to our WebSocket, both ways. */
  stream(
    account: CarrierAccount,
    sid: string,
    line: { url: string; call_id: string; token: string },
  ): Promise<void>;
  transfer(account: CarrierAccount, sid: string, to: string, caller_id: string | null): Promise<void>;
  hangUp(account: CarrierAccount, sid: string): Promise<void>;
};

type TelnyxParts = { egress: Egress; publicUrl: string; base_url?: string | null; timeout_ms?: number };

/**
 * Telnyx's Call Control for calls (https://developers.telnyx.com/docs/voice/programmable-voice), its texts and its number
 * lookup. An account is an API key,
 * the id of its Call Control application (`connection_id`), and the public key that its events are signed with.
 */
export function createTelnyx(parts: TelnyxParts): Carrier & { commands: TelnyxCommands } {
  const api = createTelnyxApi(parts.egress, parts.base_url ?? TELNYX_URL, parts.timeout_ms);
  return {
    name: TELNYX_NAME,
    simulated: false,
    check: (account) => checkAccount(api, account),
    numbers: telnyxNumbers(api),
    calls: telnyxCalls(api, parts.publicUrl),
    texts: telnyxTexts(
      api,
      (channel_id, key) =>
        `${parts.publicUrl}${TELNYX_PREFIX}/${channel_id}/messages/${encodeURIComponent(key)}/status`,
    ),
    lookup: telnyxLookup(api),
    commands: telnyxCommands(api),
  };
}

async function checkAccount(api: TelnyxApi, account: CarrierAccount): Promise<string> {
  const id = encodeURIComponent(account.credentials.connection_id ?? "");
  const answer = z.object({
    data: z.object({ application_name: z.string(), active: z.boolean().nullish() }),
  });
  const { data } = await api.get(account, { path: `/call_control_applications/${id}`, answer });
  return `Call Control application “${data.application_name}”${data.active === false ? ", which is not active" : ""}.`;
}

/** https://developers.telnyx.com/api-reference/call-commands/dial */
const Dialled = z.object({ data: z.object({ call_control_id: z.string().min(1) }) });

/** https://developers.telnyx.com/api-reference/call-information/list-all-active-calls-for-given-connection */
const ActiveCalls = z.object({
  data: z.array(
    z.object({
      call_control_id: z.string(),
      client_state: z.string().nullish(),
      /** Seconds. */
      call_duration: z.number().nullish(),
    }),
  ),
});

function telnyxCalls(api: TelnyxApi, publicUrl: string): CarrierCalls {
  const hangUp: CarrierCalls["hangUp"] = (account, sid) => command(api, account, sid, "hangup", {});
  return {
    async place(account, call) {
      const { data } = await api.post(account, {
        path: "/calls",
        body: {
          connection_id: account.credentials.connection_id,
          to: call.to,
          from: call.caller_id ?? call.from,
          timeout_secs: within(call.ring_timeout_s, 5, 600),
          time_limit_secs: within(call.longest_s, 60, 14_400),
          client_state: writeState({ key: call.key }),
          command_id: commandId("dial", call.key),
          webhook_url: `${publicUrl}${TELNYX_PREFIX}/${account.channel_id}/events`,
        },
        answer: Dialled,
      });
      return { sid: data.call_control_id, status: "QUEUED" };
    },
    /** Among the calls that run now. One that is over has told so with its key, if anybody listened. */
    async find(account, { key, to }, since) {
      const id = encodeURIComponent(account.credentials.connection_id ?? "");
      const { data } = await api.get(account, {
        path: `/connections/${id}/active_calls?page[limit]=250`,
        answer: ActiveCalls,
      });
      const found = data.find(({ client_state }) => readState(client_state).key === key);
      if (!found) return findEndedCall(api, account, { key, to }, new Date(since.getTime() - SLACK_MS));
      const began = Date.now() - (found.call_duration ?? 0) * 1000;
      return began < since.getTime() - SLACK_MS ? null : { sid: found.call_control_id, status: "QUEUED" };
    },
    hangUp,
    cancel: hangUp,
  };
}

const telnyxCommands = (api: TelnyxApi): TelnyxCommands => ({
  answer: (account, sid) => command(api, account, sid, "answer", { command_id: commandId("answer", sid) }),
  reject: (account, sid, cause) => command(api, account, sid, "reject", { cause }),
  /** https://developers.telnyx.com/api-reference/call-commands/streaming-start */
  stream: (account, sid, { url, call_id, token }) =>
    command(api, account, sid, "streaming_start", {
      stream_url: url,
      stream_track: "inbound_track",
      stream_codec: "PCMU",
      stream_bidirectional_mode: "rtp",
      stream_bidirectional_codec: "PCMU",
      stream_bidirectional_sampling_rate: 8000,
      // Come back in the socket's first message; an address would stand in logs.
      custom_parameters: [
        { name: "call_id", value: call_id },
        { name: "token", value: token },
      ],
      // An event that comes twice starts no second stream.
      command_id: commandId("stream", token),
    }),
  /** https://developers.telnyx.com/api-reference/call-commands/transfer-call */
  transfer: (account, sid, to, caller_id) =>
    command(api, account, sid, "transfer", {
      to,
      ...(caller_id !== null && { from: caller_id }),
      timeout_secs: TRANSFER_RING_S,
      target_leg_client_state: writeState({ transfer_of: sid }),
    }),
  hangUp: (account, sid) => command(api, account, sid, "hangup", {}),
});

const command = async (
  api: TelnyxApi,
  account: CarrierAccount,
  sid: string,
  action: string,
  body: object,
): Promise<void> => {
  await api.post(account, {
    path: `/calls/${encodeURIComponent(sid)}/actions/${action}`,
    body,
    answer: z.unknown(),
  });
};

/** Telnyx ignores a command whose id it has seen for the call. */
const commandId = (what: string, text: string): string =>
  `${what}-${createHash("sha256").update(text).digest("hex").slice(0, 32)}`;

const within = (value: number, least: number, most: number): number =>
  Math.round(Math.min(most, Math.max(least, value)));
