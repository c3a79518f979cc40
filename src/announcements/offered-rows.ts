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

/**
 * The day on which the cited words were read, in a copy of the statute or in a court's quotation of it. Rows whose statute
 * was only found summarised have null and say so in their note.
 */
const READ = "2026-11-27";
const SUMMARY = "The statute's own words were not read for this row, only summaries of it.";

type Law = {
  jurisdiction: string;
  source: string;
  checked_on: string | null;
  /** What is contested, and which side the row takes; null: nothing that we found. */
  note: string | null;
};

/**
 * States where a business that records its own calls needs everybody's consent, or where that is contested. Contested ones
 * are in: announcing where nobody had to costs three seconds.
 */
const ALL_PARTY_STATES: readonly Law[] = [
  {
    jurisdiction: "US-CA",
    source: "California Penal Code §§ 632, 632.7",
    checked_on: READ,
    note: "§ 632.7 covers mobile and cordless calls whether or not they are confidential, and binds the parties to the call (Smith v. LoanMe, 2021). § 632 was read in summaries only.",
  },
  {
    jurisdiction: "US-CT",
    source: "Connecticut General Statutes § 52-570d",
    checked_on: READ,
    note: "A civil claim. The criminal statute, § 53a-187, is content with one party. The announcement has to be in the recording.",
  },
  {
    jurisdiction: "US-DE",
    source: "11 Delaware Code § 1335(a)(4)",
    checked_on: READ,
    note: "Contested: § 2402(c)(4) is content with one party, and United States v. Vespe (1975) read § 1335 so, too. The row takes the careful side.",
  },
  {
    jurisdiction: "US-FL",
    source: "Florida Statutes § 934.03(2)(d)",
    checked_on: null,
    note: SUMMARY,
  },
  {
    jurisdiction: "US-IL",
    source: "720 ILCS 5/14-2(a)(2), as renewed by Public Act 98-1142",
    checked_on: READ,
    note: "People v. Clark (2014) struck the former statute down. The renewed one asks for consent only where a private conversation is recorded surreptitiously: an announced recording is none.",
  },
  {
    jurisdiction: "US-MA",
    source: "Massachusetts General Laws c. 272 § 99(B)(4)",
    checked_on: READ,
    note: "It forbids secret recording. Whether people who were told and stay on the line have agreed is decided by the case.",
  },
  {
    jurisdiction: "US-MD",
    source: "Maryland Courts and Judicial Proceedings § 10-402(c)(3)",
    checked_on: null,
    note: "The words of 2006 were read, today's in summaries only.",
  },
  {
    jurisdiction: "US-MI",
    source: "Michigan Compiled Laws § 750.539c",
    checked_on: READ,
    note: "Contested: Sullivan v. Gray (1982) and Fisher v. Perron (6th Cir. 2022) let a participant record alone; AFT Michigan v. Project Veritas (E.D. Mich. 2019) did not, and Michigan's Supreme Court declined to answer. The row takes the careful side.",
  },
  {
    jurisdiction: "US-MT",
    source: "Montana Code § 45-8-213(1)(c)",
    checked_on: READ,
    note: "It asks that everybody knows, not that everybody agrees: a warning suffices.",
  },
  {
    jurisdiction: "US-NH",
    source: "New Hampshire RSA 570-A:2",
    checked_on: READ,
    note: "A participant who records without the others' consent commits a misdemeanor instead of a felony.",
  },
  {
    jurisdiction: "US-NV",
    source: "Nevada Revised Statutes § 200.620",
    checked_on: READ,
    note: "Its words speak of one party's consent in an emergency that a court ratifies. Lane v. Allstate (1998) reads them as everybody's consent for telephone calls.",
  },
  {
    jurisdiction: "US-PA",
    source: "18 Pennsylvania Consolidated Statutes §§ 5703, 5704(4)",
    checked_on: null,
    note: "§ 5703 was read, the exception of § 5704(4) in summaries only.",
  },
  {
    jurisdiction: "US-WA",
    source: "Revised Code of Washington § 9.73.030",
    checked_on: READ,
    note: "Consent is given where one party announces the recording and the announcement is recorded, too.",
  },
];

/** Laws that ask an artificial agent to say that it is one, or protect those whose agent does. */
const DISCLOSURE_LAWS: readonly Law[] = [
  {
    jurisdiction: "US-CA",
    source: "California Business and Professions Code § 17941",
    checked_on: READ,
    note: "It speaks of bots online that mislead in order to sell or to win votes; who discloses is not liable. Whether calls, texts and e-mails are online is open. The row takes the careful side.",
  },
  {
    jurisdiction: "US-ME",
    source: "10 Maine Revised Statutes § 1500-DD",
    checked_on: null,
    note: `In trade, by text or voice, where a reasonable consumer may take the agent for a person. ${SUMMARY}`,
  },
  {
    jurisdiction: "US-NJ",
    source: "New Jersey Statutes § 56:18-2",
    checked_on: READ,
    note: "It speaks of online bots in sales, advertisement and elections, and asks for the disclosure at the outset. Whether calls, texts and e-mails are online is open. The row takes the careful side.",
  },
  {
    jurisdiction: "US-UT",
    source: "Utah Code §§ 13-77-103, 13-77-104",
    checked_on: READ,
    note: "At the start only for regulated occupations in high-risk interactions, else when asked. Who discloses at the outset and throughout is safe from enforcement; this row does the outset alone.",
  },
];

const EUROPEAN_UNION =
  "AT BE BG CY CZ DE DK EE ES FI FR GR HR HU IE IT LT LU LV MT NL PL PT RO SE SI SK".split(" ");

const AI_ACT = {
  source: "Regulation (EU) 2024/1689 (AI Act) Art. 50(1), from 2026-08-02",
  checked_on: READ,
  note: "Not where it is obvious that an AI system answers. The amendments of 2026 left the date of paragraph 1, by summaries.",
};

const artificial = (law: Law): AnnouncementRow => ({
  kind: "ai",
  channels: ["call", "text", "chat", "email"],
  texts: ARTIFICIAL,
  default_language: "en",
  ...law,
});

const recorded = (law: Law): AnnouncementRow => ({
  kind: "recording",
  channels: ["call"],
  texts: RECORDED,
  default_language: "en",
  ...law,
});

/**
 * Rows that an organization may start from; nothing of it is said until somebody saves it. Never legal advice. Left out:
 * Oregon, whose ORS 165.540 asks everybody on the spot but not on the telephone; Vermont, which has no statute; Colorado,
 * whose SB 26-189 replaced the disclosure of SB 24-205 (both by summaries); and the FCC's proposal on AI calls (89 FR 73321),
 * of which we found no rule.
 */
export const OFFERED_ROWS: readonly AnnouncementRow[] = [
  ...DISCLOSURE_LAWS.map(artificial),
  ...EUROPEAN_UNION.map((jurisdiction) => artificial({ jurisdiction, ...AI_ACT })),
  ...ALL_PARTY_STATES.map(recorded),
];
