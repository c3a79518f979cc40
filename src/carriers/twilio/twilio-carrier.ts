import { z } from "zod";
import { type Carrier, type CarrierAccount, CarrierFault } from "../../channels/carrier.ts";
import type { Egress } from "../../egress/egress.ts";
import { twilioNumbers } from "./twilio-account-numbers.ts";
import {
  accountPath,
  createTwilioApi,
  TWILIO_HOSTS,
  type TwilioApi,
  type TwilioHosts,
} from "./twilio-api.ts";
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
    ...(!simulated && { check: (account) => checkAccount(api, account) }),
    isOwnAddress: (url) => isTwilios(url, hosts),
    numbers: twilioNumbers(api, urls),
    calls: twilioCalls(api, urls),
    texts: twilioTexts(api, urls),
    lookup: twilioLookup(api),
  };
}

/** Twilio has further hosts for its regions; any other address stands for Twilio alone. */
export function isTwilios(url: string, { api }: TwilioHosts): boolean {
  const { protocol, hostname, origin } = URL.parse(url) ?? {};
  if (api !== TWILIO_HOSTS.api) return origin === new URL(api).origin;
  return protocol === "https:" && /(^|\.)twilio\.com$/.test(hostname ?? "");
}

/** https://www.twilio.com/docs/iam/api/account: a suspended account still signs in. */
async function checkAccount(api: TwilioApi, account: CarrierAccount): Promise<string> {
  const answer = z.object({ friendly_name: z.string(), status: z.string(), type: z.string() });
  const found = await api.get(account, { path: `${accountPath(account)}.json`, answer });
  if (found.status !== "active") throw new CarrierFault(`The account is ${found.status}.`, "not-sent");
  const trial = found.type === "Trial" ? ", a trial: it reaches verified numbers only" : "";
  return `Account “${found.friendly_name}”${trial}.`;
}
