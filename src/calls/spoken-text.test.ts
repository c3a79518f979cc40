import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  cutWords,
  heardMeasure,
  measure,
  NOTHING_UNSPOKEN,
  speakable,
  splitAtMeasure,
} from "./spoken-text.ts";

/** What is spoken of a text that comes in these parts; the last is what is left at its end. */
function pieces(...deltas: string[]): string[] {
  let unspoken = NOTHING_UNSPOKEN;
  const spoken: string[] = [];
  for (const delta of deltas) {
    const { pieces, rest } = speakable(unspoken, delta);
    spoken.push(...pieces);
    unspoken = rest;
  }
  return [...spoken, unspoken.text.trim()];
}

describe("an answer on its way", () => {
  test.each<[string[], string[]]>([
    [
      ["We open at nine. We cl", "ose at five. Y"],
      ["We open at nine.", "We close at five.", "Y"],
    ],
    [
      ["That costs $3.50 a day. ", "Fine?"],
      ["That costs $3.50 a day.", "Fine?"],
    ],
    [["Dr. Wu and Mrs. Lee are in. "], ["Dr. Wu and Mrs. Lee are in.", ""]],
    [['He said "no." Then he left. '], ['He said "no."', "Then he left.", ""]],
    [["好的。请稍等。我"], ["好的。", "请稍等。", "我"]],
    [
      ["नमस्ते। क्या यह ठीक है? ", "धन्यवाद।"],
      ["नमस्ते।", "क्या यह ठीक है?", "धन्यवाद।"],
    ],
    [["هل هذا مناسب؟ نعم"], ["هل هذا مناسب؟", "نعم"]],
    [["First line\nsecond"], ["First line", "second"]],
    [["Well, let me have a look at that, and"], ["Well, let me have a look at that,", "and"]],
    [["حسنًا، دعني ألقي نظرة على ذلك، ثم"], ["حسنًا، دعني ألقي نظرة على ذلك،", "ثم"]],
    [["ขอบคุณที่โทรหาคลินิกของเรา วันนี้มีอะไรให้ช่วย"], ["ขอบคุณที่โทรหาคลินิกของเรา", "วันนี้มีอะไรให้ช่วย"]],
    [["Yes, of course"], ["Yes, of course"]],
    [
      ["We are open tomorrow from 10:00 – 11:00 and at noon"],
      ["We are open tomorrow from 10:00 – 11:00 and at noon"],
    ],
    [
      ["We open at 9 a.m. and close at 5 p.m. On Sundays we rest. "],
      ["We open at 9 a.m. and close at 5 p.m.", "On Sundays we rest.", ""],
    ],
    [
      ["Ihr Termin ist am 3. M", "ai um 9 Uhr. Passt das? "],
      ["Ihr Termin ist am 3. Mai um 9 Uhr.", "Passt das?", ""],
    ],
    [
      ["Din tid er den 15. ", "marts klokken 9. Er det fint? "],
      ["Din tid er den 15. marts klokken 9.", "Er det fint?", ""],
    ],
    [["Your code is 12. Maybe note it. "], ["Your code is 12.", "Maybe note it.", ""]],
    [
      [
        "Frau Dr. med. Weber ist Mo. bis Fr. da. Bitte bringen Sie ggf. Ihren Ausweis mit, z. B. am 24.12. oder so. ",
      ],
      [
        "Frau Dr. med. Weber ist Mo. bis Fr. da.",
        "Bitte bringen Sie ggf. Ihren Ausweis mit, z. B. am 24.12. oder so.",
        "",
      ],
    ],
    [
      ["Im 2. Stock, Hauptstr. 12 in Ulm. Passt das? "],
      ["Im 2. Stock, Hauptstr. 12 in Ulm.", "Passt das?", ""],
    ],
    [
      ["M. Dupont, env. 20 min. à pied, av. Foch. Voilà. "],
      ["M. Dupont, env. 20 min. à pied, av. Foch.", "Voilà.", ""],
    ],
    [
      ["La Srta. Ruiz, pág. 3, a las 9 a. m. del lunes. ¿Vale? "],
      ["La Srta. Ruiz, pág. 3, a las 9 a. m. del lunes.", "¿Vale?", ""],
    ],
    [
      ["**Booked.** See you.\n**1.** Bring your card. "],
      ["**Booked.**", "See you.", "**1.** Bring your card.", ""],
    ],
    [["Il Dott. Neri e l'Ing. Conti. Bene. "], ["Il Dott. Neri e l'Ing. Conti.", "Bene.", ""]],
    [["Dhr. Vos, d.w.z. om 10 uur. Goed. "], ["Dhr. Vos, d.w.z. om 10 uur.", "Goed.", ""]],
    [["O Exmo. Sr. Silva, máx. 3 pess. hoje. Sim. "], ["O Exmo. Sr. Silva, máx. 3 pess. hoje.", "Sim.", ""]],
    [
      ["Order no. 4711 weighs 5 lbs. in total. Fine. "],
      ["Order no. 4711 weighs 5 lbs. in total.", "Fine.", ""],
    ],
    [["Приходите на ул. Ленина, д. 5. Хорошо? "], ["Приходите на ул. Ленина, д. 5.", "Хорошо?", ""]],
    [["No. We are closed. Room No. 5 is"], ["No.", "We are closed.", "Room No. 5 is"]],
    [["네. 알겠습니다. 잠시만"], ["네.", "알겠습니다.", "잠시만"]],
    [["डॉ. शर्मा कल मिलेंगे। ठीक है? "], ["डॉ. शर्मा कल मिलेंगे।", "ठीक है?", ""]],
    [["Bệnh viện ở TP. Hồ Chí Minh. Được ạ? "], ["Bệnh viện ở TP. Hồ Chí Minh.", "Được ạ?", ""]],
    [["we can do that tomorrow. what time? "], ["we can do that tomorrow.", "what time?", ""]],
    [["1. Cleaning\n2. Check-up\n"], ["1. Cleaning", "2. Check-up", ""]],
    [
      ["Done. One, two, three, four, five and so on, and"],
      ["Done.", "One, two, three, four, five and so on, and"],
    ],
  ])("%j is spoken as %j", (deltas, spoken) => {
    expect(pieces(...deltas)).toEqual(spoken);
  });

  test("nothing is lost or doubled, however it is cut up", () => {
    fc.assert(
      fc.property(
        fc.array(fc.oneof(fc.constantFrom("A. ", "b, ", "Dr. ", "。", "\n", "c! "), fc.string())),
        (deltas) => {
          const bare = (texts: string[]) => texts.join("").replace(/\s/gu, "");
          expect(bare(pieces(...deltas))).toBe(bare(deltas));
        },
      ),
    );
  });
});

