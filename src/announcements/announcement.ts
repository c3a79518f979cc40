/** `ai`: that an artificial agent speaks or writes. `recording`: that the call is recorded. In the order they are said. */
export const ANNOUNCEMENT_KINDS = ["ai", "recording"] as const;
export type AnnouncementKind = (typeof ANNOUNCEMENT_KINDS)[number];

/** WhatsApp is a text. */
export const ANNOUNCEMENT_CHANNELS = ["call", "text", "chat", "email"] as const;
export type AnnouncementChannel = (typeof ANNOUNCEMENT_CHANNELS)[number];

export const announcementChannelOf = (
  channel: "voice" | "chat" | "sms" | "whatsapp" | "email",
): AnnouncementChannel =>
  channel === "voice" ? "call" : channel === "sms" || channel === "whatsapp" ? "text" : channel;

/** What people of a jurisdiction are told at the start: "*", a country ("US") or a state ("US-CA"). */
export type AnnouncementRow = {
  kind: AnnouncementKind;
  jurisdiction: string;
  channels: AnnouncementChannel[];
  /** By language (BCP 47); `default_language` is one of them. */
  texts: Record<string, string>;
  default_language: string;
  /** The law or policy behind it, and when somebody last read it. */
  source: string | null;
  checked_on: string | null;
  /** What is contested about the source. */
  note: string | null;
};

/** What one session says at its start, and by which row. */
export type Announcement = {
  kind: AnnouncementKind;
  text: string;
  /** Of the text. */
  language: string;
  jurisdiction: string;
  source: string | null;
};

export type AnnouncedSession = {
  channel: AnnouncementChannel;
  /** Where the person may be, the widest first (`jurisdictionsOf`). */
  jurisdictions: readonly string[];
  is_recorded: boolean;
  /** BCP 47. */
  language: string;
};

/**
 * What the agent says before anything else: of each kind one text, by the narrowest row that applies. Where a person may be
 * in several jurisdictions, one that asks for it suffices. Pure.
 */
export function announcementsFor(
  rows: readonly AnnouncementRow[],
  { channel, jurisdictions, is_recorded, language }: AnnouncedSession,
): Announcement[] {
  return ANNOUNCEMENT_KINDS.flatMap((kind) => {
    if (kind === "recording" && !is_recorded) return [];
    const applying = rows.filter(
      (row) =>
        row.kind === kind && row.channels.includes(channel) && mayLieIn(row.jurisdiction, jurisdictions),
    );
    const rank = ({ jurisdiction }: AnnouncementRow) => jurisdictions.indexOf(jurisdiction);
    // `toSorted` is stable: among those that are only possible, the first that was saved is said.
    const row = applying.toSorted((a, b) => rank(b) - rank(a))[0];
    if (!row) return [];
    const { jurisdiction, source } = row;
    return [{ kind, ...textIn(row, language), jurisdiction, source }];
  });
}

/** Numbers without an area of their own, such as toll-free ones, belong to all countries of the plan. */
const NORTH_AMERICA = "+1";

/**
 * Whether somebody may be in a jurisdiction, given where they are known to be: in it, or in something wider of which nothing
 * narrower is known. Somebody without a number may be anywhere.
 */
export function mayLieIn(jurisdiction: string, known: readonly string[]): boolean {
  if (jurisdiction === "*" || known.includes(jurisdiction)) return true;
  const narrowest = known.at(-1) ?? "*";
  if (narrowest === NORTH_AMERICA) return /^(US|CA)(-|$)/.test(jurisdiction);
  if (narrowest === "*" || narrowest.startsWith("+")) return true;
  return jurisdiction.startsWith(`${narrowest}-`);
}

const primary = (language: string): string => language.toLowerCase().split("-")[0] as string;

export const isSameLanguage = (a: string, b: string): boolean => primary(a) === primary(b);

/** In this very language, else in another region's form of it, else in the row's default. */
function textIn(
  { texts, default_language }: AnnouncementRow,
  language: string,
): { text: string; language: string } {
  const languages = Object.keys(texts);
  const chosen =
    languages.find((each) => each.toLowerCase() === language.toLowerCase()) ??
    languages.find((each) => each.toLowerCase() === primary(language)) ??
    languages.find((each) => isSameLanguage(each, language)) ??
    default_language;
  return { text: texts[chosen] ?? "", language: chosen };
}

/** "said because of US-CA (California Penal Code 632)" */
export const announcementReason = ({ jurisdiction, source }: Announcement): string =>
  `said because of ${jurisdiction}${source === null ? "" : ` (${source})`}`;

/** What is wrong with rows that are each well-formed: `index` of the row, its field, and a sentence. Pure. */
export function announcementFaults(
  rows: readonly AnnouncementRow[],
): { index: number; field: string; msg: string }[] {
  const named = new Set<string>();
  return rows.flatMap(({ kind, jurisdiction, channels, texts, default_language }, index) => {
    const keys = channels.map((channel) => `${kind} ${jurisdiction} ${channel}`);
    const isTwice = new Set(keys).size < keys.length || keys.some((key) => named.has(key));
    for (const key of keys) named.add(key);
    return [
      ...(kind === "recording" && channels.some((channel) => channel !== "call")
        ? [{ index, field: "channels", msg: "Only calls are recorded: name `call` alone" }]
        : []),
      ...(Object.hasOwn(texts, default_language)
        ? []
        : [{ index, field: "default_language", msg: "Name one of the languages of `texts`" }]),
      ...(isTwice
        ? [
            {
              index,
              field: "jurisdiction",
              msg: "Another row is of this kind for this jurisdiction and channel",
            },
          ]
        : []),
    ];
  });
}
