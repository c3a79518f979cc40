import { z } from "zod";
import {
  type CarrierAccount,
  CarrierFault,
  type CarrierNumber,
  type CarrierNumbers,
} from "../../channels/carrier.ts";
import type { TelnyxApi } from "./telnyx-api.ts";

/** https://developers.telnyx.com/api-reference/phone-number-configurations/update-a-phone-number */
const NumberRecord = z.object({
  id: z.string().min(1),
  phone_number: z.string(),
  customer_reference: z.string().nullish(),
  connection_id: z.string().nullish(),
});
/** https://developers.telnyx.com/api-reference/phone-number-configurations/list-phone-numbers */
const NumberPage = z.object({
  data: z.array(NumberRecord),
  meta: z.object({ total_pages: z.number() }).nullish(),
});
/** https://developers.telnyx.com/api-reference/phone-number-search/list-available-phone-numbers */
const Available = z.object({ data: z.array(z.object({ phone_number: z.string() })) });
/** https://developers.telnyx.com/api-reference/phone-number-orders/create-a-number-order */
const Ordered = z.object({
  data: z.object({ phone_numbers: z.array(z.object({ id: z.string(), phone_number: z.string() })).min(1) }),
});
/** https://developers.telnyx.com/api-reference/phone-number-campaigns/get-single-phone-number-campaign */
const Assignment = z.object({ assignmentStatus: z.string().nullish() });

/** It tells the number as it was. */
const RELEASED = z.unknown().transform(() => {});

const PAGE = 250;
/** An account with more numbers than this is told so, rather than read for minutes. */
const MOST_PAGES = 40;

/**
 * The numbers of a Telnyx account. A number leads here by the Call Control application that it is given to, and keeps our
 * name of it as its customer reference.
 */
export function telnyxNumbers(api: TelnyxApi): CarrierNumbers {
  const leadHere = ({ credentials }: CarrierAccount, friendly_name: string) => ({
    connection_id: credentials.connection_id,
    customer_reference: friendly_name,
  });
  return {
    async list(account) {
      const numbers: CarrierNumber[] = [];
      for (let page = 1; page <= MOST_PAGES; page++) {
        const { data, meta } = await api.get(account, {
          path: `/phone_numbers?page[number]=${page}&page[size]=${PAGE}`,
          answer: NumberPage,
        });
        numbers.push(...data.map(shown));
        if (data.length < PAGE || page >= (meta?.total_pages ?? MOST_PAGES + 1)) return numbers;
      }
      throw new CarrierFault(`This account has more than ${PAGE * MOST_PAGES} numbers.`, "refused");
    },

    /** The order is carried out within minutes; until then calls of the number don't come here yet. */
    async buy(account, { area_code, friendly_name }) {
      const filter = `filter[country_code]=US&filter[national_destination_code]=${area_code}&filter[limit]=1`;
      const { data: available } = await api.get(account, {
        path: `/available_phone_numbers?${filter}`,
        answer: Available,
      });
      const [wanted] = available;
      if (!wanted) {
        throw new CarrierFault(`Telnyx has no number of the area ${area_code} now. Try another.`, "refused");
      }
      const { data } = await api.post(account, {
        path: "/number_orders",
        body: {
          phone_numbers: [{ phone_number: wanted.phone_number }],
          ...leadHere(account, friendly_name),
        },
        answer: Ordered,
      });
      const ordered = data.phone_numbers[0] ?? { id: "", phone_number: wanted.phone_number };
      return {
        sid: ordered.id,
        phone_number: ordered.phone_number,
        friendly_name,
        trunk_sid: account.credentials.connection_id ?? "",
      };
    },

    async attach(account, { sid, friendly_name }) {
      const { data } = await api.patch(account, {
        path: `/phone_numbers/${encodeURIComponent(sid)}`,
        body: leadHere(account, friendly_name),
        answer: z.object({ data: NumberRecord }),
      });
      return shown(data);
    },

    /** https://developers.telnyx.com/api-reference/phone-number-configurations/delete-a-phone-number */
    release: (account, sid) =>
      api.delete(account, { path: `/phone_numbers/${encodeURIComponent(sid)}`, answer: RELEASED }),

    async isA2pApproved(account, phone_number) {
      const path = `/10dlc/phone_number_campaigns/${encodeURIComponent(phone_number)}`;
      try {
        return (await api.get(account, { path, answer: Assignment })).assignmentStatus === "ASSIGNED";
      } catch (error) {
        // Of a number that stands on no campaign it knows nothing.
        if (error instanceof CarrierFault && error.fate === "refused") return false;
        throw error;
      }
    },
  };
}

const shown = ({
  id,
  phone_number,
  customer_reference,
  connection_id,
}: z.infer<typeof NumberRecord>): CarrierNumber => ({
  sid: id,
  phone_number,
  friendly_name: customer_reference ?? "",
  trunk_sid: connection_id ?? "",
});
