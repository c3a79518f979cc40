import { type CarrierAccount, CarrierFault, type CarrierNumber, type CarrierNumbers } from "./carrier.ts";
import { accountPath, type TwilioApi } from "./twilio-api.ts";
import type { TwilioUrls } from "./twilio-urls.ts";

/** https://www.twilio.com/docs/phone-numbers/api/incomingphonenumber-resource */
type NumberResource = {
  sid: string;
  phone_number: string;
  friendly_name: string;
  trunk_sid: string | null;
};

const PAGE = 1000;
/** An account with more numbers than this is told so, rather than read for minutes. */
const MOST_PAGES = 20;

export function twilioNumbers(api: TwilioApi, urls: (channel_id: number) => TwilioUrls): CarrierNumbers {
  const path = (account: CarrierAccount) => `${accountPath(account)}/IncomingPhoneNumbers`;
  const leadHere = (account: CarrierAccount) => {
    const { voice, voiceStatus, messages } = urls(account.channel_id);
    return {
      VoiceUrl: voice,
      VoiceMethod: "POST",
      StatusCallback: voiceStatus,
      StatusCallbackMethod: "POST",
      SmsUrl: messages,
      SmsMethod: "POST",
    };
  };

  return {
    async list(account) {
      const numbers: CarrierNumber[] = [];
      for (let page = 0; page < MOST_PAGES; page++) {
        const query = { PageSize: PAGE, Page: page };
        const { incoming_phone_numbers } = await api.get<{ incoming_phone_numbers: NumberResource[] }>(
          account,
          "api",
          `${path(account)}.json`,
          query,
        );
        numbers.push(...incoming_phone_numbers.map(shown));
        if (incoming_phone_numbers.length < PAGE) return numbers;
      }
      throw new CarrierFault(`This account has more than ${PAGE * MOST_PAGES} numbers.`, "refused");
    },

    async buy(account, { area_code, friendly_name }) {
      const form = { AreaCode: area_code, FriendlyName: friendly_name, ...leadHere(account) };
      return shown(await api.post<NumberResource>(account, "api", `${path(account)}.json`, form));
    },

    async attach(account, { sid, friendly_name }) {
      const form = { FriendlyName: friendly_name, ...leadHere(account) };
      const one = `${path(account)}/${encodeURIComponent(sid)}.json`;
      return shown(await api.post<NumberResource>(account, "api", one, form));
    },

    async isA2pApproved(account, phone_number) {
      const service = await serviceOf(api, account, phone_number);
      return service !== null && isRegistered(api, account, service);
    },
  };
}

const shown = ({ sid, phone_number, friendly_name, trunk_sid }: NumberResource): CarrierNumber => ({
  sid,
  phone_number,
  friendly_name,
  trunk_sid: trunk_sid ?? "",
});

/** The messaging service that a number stands on; a number stands on one at most. */
async function serviceOf(
  api: TwilioApi,
  account: CarrierAccount,
  phone_number: string,
): Promise<string | null> {
  const { services } = await api.get<{ services: { sid: string }[] }>(account, "messaging", "/v1/Services", {
    PageSize: 100,
  });
  for (const { sid } of services) {
    const { phone_numbers } = await api.get<{ phone_numbers: { phone_number: string }[] }>(
      account,
      "messaging",
      `/v1/Services/${sid}/PhoneNumbers`,
      { PageSize: 1000 },
    );
    if (phone_numbers.some((each) => each.phone_number === phone_number)) return sid;
  }
  return null;
}

/** https://www.twilio.com/docs/messaging/api/usapptoperson-resource: a campaign verified, of a brand approved. */
async function isRegistered(api: TwilioApi, account: CarrierAccount, service: string): Promise<boolean> {
  const { compliance } = await api.get<{
    compliance: { campaign_status: string; brand_registration_sid: string }[];
  }>(account, "messaging", `/v1/Services/${service}/Compliance/Usa2p`);
  const verified = compliance.find((campaign) => campaign.campaign_status === "VERIFIED");
  if (!verified) return false;
  const brand = await api.get<{ status: string }>(
    account,
    "messaging",
    `/v1/a2p/BrandRegistrations/${verified.brand_registration_sid}`,
  );
  return brand.status === "APPROVED";
}