describe("what was heard", () => {
  test.each<[string[], string, number]>([
    [["We open at nine.", "We close."], "We open", 6],
    [["We open at nine.", "We close."], "We open at nine. We", 15],
    [["We open at nine.", "We close."], "  We   open at nine. ", 13],
    [["We open at nine.", "We close."], "We close.", 21],
    [["We open at nine."], "", 0],
    [["We open at nine."], "We open at ten.", 8],
    [["We open at nine."], "Something else", 0],
  ])("of %j, by the carrier's word %j, are %i characters", (said, heard, measured) => {
    expect(heardMeasure(said, heard)).toBe(measured);
  });

  test("is never more than what was said", () => {
    fc.assert(
      fc.property(fc.array(fc.string()), fc.string(), (said, heard) => {
        expect(heardMeasure(said, heard)).toBeLessThanOrEqual(measure(said.join("")));
      }),
    );
  });

  test("splits a text into itself, and no character in two", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), fc.nat(40), (text, measured) => {
        const { heard, unheard } = splitAtMeasure(text, measured);
        expect(`${heard}${unheard}`.replace(/\s/gu, "")).toBe(text.replace(/\s/gu, ""));
        expect(heard.isWellFormed()).toBe(true);
      }),
    );
  });
});

test("a cut takes from the last messages what was not heard, and leaves the rest alone", () => {
  const messages = [
    { seq: 1, text: "Hello." },
    { seq: 4, text: "We open at nine." },
    { seq: 6, text: "Anything else?" },
  ];
  expect(cutWords(messages, 0)).toEqual([]);
  expect(cutWords(messages, 5)).toEqual([{ seq: 6, text: "Anything", unheard: "else?" }]);
  expect(cutWords(messages, 18)).toEqual([
    { seq: 6, text: "", unheard: "Anything else?" },
    { seq: 4, text: "We open at", unheard: "nine." },
  ]);
});
