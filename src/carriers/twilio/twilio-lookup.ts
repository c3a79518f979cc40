import { z } from "zod";
import type { LookupField, NumberFacts, NumberLookup } from "../../channels/carrier.ts";
import type { TwilioApi } from "./twilio-api.ts";

/** https://www.twilio.com/docs/lookup/v2-api */
const word = z.string().nullish();
const errorCode = z.union([z.number(), z.string()]).nullish();
const LookupAnswer = z.object({
  line_type_intelligence: z
    .object({
      type: word,
      carrier_name: word,
      mobile_country_code: word,
      mobile_network_code: word,
      error_code: errorCode,
    })
    .nullish(),
  caller_name: z.object({ caller_name: word, caller_type: word, error_code: errorCode }).nullish(),
});
type LookupAnswer = z.infer<typeof LookupAnswer>;

/** What each package costs, in US dollars a number (https://www.twilio.com/en-us/user-authentication-identity/pricing/lookup). */
const PACKAGES = {
  line_type_intelligence: 0.008,
  caller_name: 0.01,
} as const;
type Package = keyof typeof PACKAGES;

const PACKAGE_OF: Record<LookupField, Package> = {
  line_type: "line_type_intelligence",
  carrier: "line_type_intelligence",
  caller_name: "caller_name",
};

export function twilioLookup(api: TwilioApi): NumberLookup {
  return {
    async lookup(account, number, fields) {
      const packages = [...new Set(fields.map((field) => PACKAGE_OF[field]))];
      const answer = await api.get(account, {
        host: "lookups",
        path: `/v2/PhoneNumbers/${encodeURIComponent(number)}`,
        fields: packages.length > 0 ? { Fields: packages.join(",") } : {},
        answer: LookupAnswer,
      });
      return { facts: factsOf(answer), cost: packages.reduce((sum, each) => sum + PACKAGES[each], 0) };
    },
  };
}

/** Pure: Twilio's words of a number in ours. A number it doesn't know is no fault, only nothing known. */
export function factsOf({ line_type_intelligence: line, caller_name: caller }: LookupAnswer): NumberFacts {
  const error = line?.error_code ?? caller?.error_code ?? null;
  return {
    line_type: line?.type ?? null,
    carrier_name: line?.carrier_name ?? null,
    mcc: line?.mobile_country_code ?? null,
    mnc: line?.mobile_network_code ?? null,
    error_code: error === null ? null : String(error),
    caller_name: caller?.caller_name ?? null,
    caller_type: caller?.caller_type ?? null,
  };
}
