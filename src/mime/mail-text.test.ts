import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { CODE_POINT } from "../../test/harness/code-point.ts";
import { processorMs } from "../../test/harness/processor-time.ts";
import { plainOfHtml } from "./html-words.ts";
import { isHtml, newText } from "./mail-text.ts";

const quote = "> Your appointment is on Monday.\n> See you then.";

describe("what a mail adds to those it quotes", () => {
  test.each([
    ["gmail", `Tuesday is better.\n\nOn Tue, 3 Mar 2026 at 10:12, Clinic <a@b.example> wrote:\n\n${quote}`],
    [
      "gmail, broken",
      `Tuesday is better.\n\nOn Tue, 3 Mar 2026 at 10:12, The Sunrise Clinic of Springfield\n<front-desk@b.example> wrote:\n${quote}`,
    ],
    [
      "german",
      `Tuesday is better.\n\nAm Di., 3. März 2026 um 10:12 Uhr schrieb Clinic <a@b.example>:\n${quote}`,
    ],
    ["french", `Tuesday is better.\n\nLe mar. 3 mars 2026 à 10:12, Clinic <a@b.example> a écrit :\n${quote}`],
    [
      "spanish",
      `Tuesday is better.\n\nEl mar, 3 mar 2026 a las 10:12, Clinic (<a@b.example>) escribió:\n${quote}`,
    ],
    ["chinese", `Tuesday is better.\n\n在 2026年3月3日，Clinic <a@b.example> 写道：\n${quote}`],
    ["japanese", `Tuesday is better.\n\n2026年3月3日(火) 10:12 Clinic <a@b.example>のメール:\n${quote}`],
    ["japanese gmail", `Tuesday is better.\n\n2026年3月3日(火) 10:12 Clinic <a@b.example>:\n${quote}`],
    ["russian", `Tuesday is better.\n\nвт, 3 мар. 2026 г. в 10:12, Clinic <a@b.example>:\n${quote}`],
    [
      "portuguese",
      `Tuesday is better.\n\nClinic <a@b.example> escreveu (terça, 3/03/2026 à(s) 10:12):\n${quote}`,
    ],
    [
      "arabic",
      `Tuesday is better.\n\nفي الثلاثاء، 3 مارس 2026 في 10:12 ص تمت كتابة ما يلي بواسطة Clinic <a@b.example>:\n${quote}`,
    ],
    [
      "hindi",
      `Tuesday is better.\n\nमंगल, 3 मार्च 2026 को 10:12 am बजे को Clinic <a@b.example> ने लिखा:\n${quote}`,
    ],
    ["ukrainian", `Tuesday is better.\n\nвт, 3 бер. 2026 р. о 10:12 Clinic <a@b.example> пише:\n${quote}`],
    [
      "russian, broken",
      `Tuesday is better.\n\nвт, 3 мар. 2026 г. в 10:12, Клиника «Рассвет» на Садовой улице\n<front-desk@b.example>:\n${quote}`,
    ],
    [
      "ukrainian, broken",
      `Tuesday is better.\n\nвт, 3 бер. 2026 р. о 10:12 Клініка «Світанок» на вулиці Садовій\n<front-desk@b.example> пише:\n${quote}`,
    ],
    [
      "hindi, broken over three lines",
      `Tuesday is better.\n\nमंगल, 3 मार्च 2026 को 10:12 am बजे को सनराइज़ क्लिनिक\n<front-desk@b.example>\nने लिखा:\n${quote}`,
    ],
    [
      "turkish, broken",
      `Tuesday is better.\n\nClinic <front-desk@b.example>, 3 Mar 2026 Sal, 10:12\ntarihinde şunu yazdı:\n${quote}`,
    ],
    [
      "gmail, broken in the name",
      `Tuesday is better.\n\nOn Tue, Mar 3, 2026 at 10:12 AM The Sunrise Clinic of Greater Springfield and\nShelbyville <front-desk@b.example> wrote:\n${quote}`,
    ],
    [
      "ukrainian, broken in the name",
      `Tuesday is better.\n\nвт, 3 бер. 2026 р. о 10:12 Клініка «Світанок» на вулиці Садовій у місті\nШевченкове <front-desk@b.example> пише:\n${quote}`,
    ],
    ["broken before the verb", `Tuesday is better.\n\nOn Tue, 3 Mar 2026 at 10:12, Clinic\nwrote:\n${quote}`],
    [
      "german, broken before the name",
      `Tuesday is better.\n\nAm Di., 3. März 2026 um 10:12 Uhr schrieb\nThe Sunrise Clinic <a@b.example>:\n${quote}`,
    ],
    [
      "answer below, broken",
      `вт, 3 мар. 2026 г. в 10:12, Клиника\n<front-desk@b.example>:\n${quote}\n\nTuesday is better.`,
    ],
    [
      "outlook",
      "Tuesday is better.\n\n________________________________\nFrom: Clinic <a@b.example>\nSent: Tuesday, March 3, 2026 10:12\nTo: Ann\nSubject: Visit\n\nYour appointment is on Monday.",
    ],
    [
      "outlook, german",
      "Tuesday is better.\n\nVon: Clinic <a@b.example>\nGesendet: Dienstag, 3. März 2026\nAn: Ann\nBetreff: Besuch\n\nYour appointment",
    ],
    ...[
      ["Van", "Verzonden", "Aan", "Onderwerp"],
      ["Od", "Wysłane", "Do", "Temat"],
      ["Från", "Skickat", "Till", "Ämne"],
      ["Fra", "Sendt", "Til", "Emne"],
      ["От", "Отправлено", "Кому", "Тема"],
      ["Kimden", "Gönderildi", "Kime", "Konu"],
    ].map(([from, sent, to, subject]) => [
      `outlook, ${subject}`,
      `Tuesday is better.\n\n${from}: Clinic <a@b.example>\n${sent}: 2026-03-03 10:12\n${to}: Ann\n${subject}: Visit\n\nYour appointment is on Monday.`,
    ]),
    [
      "outlook on the web",
      `Tuesday is better.\n\n${"-".repeat(80)}\nFrom: Clinic <a@b.example>\nSent: Tuesday, March 3, 2026 10:12 AM\nTo: Ann\nSubject: Visit\n\nYour appointment is on Monday.`,
    ],
    [
      "original message",
      "Tuesday is better.\n\n-----Original Message-----\nFrom: Clinic\n\nYour appointment is on Monday.",
    ],
    ["signature", "Tuesday is better.\n\n-- \nAnn Example\n+1 512 555 0100"],
    ["a provider's", "Tuesday is better.\n\nSent with Proton Mail secure email."],
    ["a picture's place", "[cid:image001.png@01DB8C3E]Tuesday is better.\n"],
    [
      "signed in itself",
      "-----BEGIN PGP SIGNED MESSAGE-----\nHash: SHA256\n\nTuesday is better.\n\n-----BEGIN PGP SIGNATURE-----\n\niQEz\n=abcd\n-----END PGP SIGNATURE-----\n",
    ],
    ["telephone", "Tuesday is better.\n\nSent from my iPhone"],
    ["answer between quotes", "> Your appointment is on Monday.\nTuesday is better.\n> See you then."],
    ["answer below", `On Tue, 3 Mar 2026, Clinic wrote:\n${quote}\n\nTuesday is better.`],
    ["windows line ends", `Tuesday is better.\r\n\r\nOn Tue, Clinic <a@b.example> wrote:\r\n> hello`],
  ])("%s", (_, text) => expect(newText(text)).toBe("Tuesday is better."));

  test.each([
    "This is what I got 3 March 2026 10:12 from Bob <bob@example.com>:\nYou owe 5 euros.\nIs that right?",
    "My visit is on 3 March 2026 at 10:12; copy Bob <bob@example.com>:\nhe drives me.",
    "Hello,\n\nplease write to Ann <ann@example.com>, from 3 March 2026, 10:12 on:\nshe decides.",
  ])("%j is nobody's quote", (own) => expect(newText(own)).toBe(own));

  const attribution = "On Tue, 3 Mar 2026 at 10:12, Clinic <a@b.example> wrote:";
  test.each([
    [
      "below",
      `Hi,\n\n${attribution}\n${quote}\n\nTuesday is better.\n\n-- \nAnn`,
      "Hi,\n\nTuesday is better.",
    ],
    [
      "between",
      `Hello Clinic\n\n${attribution}\n> Which day?\n\nTuesday.\n\n> At what time?\n\nAt ten.`,
      "Hello Clinic\n\nTuesday.\n\nAt ten.",
    ],
    [
      "between, under words of its own,",
      `Thank you for asking so soon.\n\n${attribution}\n> Which day?\n\nTuesday.\n\n> At what time?\n\nAt ten.`,
      "Thank you for asking so soon.\n\nTuesday.\n\nAt ten.",
    ],
    [
      "below, as is said above,",
      `Meine Antwort steht unten.\n\n${attribution}\n${quote}\n\nDienstag passt.`,
      "Meine Antwort steht unten.\n\nDienstag passt.",
    ],
    [
      "above long lines, of which the first half is marked,",
      `Tuesday is better.\n\n${attribution}\n> We could offer you an appointment on Tuesday or, if you would rather\ncome later, on Friday.\n> See you then.`,
      "Tuesday is better.",
    ],
    [
      "below, under thanks,",
      `Thanks!\n\n${attribution}\n${quote}\n\nTuesday is better.`,
      "Thanks!\n\nTuesday is better.",
    ],
    [
      "below, under thanks for something,",
      `Vielen Dank für Ihre Nachricht!\n\n${attribution}\n${quote}\n\nDienstag passt besser.`,
      "Vielen Dank für Ihre Nachricht!\n\nDienstag passt besser.",
    ],
    ["below, after a blank line", `\n${attribution}\n${quote}\n\nTuesday is better.`, "Tuesday is better."],
    ["above a notice", `STOP\n\n${attribution}\n${quote}\n\nThis message is confidential.`, "STOP"],
  ])("an answer %s of a quote is read", (_, text, said) => expect(newText(text)).toBe(said));

  const handedOn =
    "From: Bob <bob@example.com>\nDate: 3 Mar 2026\nSubject: Pain\nTo: Ann\n\nMy tooth hurts.\n> It did before.";
  test.each([
    ["gmail", `---------- Forwarded message ---------\n${handedOn}`, "Fwd: Pain"],
    ["thunderbird", `-------- Weitergeleitete Nachricht --------\n${handedOn}`, "Fwd: Pain"],
    ["apple", `Début du message transféré :\n\n${handedOn}`, "Fwd: Pain"],
    ["outlook", handedOn, "WG: Pain"],
  ])("a mail that is handed on is read, also below words of one's own: %s", (_, mail, subject) => {
    expect(newText(`\n${mail}`, subject)).toBe(mail);
    expect(newText(`Please read this.\n\n-- \nAnn\n\n${mail}`, subject)).toBe(`Please read this.\n\n${mail}`);
    expect(
      newText(`Tuesday is better.\n\n${attribution}\n> ${mail.replaceAll("\n", "\n> ")}`, "Re: Pain"),
    ).toBe("Tuesday is better.");
  });

  test("what looks like a quote to nobody stays", () => {
    for (const plain of [
      "On Monday I can't come.\n\nFrom: the station I walk.\n\nWhat she wrote: nothing new.",
      "This is what your colleague wrote:\n\nCome on Tuesday at ten.\n\nIs that right?",
      "On the form your colleague\nwrote:\nCome at ten.",
    ])
      expect(newText(plain)).toBe(plain);
    expect(newText("a -- b\n--- c")).toBe("a -- b\n--- c");
  });

  test.each([
    "Can I come on 3 March 2026 at 10:12?",
    "Better 3 March 2026, 10:12",
    "Better 3 March 2026, 10:12\nor the day after",
    "On Tuesday, 3 March 2026 at 10:12 I can't come",
    "On Monday I can't come.",
    "Am Montag kann ich nicht",
    "El lunes 2/3/2026 a las 10:12 no puedo",
    "Le lundi 2 mars 2026 à 10:12 je ne peux pas",
    "I'd rather come on Tuesday, the 3rd of March 2026, at 10:12 than on the day before",
    "Please move my visit to Tuesday 3 March 2026 at 10:12, if Dr. Ada Lovelace is in",
    "Tuesday, 3 March 2026 at 10:12 would suit me better than the day that you wrote of",
    "On Tuesday, 3 March 2026 at 10:12 I can't come since my daughter is ill, we hope",
    "Könnten wir den Termin auf Dienstag, den 3. März 2026 um 10:12 Uhr verschieben",
    "Je préférerais venir le mardi 3 mars 2026 à 10:12 plutôt que le lundi d'avant",
    "Я хотела бы прийти во вторник, 3 марта 2026 г. в 10:12, а не днём раньше, можно",
  ])("%j right above a quote stays, however the quote begins", (own) => {
    for (const attribution of [
      "The clinic wrote:",
      "Clinic <a@b.example> wrote:",
      "Ada Lovelace <front-desk@clinic-of-the-rising-sun.example> wrote:",
      "On Tue, Clinic wrote:",
      "On Tue, 3 Mar 2026 at 10:12, Clinic wrote:",
      "Am Di., 3. März 2026 um 10:12 Uhr schrieb Clinic <a@b.example>:",
      "Le mar. 3 mars 2026 à 10:12, Clinic <a@b.example> a écrit :",
      "вт, 3 мар. 2026 г. в 10:12, Clinic <a@b.example>:",
      "Clinic escribió:",
    ]) {
      for (const above of ["Hello,\n", "Hello,\n\n", ""]) {
        const said = `${above}${own}`;
        expect(newText(`${said}\n${attribution}\n${quote}`), attribution).toBe(said);
      }
    }
  });

  test("a mail of quotes alone says nothing", () => expect(newText(`\n${quote}`)).toBe(""));

  const line = fc
    .stringMatching(/^[a-zA-Z0-9 ,.!?äöü]{1,60}$/)
    .filter((text) => !/^\s*(on|from|de|von|da|sent|--|am|le|el|il|em|op|den|van|od|2)/i.test(text));
  test("whatever somebody writes above a quote comes out whole", () => {
    fc.assert(
      fc.property(
        fc.array(line, { minLength: 1, maxLength: 8 }),
        fc.array(fc.string(), { maxLength: 8 }),
        (own, quoted) => {
          const text = `${own.join("\n")}\n\nOn Tue, 3 Mar 2026, Ann <ann@example.com> wrote:\n${quoted.map((q) => `> ${q.replace(/[\r\n]/g, " ")}`).join("\n")}`;
          expect(newText(text)).toBe(own.join("\n").trim());
        },
      ),
    );
  });

  test("any text is read, in time that grows with its length only", () => {
    fc.assert(fc.property(fc.string({ unit: CODE_POINT, maxLength: 2000 }), (text) => void newText(text)));
    // Long enough that a cost that grows with the square of the length would show.
    const long = [
      `On ${"a ".repeat(500_000)}\n`.repeat(3),
      "From: x\n".repeat(300_000),
      `a${" ".repeat(200_000)}b`,
      "a@b".repeat(300_000),
    ];
    expect(processorMs(() => long.map((text) => newText(text)))).toBeLessThan(20_000);
  });
});

test("HTML becomes words with their links and lists", async () => {
  const html =
    '<h1>Your visit</h1><p>Dear Ann &amp; Bob,<br>see <a href="https://a.example/x">the map</a>.</p><ul><li>one</li><li>two</li></ul><style>p{color:red}</style>';
  const text = await plainOfHtml(html);
  expect(text).toContain("Dear Ann & Bob,\nsee the map");
  expect(text).toContain("https://a.example/x");
  expect(text).toMatch(/\* one\n\s*\* two/);
  expect(text).not.toContain("color");
  expect(isHtml(html)).toBe(true);
  expect(isHtml("Dear Ann, 1 < 2 and a<b")).toBe(false);
});
