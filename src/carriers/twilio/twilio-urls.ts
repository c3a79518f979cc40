/**
 * Where Twilio finds us. A channel's number is set to `voice` and `messages`; what belongs to one call or message stands
 * under its key, so that a callback says by its address what it is about, whatever sid it carries.
 */
export type TwilioUrls = {
  voice: string;
  /** Of calls that came in. */
  voiceStatus: string;
  messages: string;
  call(key: string): CallUrls;
  messageStatus(key: string): string;
};

export type CallUrls = {
  answer: string;
  status: string;
  answerer: string;
  /** Who picked up where a call was put through to. */
  transferAnswerer: string;
  relay: string;
  relayEnded: string;
  stream: string;
  streamEnded: string;
  transfer: string;
  recording: string;
};

export const TWILIO_PREFIX = "/carriers/twilio";

/**
 * Twilio tries a callback once unless told otherwise; it is asked for three more where we don't answer, or with a 5xx
 * (https://www.twilio.com/docs/usage/webhooks/webhooks-connection-overrides). The fragment isn't sent and isn't signed.
 */
const TRY_AGAIN = "#rc=3&rp=ct,rt,5xx";

export function twilioUrls(publicUrl: string, channel_id: number): TwilioUrls {
  const base = `${publicUrl}${TWILIO_PREFIX}/${channel_id}`;
  return {
    voice: `${base}/voice`,
    voiceStatus: `${base}/voice/status${TRY_AGAIN}`,
    messages: `${base}/messages`,
    call(key) {
      const call = `${base}/calls/${encodeURIComponent(key)}`;
      return {
        answer: `${call}/answer`,
        status: `${call}/status${TRY_AGAIN}`,
        answerer: `${call}/answerer${TRY_AGAIN}`,
        transferAnswerer: `${call}/transfer-answerer${TRY_AGAIN}`,
        relay: `${call}/relay`.replace(/^http/, "ws"),
        relayEnded: `${call}/relay-ended`,
        stream: `${call}/stream`.replace(/^http/, "ws"),
        // Whoever held the socket may be dead: it is asked again until another answers.
        streamEnded: `${call}/stream-ended${TRY_AGAIN}`,
        transfer: `${call}/transfer`,
        recording: `${call}/recording${TRY_AGAIN}`,
      };
    },
    messageStatus: (key) => `${base}/messages/${encodeURIComponent(key)}/status${TRY_AGAIN}`,
  };
}
