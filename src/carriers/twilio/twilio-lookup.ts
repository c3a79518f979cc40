import { z } from "zod";
import {
  CarrierFault,
  type LookupField,
  type NumberFacts,
  type NumberLookup,
  type Reassignment,
} from "../../channels/carrier.ts";
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

/** https://www.twilio.com/docs/lookup/v2-api/reassigned-number */
const ReassignedAnswer = z.object({
  reassigned_number: z.object({ is_number_reassigned: word, error_code: errorCode }),
});
/** https://www.twilio.com/docs/api/errors/60606 */
const PACKAGE_NOT_ENABLED = "60606";

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
    async reassigned(account, number, since) {
      // The package knows numbers of the US.
      if (!number.startsWith("+1")) return { answer: "unknown", error_code: null, cost: 0 };
      const answer = await api.get(account, {
        host: "lookups",
        path: `/v2/PhoneNumbers/${encodeURIComponent(number)}`,
        fields: { Fields: "reassigned_number", LastVerifiedDate: since.replaceAll("-", "") },
        answer: ReassignedAnswer,
      });
      return reassignmentOf(answer.reassigned_number);
    },
  };
}

/** Pure: Twilio's words of a number in ours. A number it doesn't know is no fault, only nothing known. */
function factsOf({ line_type_intelligence: line, caller_name: caller }: LookupAnswer): NumberFacts {
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

/** Pure. Its price depends on the account, so none is told. */
function reassignmentOf({
  is_number_reassigned: said,
  error_code,
}: z.infer<typeof ReassignedAnswer>["reassigned_number"]): Reassignment {
  const error = error_code === null || error_code === undefined ? null : String(error_code);
  // Of the account, not of the number: without this, a campaign would reach everybody unchecked.
  if (error === PACKAGE_NOT_ENABLED)
    throw new CarrierFault(
      "Twilio has not enabled its reassigned_number package for this account (60606).",
      "refused",
    );
  return { answer: said === "yes" || said === "no" ? said : "unknown", error_code: error, cost: null };
}
