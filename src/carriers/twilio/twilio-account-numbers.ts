import { z } from "zod";
import {
  type CarrierAccount,
  CarrierFault,
  type CarrierNumber,
  type CarrierNumbers,
} from "../../channels/carrier.ts";
import { accountPath, type TwilioApi } from "./twilio-api.ts";
import type { TwilioUrls } from "./twilio-urls.ts";

/** https://www.twilio.com/docs/phone-numbers/api/incomingphonenumber-resource */
const NumberResource = z.object({
  sid: z.string().min(1),
  phone_number: z.string(),
  friendly_name: z.string(),
  trunk_sid: z.string().nullish(),
});
const NumberPage = z.object({ incoming_phone_numbers: z.array(NumberResource) });

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
        const { incoming_phone_numbers } = await api.get(account, {
          path: `${path(account)}.json`,
          fields: { PageSize: PAGE, Page: page },
          answer: NumberPage,
        });
        numbers.push(...incoming_phone_numbers.map(shown));
        if (incoming_phone_numbers.length < PAGE) return numbers;
      }
      throw new CarrierFault(`This account has more than ${PAGE * MOST_PAGES} numbers.`, "refused");
    },

    async buy(account, { area_code, friendly_name }) {
      const fields = { AreaCode: area_code, FriendlyName: friendly_name, ...leadHere(account) };
      return shown(
        await api.post(account, { path: `${path(account)}.json`, fields, answer: NumberResource }),
      );
    },

    async attach(account, { sid, friendly_name }) {
      const fields = { FriendlyName: friendly_name, ...leadHere(account) };
      const one = `${path(account)}/${encodeURIComponent(sid)}.json`;
      return shown(await api.post(account, { path: one, fields, answer: NumberResource }));
    },

    release: (account, sid) => api.delete(account, `${path(account)}/${encodeURIComponent(sid)}.json`),

    async isA2pApproved(account, phone_number) {
      const service = await serviceOf(api, account, phone_number);
      return service !== null && isRegistered(api, account, service);
    },
  };
}

const shown = ({
  sid,
  phone_number,
  friendly_name,
  trunk_sid,
}: z.infer<typeof NumberResource>): CarrierNumber => ({
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
  const { services } = await api.get(account, {
    host: "messaging",
    path: "/v1/Services",
    fields: { PageSize: 100 },
    answer: z.object({ services: z.array(z.object({ sid: z.string() })) }),
  });
  for (const { sid } of services) {
    const { phone_numbers } = await api.get(account, {
      host: "messaging",
      path: `/v1/Services/${encodeURIComponent(sid)}/PhoneNumbers`,
      fields: { PageSize: 1000 },
      answer: z.object({ phone_numbers: z.array(z.object({ phone_number: z.string() })) }),
    });
    if (phone_numbers.some((each) => each.phone_number === phone_number)) return sid;
  }
  return null;
}

/** https://www.twilio.com/docs/messaging/api/usapptoperson-resource: a campaign verified, of a brand approved. */
async function isRegistered(api: TwilioApi, account: CarrierAccount, service: string): Promise<boolean> {
  const { compliance } = await api.get(account, {
    host: "messaging",
    path: `/v1/Services/${encodeURIComponent(service)}/Compliance/Usa2p`,
    answer: z.object({
      compliance: z.array(z.object({ campaign_status: z.string(), brand_registration_sid: z.string() })),
    }),
  });
  const verified = compliance.find((campaign) => campaign.campaign_status === "VERIFIED");
  if (!verified) return false;
  const brand = await api.get(account, {
    host: "messaging",
    path: `/v1/a2p/BrandRegistrations/${encodeURIComponent(verified.brand_registration_sid)}`,
    answer: z.object({ status: z.string() }),
  });
  return brand.status === "APPROVED";
}
