import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type Pronouncing, spokenForm, writtenUntil } from "./spoken-form.ts";

const PLAIN: Pronouncing = { pronunciations: [], speakers: [] };
const says = (written: string, how = PLAIN): string => spokenForm(written, how, "en-US").text;
const WITH_SIOBHAN: Pronouncing = {
  pronunciations: [
    {
      text: "Siobhan",
      replacement: "shiv awn",
      languages: [],
      provider: "",
      voice: "",
      match_type: "exact",
      match_options: [],
      enabled: true,
      notes: "",
    },
  ],
  speakers: [],
};

describe("a voice is given", () => {
  test.each([
    ["**Important:** please be *on time*.", "Important: please be on time."],
    ["***Achtung***, __neu__ und _leise_", "Achtung, neu und leise"],
    ["*Please come", "Please come"],
    ["on time.*", "on time."],
    ["- 10:30", "10:30"],
    ["## Opening hours\n\n* Monday\n* Tuesday", "Opening hours\n\nMonday\nTuesday"],
    ["1. Call us", "1. Call us"],
    [
      "See [our page](https://example.com/a_b) or https://www.example.com/.",
      "See our page or www.example.com.",
    ],
    ["<https://example.com> or mailto:info@example.com", "example.com or info@example.com"],
    ["| Day | Time |\n|---|---|\n| Mo | 9 |", "Day, Time\n\nMo, 9"],
    ["Booked! 🎉 👩‍⚕️ 🇩🇪 ☎️", "Booked!    "],
    ["Press 1️⃣ for sales", "Press 1 for sales"],
    ["Your code is `ABC-123`.", "Your code is ABC-123."],
    ["Settings → Account", "Settings, Account"],
    ["We are open on Sundays【4:0†hours.pdf】.", "We are open on Sundays."],
    ["Card **** 4711", "Card  4711"],
    ["これは*大事*です、__必ず__詳しくはhttps://example.comへ", "これは大事です、必ず詳しくはexample.comへ"],
  ])("%j without its marks", (written, spoken) => expect(says(written)).toBe(spoken));

  test.each([
    "Press * or #, then 1.",
    "3 * 4 is 12, 2*3*4 is 24",
    "max_muster@example.com, order A_17_B",
    "-5 °C, 9–17 Uhr, 49,90 €, 10 % off, A&B, (c) 2026, Parley™",
    "Is it 1:30 p.m. [sic]?",
    "Invoice 2026-12-07-3, 2026-02-30 and A2026-12-07",
    "L'agence — ouverte à 9 h — vous attend.",
  ])("%j as it is", (written) => expect(says(written)).toBe(written));

  test.each([
    ["en-US", "It is on December 7, 2026 at 9:45."],
    ["es-US", "It is on 7 de diciembre de 2026 at 9:45."],
    ["fr-FR", "It is on 7 décembre 2026 at 9:45."],
    ["ja-JP", "It is on 2026年12月7日 at 9:45."],
  ])("a date of a tool as %s says it", (language, spoken) => {
    expect(spokenForm("It is on 2026-12-07 at 9:45.", PLAIN, language).text).toBe(spoken);
  });

  test("a date of a tool that words stand against", () => {
    expect(spokenForm("予約は2026-12-07です", PLAIN, "ja-JP").text).toBe("予約は2026年12月7日です");
  });

  test("a word as the dictionary has it, also where it is bold", () => {
    expect(says("Ask **Siobhan** at ten.", WITH_SIOBHAN)).toBe("Ask shiv awn at ten.");
  });
});

test("for any text, what was heard of its spoken form is a beginning of what was written, all of it at the end", () => {
  const part = fc.constantFrom(
    "**",
    "*",
    "_",
    "Siobhan",
    " ",
    "a",
    "- ",
    "\n",
    "🎉",
    "[a](b)",
    "|",
    "→",
    ".",
  );
  const text = fc.array(part, { maxLength: 30 }).map((parts) => parts.join(""));
  fc.assert(
    fc.property(text, fc.nat(40), (written, heard) => {
      const form = spokenForm(written, WITH_SIOBHAN, "en-US");
      expect(form.origin).toHaveLength(form.text.length);
      expect(form.origin).toEqual(form.origin.toSorted((a, b) => a - b));
      const until = writtenUntil(written, form, heard);
      expect(written.startsWith(until)).toBe(true);
      expect(writtenUntil(written, form, heard + 1).length).toBeGreaterThanOrEqual(until.length);
      expect(writtenUntil(written, form, form.text.length)).toBe(written);
    }),
  );
});

test("a text of nothing but marks is read in no time", () => {
  for (const mark of ["[", "*", " ", "\t", "*a ", "|", "[a](", "\n- ", "<b", " |", "【", "__"])
    expect(says(mark.repeat(20_000)).length).toBeLessThanOrEqual(20_000 * mark.length * 2);
});
