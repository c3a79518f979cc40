import type { Vault } from "../base/crypto.ts";
import type { Carrier, Carriers } from "../channels/carrier.ts";
import { type Credentials, readChannelAccount } from "../channels/credentials/channel-credentials.ts";
import { type SipCarrierName, sipCarrierOf } from "../channels/credentials/sip-credentials.ts";
import type { Db } from "../db/database.ts";
import type { Egress } from "../egress/egress.ts";
import { ASTERISK_NAME } from "./asterisk/asterisk-account.ts";
import { ownNumbersOnly } from "./shared-account.ts";
import { SIMULATOR_NAME, SIMULATOR_URL, simulatedAccount } from "./simulator-account.ts";
import { createTelnyx } from "./telnyx/telnyx-carrier.ts";
import { hostsAt, TWILIO_HOSTS } from "./twilio/twilio-api.ts";
import { createTwilio } from "./twilio/twilio-carrier.ts";

export type TwilioAccount = { account_sid: string; auth_token: string };

/**
 * Which carrier a channel talks with. A channel with credentials of its own has its account; a system channel without
 * has the operator's, from the environment; and where the operator has none either, the simulator stands in, which
 * reaches nobody and says so.
 */
export function createCarriers(parts: {
  db: Db;
  vault: Vault;
  egress: Egress;
  publicUrl: string;
  /** The operator's account. */
  operator: TwilioAccount | null;
  /** Another address than Twilio's own, for all its hosts. */
  baseUrl: string | null;
  /** Another address than Telnyx's own. */
  telnyxUrl?: string | null;
  /** Who sends the mail of an e-mail channel. */
  mail?: (channel_id: number) => ReturnType<Carriers["of"]>;
}): Carriers {
  const { db, vault, egress, publicUrl, operator, baseUrl } = parts;
  const shared = { egress, publicUrl };
  const hosts = baseUrl === null ? TWILIO_HOSTS : hostsAt(baseUrl);
  const twilio = createTwilio({ ...shared, hosts, name: "Twilio", simulated: false });
  const ownOnly = ownNumbersOnly(twilio, db);
  const simulator = createTwilio({
    ...shared,
    hosts: hostsAt(SIMULATOR_URL),
    name: SIMULATOR_NAME,
    simulated: true,
  });

  const sipCarriers: Record<SipCarrierName | "none", Carrier | null> = {
    telnyx: createTelnyx({ ...shared, base_url: parts.telnyxUrl ?? null }),
    asterisk: { name: ASTERISK_NAME, simulated: false },
    none: null,
  };

  const known = (carrier: Carrier, channel_id: number, credentials: Credentials) => ({
    carrier,
    account: { channel_id, credentials },
  });

  return {
    async of({ id, channel_service }) {
      if (channel_service === "email") return parts.mail?.(id) ?? null;
      if (channel_service === "sip") {
        const own = await readChannelAccount(db, vault, id);
        const carrier = own && sipCarriers[sipCarrierOf(own.credentials) ?? "none"];
        return own && carrier ? known(carrier, id, own.credentials) : null;
      }
      if (channel_service !== "twilio" && channel_service !== "whatsapp") return null;
      const own = await readChannelAccount(db, vault, id);
      if (!own) return null;
      if (own.credentials.account_sid && own.credentials.auth_token) {
        return known(twilio, id, own.credentials);
      }
      if (!operator) return known(simulator, id, simulatedAccount(vault, id));
      if (!own.is_system_channel) return null;
      return {
        ...known(ownOnly, id, operator),
        ...(twilio.numbers && { shared: { numbers: twilio.numbers } }),
      };
    },
  };
}

/** What an operator reads at a start without a carrier. */
export const SIMULATED_NOTICE =
  "No telephone carrier is configured: calls and texts go to the built-in carrier simulator and reach nobody. Set TWILIO_ACCOUNT_SID and TWILIO_AUTH_TOKEN, or give a channel its own credentials.";
