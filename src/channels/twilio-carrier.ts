import type { Egress } from "../base/egress.ts";
import type { Carrier } from "./carrier.ts";
import { twilioNumbers } from "./twilio-account-numbers.ts";
import { createTwilioApi, type TwilioHosts } from "./twilio-api.ts";
import { twilioCalls } from "./twilio-calls.ts";
import { twilioLookup } from "./twilio-lookup.ts";
import { twilioTexts } from "./twilio-texts.ts";
import { twilioUrls } from "./twilio-urls.ts";

/**
 * Twilio, or the simulator that speaks its language: calls, texts, numbers and lookups over its REST API. What it tells
 * us on its own comes to the addresses of `twilio-urls.ts`.
 */
export function createTwilio(parts: {
  egress: Egress;
  publicUrl: string;
  hosts: TwilioHosts;
  name: string;
  simulated: boolean;
  /** How long an answer is waited for; Twilio's own time when left out. */
  timeout_ms?: number;
}): Carrier {
  const { egress, publicUrl, hosts, name, simulated } = parts;
  const api = createTwilioApi(egress, hosts, parts.timeout_ms);
  const urls = (channel_id: number) => twilioUrls(publicUrl, channel_id);
  return {
    name,
    simulated,
    numbers: twilioNumbers(api, urls),
    calls: twilioCalls(api, urls),
    texts: twilioTexts(api, urls),
    lookup: twilioLookup(api),
  };
}
