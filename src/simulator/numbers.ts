import type { RestAnswer, RestRequest } from "./rest-answer.ts";
import { newSid, type SimulatedNumber, type World } from "./world.ts";

/** The numbers of a simulated account, what is registered of them, and what is known of others' numbers. */

/** Each account has two from the start; the last digits come from the account, so they are the same after a restart. */
function owned(world: World, account_sid: string): SimulatedNumber[] {
  const known = world.numbers.get(account_sid);
  if (known) return known;
  const ending = String(Number.parseInt(account_sid.slice(-6), 16) % 1000).padStart(3, "0");
  const numbers = ["1", "2"].map((digit) => ({
    sid: `PN${account_sid.slice(3)}${digit}`,
    phone_number: `+1512555${digit}${ending}`,
    friendly_name: `Simulated number ${digit}`,
    voice_url: null,
    status_callback: null,
    sms_url: null,
  }));
  world.numbers.set(account_sid, numbers);
  return numbers;
}

export function numbersOf(
  world: World,
  account_sid: string,
  sid: string | undefined,
  { method, form }: Pick<RestRequest, "method" | "form">,
): RestAnswer | null {
  const numbers = owned(world, account_sid);
  if (method === "GET") {
    return { status: 200, body: { incoming_phone_numbers: numbers.map(shown), page: 0, page_size: 1000 } };
  }
  if (sid === undefined) {
    const area = form.get("AreaCode") ?? "512";
    const number: SimulatedNumber = {
      sid: newSid("PN"),
      phone_number: `+1${area}555${String(3000 + numbers.length)}`,
      friendly_name: "",
      voice_url: null,
      status_callback: null,
      sms_url: null,
    };
    numbers.push(number);
    return { status: 201, body: shown(changed(number, form)) };
  }
  const number = numbers.find((each) => each.sid === sid);
  if (number && method === "DELETE") {
    numbers.splice(numbers.indexOf(number), 1);
    return { status: 204, body: {} };
  }
  return number ? { status: 200, body: shown(changed(number, form)) } : null;
}

function changed(number: SimulatedNumber, form: URLSearchParams): SimulatedNumber {
  number.friendly_name = form.get("FriendlyName") ?? number.friendly_name;
  number.voice_url = form.get("VoiceUrl") ?? number.voice_url;
  number.status_callback = form.get("StatusCallback") ?? number.status_callback;
  number.sms_url = form.get("SmsUrl") ?? number.sms_url;
  return number;
}

const shown = ({ sid, phone_number, friendly_name, voice_url, sms_url }: SimulatedNumber) => ({
  sid,
  phone_number,
  friendly_name,
  voice_url,
  sms_url,
  trunk_sid: null,
});

const SERVICE = `MG${"0".repeat(32)}`;
const BRAND = `BN${"0".repeat(32)}`;

/** What lies on Twilio's other hosts: lookups, and the registration of numbers for texts in the US. */
export function numbersRest(
  world: World,
  account_sid: string,
  { path, query }: Pick<RestRequest, "path" | "query">,
): RestAnswer | null {
  const looked = /^\/v2\/PhoneNumbers\/([^/]+)$/.exec(path);
  if (looked) return lookup(world, decodeURIComponent(looked[1] as string), query);
  switch (path) {
    case "/v1/Services":
      return { status: 200, body: { services: [{ sid: SERVICE, friendly_name: "Simulated service" }] } };
    case `/v1/Services/${SERVICE}/PhoneNumbers`: {
      // A bought number is registered on its own; one that ends in 9 never was.
      const phone_numbers = owned(world, account_sid).filter(
        ({ phone_number }) => !phone_number.endsWith("9"),
      );
      return { status: 200, body: { phone_numbers: phone_numbers.map(shown) } };
    }
    case `/v1/Services/${SERVICE}/Compliance/Usa2p`: {
      const compliance = [{ campaign_status: "VERIFIED", brand_registration_sid: BRAND }];
      return { status: 200, body: { compliance } };
    }
    case `/v1/a2p/BrandRegistrations/${BRAND}`:
      return { status: 200, body: { sid: BRAND, status: "APPROVED" } };
    default:
      return null;
  }
}

function lookup(world: World, number: string, query: URLSearchParams): RestAnswer {
  const { line_type, carrier_name, caller_name, caller_type, theirs_since } = world.people(number).lookup;
  const fields = (query.get("Fields") ?? "").split(",");
  const american = number.startsWith("+1");
  return {
    status: 200,
    body: {
      phone_number: number,
      country_code: american ? "US" : null,
      valid: line_type !== null,
      line_type_intelligence: fields.includes("line_type_intelligence")
        ? {
            type: line_type,
            carrier_name,
            mobile_country_code: line_type === "mobile" ? "310" : null,
            mobile_network_code: line_type === "mobile" ? "999" : null,
            error_code: line_type === null ? 60600 : null,
          }
        : null,
      // Caller names exist for numbers of the US only.
      caller_name:
        fields.includes("caller_name") && american ? { caller_name, caller_type, error_code: null } : null,
      reassigned_number: fields.includes("reassigned_number")
        ? reassigned(theirs_since, query.get("LastVerifiedDate") ?? "")
        : null,
    },
  };
}

/** `asked_on` as Twilio takes it: YYYYMMDD. */
function reassigned(theirs_since: string | null, asked_on: string) {
  const last_verified_date = asked_on.replace(/^(\d{4})(\d{2})(\d{2})$/, "$1-$2-$3");
  const is_reassigned = theirs_since !== null && last_verified_date < theirs_since;
  return { last_verified_date, is_number_reassigned: is_reassigned ? "yes" : "no", error_code: null };
}
