import { z } from "zod";
import type { NumberFacts, NumberLookup } from "../../channels/carrier.ts";
import type { TelnyxApi } from "./telnyx-api.ts";

/** https://developers.telnyx.com/api-reference/number-lookup/lookup-phone-number-data */
const word = z.union([z.string(), z.number()]).nullish();
const NumberData = z.object({
  data: z.object({
    carrier: z
      .object({
        name: word,
        type: word,
        mobile_country_code: word,
        mobile_network_code: word,
        error_code: word,
      })
      .nullish(),
    caller_name: z.object({ caller_name: word, error_code: word }).nullish(),
  }),
});
type NumberData = z.infer<typeof NumberData>["data"];

/** Line types in the words that target filters know. */
const LINE_TYPES: Readonly<Record<string, string>> = {
  "fixed line": "landline",
  "toll free": "tollFree",
  "shared cost": "sharedCost",
  "premium rate": "premium",
};

export function telnyxLookup(api: TelnyxApi): NumberLookup {
  return {
    async lookup(account, number, fields) {
      const types = new Set(fields.map((field) => (field === "caller_name" ? "caller-name" : "carrier")));
      const query = [...types].map((type) => `type=${type}`).join("&");
      const path = `/number_lookup/${encodeURIComponent(number)}?${query}`;
      const { data } = await api.get(account, { path, answer: NumberData });
      // What each costs depends on the account.
      return { facts: telnyxFacts(data), cost: null };
    },
  };
}

const textOf = (value: string | number | null | undefined): string | null =>
  value === null || value === undefined || value === "" ? null : String(value);

/** Pure: Telnyx's words of a number in ours. */
export function telnyxFacts({ carrier, caller_name: caller }: NumberData): NumberFacts {
  const type = textOf(carrier?.type);
  return {
    line_type: type && (LINE_TYPES[type] ?? type),
    carrier_name: textOf(carrier?.name),
    mcc: textOf(carrier?.mobile_country_code),
    mnc: textOf(carrier?.mobile_network_code),
    error_code: textOf(carrier?.error_code) ?? (carrier ? null : textOf(caller?.error_code)),
    caller_name: textOf(caller?.caller_name),
    caller_type: null,
  };
}
