import type { AnnouncementRow } from "./announcement.ts";

const RECORDED = {
  en: "This call is recorded.",
  es: "Esta llamada se graba.",
  fr: "Cet appel est enregistré.",
};
const ARTIFICIAL = {
  en: "I am an AI assistant.",
  es: "Soy un asistente de inteligencia artificial.",
  fr: "Je suis un assistant d'intelligence artificielle.",
  de: "Ich bin ein KI-Assistent.",
};

/** States whose statutes ask for the consent of everybody on a recorded call. */
const ALL_PARTY_STATES: readonly (readonly [state: string, source: string])[] = [
  ["US-CA", "California Penal Code § 632"],
  ["US-CT", "Connecticut General Statutes § 52-570d"],
  ["US-DE", "11 Delaware Code § 1335"],
  ["US-FL", "Florida Statutes § 934.03(2)(d)"],
  ["US-IL", "720 ILCS 5/14-2"],
  ["US-MA", "Massachusetts General Laws c. 272 § 99"],
  ["US-MD", "Maryland Courts and Judicial Proceedings § 10-402"],
  ["US-MI", "Michigan Compiled Laws § 750.539c"],
  ["US-MT", "Montana Code § 45-8-213"],
  ["US-NH", "New Hampshire RSA 570-A:2"],
  ["US-NV", "Nevada Revised Statutes § 200.620"],
  ["US-PA", "18 Pennsylvania Consolidated Statutes § 5704(4)"],
  ["US-WA", "Revised Code of Washington § 9.73.030"],
];

const EUROPEAN_UNION =
  "AT BE BG CY CZ DE DK EE ES FI FR GR HR HU IE IT LT LU LV MT NL PL PT RO SE SI SK".split(" ");

const artificial = (jurisdiction: string, source: string): AnnouncementRow => ({
  kind: "ai",
  jurisdiction,
  channels: ["call", "text", "chat", "email"],
  texts: ARTIFICIAL,
  default_language: "en",
  source,
  checked_on: null,
});

/**
 * Rows that an organization may start from; nothing of it is said until somebody saves it. `checked_on` is null, since
 * whoever saves a row has to have read its source. Never legal advice.
 */
export const OFFERED_ROWS: readonly AnnouncementRow[] = [
  artificial("US-CA", "California Business and Professions Code § 17941"),
  artificial("US-UT", "Utah Artificial Intelligence Policy Act, Utah Code § 13-75-103"),
  ...EUROPEAN_UNION.map((country) =>
    artificial(country, "Regulation (EU) 2024/1689 (AI Act) Art. 50(1), from 2026-08-02"),
  ),
  ...ALL_PARTY_STATES.map(
    ([jurisdiction, source]): AnnouncementRow => ({
      kind: "recording",
      jurisdiction,
      channels: ["call"],
      texts: RECORDED,
      default_language: "en",
      source,
      checked_on: null,
    }),
  ),
];
