import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { rounds } from "../../test/harness/seed.ts";
import { isJurisdiction, jurisdictionsOf } from "../geography/person-zones.ts";
import {
  ANNOUNCEMENT_CHANNELS,
  ANNOUNCEMENT_KINDS,
  type AnnouncementRow,
  announcementFaults,
  announcementReason,
  announcementsFor,
  mayLieIn,
} from "./announcement.ts";
import { OFFERED_ROWS } from "./offered-rows.ts";

const JURISDICTIONS = ["*", "US", "US-CA", "US-NY", "CA", "CA-QC", "DE"];
const LANGUAGES = ["en", "en-US", "es-US", "fr-FR", "de"];
const PLACES = [["*"], ["*", "US"], ["*", "US", "US-CA"], ["*", "US", "US-NY"], ["*", "DE"], ["*", "+1"]];

const aRow: fc.Arbitrary<AnnouncementRow> = fc
  .record({
    kind: fc.constantFrom(...ANNOUNCEMENT_KINDS),
    jurisdiction: fc.constantFrom(...JURISDICTIONS),
    channels: fc.uniqueArray(fc.constantFrom(...ANNOUNCEMENT_CHANNELS), { minLength: 1 }),
    languages: fc.uniqueArray(fc.constantFrom(...LANGUAGES), { minLength: 1 }),
    source: fc.constantFrom(null, "a law"),
  })
  .map(({ languages, ...row }) => ({
    ...row,
    texts: Object.fromEntries(languages.map((language) => [language, `${row.kind} in ${language}`])),
    default_language: languages[0] as string,
    checked_on: null,
    note: null,
  }));
const someRows = fc.array(aRow, { maxLength: 8 });
const aSession = fc.record({
  channel: fc.constantFrom(...ANNOUNCEMENT_CHANNELS),
  jurisdictions: fc.constantFrom(...PLACES),
  is_recorded: fc.boolean(),
  language: fc.constantFrom(...LANGUAGES, "vi-VN"),
});
const runs = { numRuns: rounds(500) };

describe("for all rows and sessions", () => {
  test("a kind is announced exactly when a row of it applies, once, and recording only on a recorded call", () => {
    let said = 0;
    fc.assert(
      fc.property(someRows, aSession, (rows, session) => {
        const found = announcementsFor(rows, session);
        for (const kind of ANNOUNCEMENT_KINDS) {
          const applies = rows.some(
            (row) =>
              row.kind === kind &&
              row.channels.includes(session.channel) &&
              mayLieIn(row.jurisdiction, session.jurisdictions) &&
              (kind === "ai" || session.is_recorded),
          );
          expect(found.filter((each) => each.kind === kind)).toHaveLength(applies ? 1 : 0);
        }
        said += found.length;
      }),
      runs,
    );
    expect(said).toBeGreaterThan(50);
  });

  test("the text is one of its row, in the session's language wherever the row has it", () => {
    fc.assert(
      fc.property(someRows, aSession, (rows, session) => {
        for (const { kind, text, language, jurisdiction } of announcementsFor(rows, session)) {
          const row = rows.find((each) => each.kind === kind && each.texts[language] === text);
          expect(row).toBeDefined();
          expect(rows.some((each) => each.jurisdiction === jurisdiction && each.kind === kind)).toBe(true);
          expect(text).toBe(`${kind} in ${language}`);
        }
        const row = rows[0];
        if (!row) return;
        const everywhere = { ...row, jurisdiction: "*", channels: [session.channel] };
        const [alone] = announcementsFor([everywhere], { ...session, is_recorded: true });
        const has = Object.hasOwn(row.texts, session.language);
        if (has) expect(alone?.language).toBe(session.language);
      }),
      runs,
    );
  });

  test("a further row never takes an announcement away, and a narrower one replaces the words of a wider one", () => {
    fc.assert(
      fc.property(someRows, aRow, aSession, (rows, more, session) => {
        const before = announcementsFor(rows, session).map(({ kind }) => kind);
        const after = announcementsFor([...rows, more], session).map(({ kind }) => kind);
        expect(after).toEqual(expect.arrayContaining(before));
      }),
      runs,
    );
    const wide = { ...row("US"), texts: { en: "wide" } };
    const place = { channel: "call", is_recorded: true, language: "en-US" } as const;
    const inCalifornia = { ...place, jurisdictions: ["*", "US", "US-CA"] };
    expect(announcementsFor([wide, row("US-CA")], inCalifornia)).toMatchObject([{ jurisdiction: "US-CA" }]);
    expect(announcementsFor([wide, row("US-NY")], inCalifornia)).toMatchObject([{ text: "wide" }]);
  });
});

const row = (jurisdiction: string): AnnouncementRow => ({
  kind: "recording",
  jurisdiction,
  channels: ["call"],
  texts: { en: "Recorded." },
  default_language: "en",
  source: "a law",
  checked_on: null,
  note: null,
});

describe("a person", () => {
  test.each([
    ["+14155550123", [], "US-CA", true],
    ["+12125550123", [], "US-CA", false],
    ["+12125550123", ["94105"], "US-CA", true],
    // Toll-free, and of somebody who has no number: they may be anywhere.
    ["+18005550123", [], "US-CA", true],
    ["+18005550123", [], "DE", false],
    ["visitor-7", [], "US-CA", true],
    ["ann@example.com", [], "DE", true],
    ["+4930123456", [], "US-CA", false],
    ["+4930123456", [], "DE", true],
  ])("at %s with the postal codes %j may be in %s: %s", (target, postal_codes, jurisdiction, may) => {
    expect(mayLieIn(jurisdiction, jurisdictionsOf(target, postal_codes))).toBe(may);
  });
});

describe("rows", () => {
  test("that are offered are without fault, name their source, and say so where its words were not read", () => {
    expect(announcementFaults(OFFERED_ROWS)).toEqual([]);
    for (const { jurisdiction, source, checked_on, note } of OFFERED_ROWS) {
      expect(isJurisdiction(jurisdiction), jurisdiction).toBe(true);
      expect(source).not.toBeNull();
      if (checked_on === null) expect(note, jurisdiction).toMatch(/summaries/);
    }
  });

  test("say why they were said", () => {
    const [said] = announcementsFor([row("US-CA")], {
      channel: "call",
      jurisdictions: ["*", "US", "US-CA"],
      is_recorded: true,
      language: "es-US",
    });
    expect(said && announcementReason(said)).toBe("said because of US-CA (a law)");
  });
});
