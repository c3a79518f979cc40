import { type DestinationRules, parseDestinations } from "../base/destination.ts";
import { type CarrierPrices, parseCarrierPrices } from "../base/prices/carrier-prices.ts";
import type { Setting, SettingReader } from "./setting-reader.ts";

/** Whom campaigns and transfers may reach, through which carrier, and how many at once. */
export type OutreachConfig = {
  /** How many attempts of campaigns may run at once (dialing/lines.ts), and how many reach one person. */
  lines: {
    per_source: number;
    per_organization: number;
    kept_for_callers: number;
    /** Null: as many as each campaign says. */
    per_person: { attempts: number; window_ms: number } | null;
  };
  /** Which telephone numbers campaigns and transfers may reach. */
  destinations: DestinationRules;
  /** Organizations may buy numbers on the operator's carrier account. */
  tenants_buy_numbers: boolean;
  twilio_base_url: string | null;
  telnyx_base_url: string | null;
  /** What carriers charge, as the operator states it. */
  carrier_prices: CarrierPrices;
  simulator: { scenario_file: string | null; speed: number };
};

export type OutreachSecrets = {
  /** The operator's own; null: nobody is really called. */
  twilio: { account_sid: string; auth_token: string } | null;
};

export const OUTREACH_SETTINGS: Setting[] = [
  {
    name: "LINES_PER_NUMBER",
    example: "20",
    about: "Attempts of campaigns that may run at once from one number or address.",
  },
  {
    name: "LINES",
    example: "100",
    about: "Calls that an organization may have at once, both ways; further attempts of campaigns wait.",
  },
  {
    name: "LINES_KEPT_PERCENT",
    example: "30",
    about: "How many of these lines, in percent, campaigns leave to people who call.",
  },
  {
    name: "OUTREACH_MOST_PER_PERSON",
    example: "",
    about:
      "How often campaigns of a sub-organization may try one number or address, retries too: 3/24h, 5/7d. Empty: as often as each campaign says.",
  },
  {
    name: "OUTREACH_COUNTRIES",
    example: "",
    about:
      "Countries, by two letters or calling code, whose numbers campaigns and transfers may reach: US,CA,+44. Empty: every country.",
  },
  {
    name: "OUTREACH_ALLOW",
    example: "",
    about:
      "Beginnings of numbers that they may reach all the same: +88216,+44845. Without it no premium-rate, shared-cost or satellite number is called or written to.",
  },
  {
    name: "TWILIO_ACCOUNT_SID",
    example: "",
    about:
      "The operator's Twilio account, for system channels without credentials of their own. Empty: calls and texts go to the built-in carrier simulator and reach nobody.",
  },
  { name: "TWILIO_AUTH_TOKEN", example: "", about: "The auth token of that account." },
  {
    name: "CARRIER_PRICES",
    example: "",
    about:
      "What carriers charge you, for estimates of what campaigns cost and for their spend caps: call_minute=0.014,sms_segment=0.0083,whatsapp=0.005,mail=0.0008. US dollars, of a started minute of a call out, of a segment of a text, of a message, of a mail. It counts from then on.",
  },
  {
    name: "TENANTS_BUY_NUMBERS",
    example: "off",
    about:
      "Whether organizations may buy numbers on that account, at the operator's cost: on or off. Off: only whoever operates the installation.",
  },
  {
    name: "TELNYX_BASE_URL",
    example: "https://api.telnyx.com/v2",
    about: "Where Telnyx's API is, for SIP channels that name Telnyx as their carrier.",
  },
  {
    name: "TWILIO_BASE_URL",
    example: "",
    about: "Another address for all of Twilio's APIs, such as a test double's.",
  },
  {
    name: "SIMULATOR_SCENARIO",
    example: "./people.json",
    about: "A file that says how people behave whom the carrier simulator plays (docs/simulator.md).",
  },
  {
    name: "SIMULATOR_SPEED",
    example: "1",
    about: "How many times as fast as life the people of the carrier simulator are, 0.1 to 10000.",
  },
];

export function readOutreach(read: SettingReader): OutreachConfig {
  const { given, url, isOn, wholeNumber, faults } = read;
  const destinations = parseDestinations(given("OUTREACH_COUNTRIES") ?? "", given("OUTREACH_ALLOW") ?? "");
  faults.push(...destinations.faults);
  return {
    lines: {
      per_source: wholeNumber("LINES_PER_NUMBER", 20, [1, 10_000]),
      per_organization: wholeNumber("LINES", 100, [1, 100_000]),
      kept_for_callers: wholeNumber("LINES_KEPT_PERCENT", 30, [0, 99]) / 100,
      per_person: mostPerPerson(read),
    },
    destinations: destinations.rules,
    tenants_buy_numbers: isOn("TENANTS_BUY_NUMBERS", "off"),
    twilio_base_url: url("TWILIO_BASE_URL", ["http:", "https:"]),
    telnyx_base_url: url("TELNYX_BASE_URL", ["http:", "https:"]),
    carrier_prices: carrierPrices(read),
    simulator: { scenario_file: given("SIMULATOR_SCENARIO"), speed: simulatorSpeed(read) },
  };
}

export function readOutreachSecrets({ both }: SettingReader): OutreachSecrets {
  const account = both("TWILIO_ACCOUNT_SID", "TWILIO_AUTH_TOKEN");
  return { twilio: account && { account_sid: account[0], auth_token: account[1] } };
}

function carrierPrices({ given, faults }: SettingReader): CarrierPrices {
  const text = given("CARRIER_PRICES");
  const prices = text === null ? {} : parseCarrierPrices(text);
  if (prices === null)
    faults.push(
      `CARRIER_PRICES is "${text}"; write call_minute=0.014,sms_segment=0.0083,whatsapp=0.005,mail=0.0008: US dollars, what is left out has no price.`,
    );
  return prices ?? {};
}

function mostPerPerson({ given, faults }: SettingReader): OutreachConfig["lines"]["per_person"] {
  const text = given("OUTREACH_MOST_PER_PERSON");
  if (text === null) return null;
  const [, attempts, count, unit] = /^([1-9]\d{0,2})\/([1-9]\d{0,2})([hd])$/.exec(text) ?? [];
  if (attempts) {
    const unit_ms = unit === "h" ? 3_600_000 : 86_400_000;
    return { attempts: Number(attempts), window_ms: Number(count) * unit_ms };
  }
  faults.push(
    `OUTREACH_MOST_PER_PERSON is "${text}"; write a number of attempts, a slash, and hours or days: 3/24h or 5/7d.`,
  );
  return null;
}

function simulatorSpeed({ given, faults }: SettingReader): number {
  const speed = Number(given("SIMULATOR_SPEED") ?? 1);
  if (!(speed >= 0.1 && speed <= 10_000)) {
    faults.push(`SIMULATOR_SPEED is "${given("SIMULATOR_SPEED")}"; use a number from 0.1 to 10000.`);
  }
  return speed;
}
