import { expect, test } from "vitest";
import { newText } from "./mail-text.ts";

const quote = "> Your appointment is on Monday.\n> See you then.";

test.each([
  ["apple, english", "On Mar 3, 2026, at 10:12 AM, Clinic <a@b.example> wrote:"],
  ["apple, german", "Am 03.03.2026 um 10:12 schrieb Clinic <a@b.example>:"],
  ["apple, french", "Le 3 mars 2026 à 10:12, Clinic <a@b.example> a écrit :"],
  ["apple, italian", "Il giorno 3 mar 2026, alle ore 10:12, Clinic <a@b.example> ha scritto:"],
  ["apple, dutch", "Op 3 mrt 2026 om 10:12 heeft Clinic <a@b.example> het volgende geschreven:"],
  ["apple, polish", "Wiadomość napisana przez Clinic <a@b.example> w dniu 3 mar 2026, o godz. 10:12:"],
  ["apple, swedish", "3 mars 2026 kl. 10:12 skrev Clinic <a@b.example>:"],
  ["gmail, norwegian", "tir. 3. mars 2026 kl. 10:12 skrev Clinic <a@b.example>:"],
  ["gmail, czech", "út 3. 3. 2026 v 10:12 odesílatel Clinic <a@b.example> napsal:"],
  ["gmail, hungarian", "Clinic <a@b.example> ezt írta (időpont: 2026. márc. 3., K, 10:12):"],
  ["gmail, finnish", "ti 3. maalisk. 2026 klo 10.12 Clinic (a@b.example) kirjoitti:"],
  ["gmail, greek", "Στις Τρί 3 Μαρ 2026 στις 10:12 π.μ., ο/η Clinic <a@b.example> έγραψε:"],
  ["gmail, romanian", "În mar., 3 mar. 2026 la 10:12, Clinic <a@b.example> a scris:"],
  ["gmail, indonesian", "Pada tanggal Sel, 3 Mar 2026 pukul 10.12 Clinic <a@b.example> menulis:"],
  ["gmail, thai", "ในวันที่ อ. 3 มี.ค. 2569 เวลา 10:12 Clinic <a@b.example> เขียนว่า:"],
  ["gmail, persian", "در تاریخ سه‌شنبه ۳ مارس ۲۰۲۶،‏ ۱۰:۱۲ Clinic <a@b.example> نوشت:"],
  [
    "gmail, hebrew",
    "\u202bבתאריך יום ג׳, 3 במרץ 2026 ב-10:12 מאת \u202aClinic\u202c\u200f <\u202aa@b.example\u202c\u200f>:\u202c",
  ],
  [
    "gmail, arabic",
    "في الثلاثاء، 3 مارس 2026 في 10:12 ص تمت كتابة ما يلي بواسطة \u202aClinic\u202c\u200f <\u202aa@b.example\u202c\u200f>:\u202c",
  ],
  [
    "gmail, arabic of egypt",
    "في الثلاثاء، ٣ مارس ٢٠٢٦ في ١٠:١٢ ص تمت كتابة ما يلي بواسطة Clinic <a@b.example>:",
  ],
  ["thunderbird, spanish", "El 3/3/2026 a las 10:12, Clinic escribió:"],
  ["yahoo", "On Tuesday, March 3, 2026 at 10:12:00 AM EST, Clinic <a@b.example> wrote:"],
])("begins where a program says who wrote what follows: %s", (_, head) => {
  expect(newText(`Tuesday is better.\n\n${head}\n${quote}`)).toBe("Tuesday is better.");
  expect(newText(`${head}\n\n${quote}\n\nTuesday is better.`)).toBe("Tuesday is better.");
});

test.each([
  [
    "outlook, arabic",
    ["من: Clinic <a@b.example>", "تم الإرسال: الثلاثاء، 3 مارس 2026 10:12", "إلى: Ann", "الموضوع: Visit"],
  ],
  [
    "outlook, arabic of a telephone",
    ["\u200fمن: Clinic", "\u200fالتاريخ: ٣ مارس ٢٠٢٦", "\u200fإلى: Ann", "\u200fالموضوع: Visit"],
  ],
  ["outlook, hebrew", ["מאת: Clinic <a@b.example>", "נשלח: יום שלישי 3 מרץ 2026", "אל: Ann", "נושא: Visit"]],
  ["outlook, greek", ["Από: Clinic <a@b.example>", "Στάλθηκε: 3 Μαρτίου 2026", "Προς: Ann", "Θέμα: Visit"]],
  ["outlook, hungarian", ["Feladó: Clinic", "Elküldve: 2026. március 3.", "Címzett: Ann", "Tárgy: Visit"]],
  [
    "gmx",
    [
      "Gesendet: Dienstag, 03. März 2026 um 10:12 Uhr",
      'Von: "Clinic" <a@b.example>',
      "An: ann@example.com",
      "Betreff: Re: Visit",
    ],
  ],
  [
    "outlook, of HTML",
    [
      `${"-".repeat(80)}\n`,
      "From: Clinic <a@b.example>",
      "Sent: March 3, 2026 10:12",
      "To: Ann",
      "Subject: Visit",
    ],
  ],
  ["zoho", ["---- On Tue, 03 Mar 2026 10:12:00 +0000 Clinic <a@b.example> wrote ----"]],
])("what follows the head of a mail, unmarked, is quoted: %s", (_, head) =>
  expect(newText(`Tuesday is better.\n\n${head.join("\n")}\n\nYour appointment is on Monday.`)).toBe(
    "Tuesday is better.",
  ),
);

test.each([
  ["إعادة توجيه: Pain", ["من: Bob", "تم الإرسال: 3 مارس 2026", "إلى: Ann", "الموضوع: Pain"]],
  ["הועבר: Pain", ["מאת: Bob", "נשלח: 3 מרץ 2026", "אל: Ann", "נושא: Pain"]],
  ["PD: Pain", ["Od: Bob", "Wysłane: 3 marca 2026", "Do: Ann", "Temat: Pain"]],
  ["ΠΡΘ: Pain", ["Από: Bob", "Στάλθηκε: 3 Μαρτίου 2026", "Προς: Ann", "Θέμα: Pain"]],
  ["转发: Pain", ["发件人: Bob", "发送时间: 2026年3月3日", "收件人: Ann", "主题: Pain"]],
  ["VS: Pain", ["Fra: Bob", "Sendt: 3. mars 2026", "Til: Ann", "Emne: Pain"]],
])("a mail that Outlook hands on is read: %s", (subject, head) => {
  const mail = `${head.join("\n")}\n\nMy tooth hurts.`;
  expect(newText(`Please read this.\n\n${mail}`, subject)).toBe(`Please read this.\n\n${mail}`);
});

test("an answer in Finnish is no mail that is handed on", () => {
  const head = "Lähettäjä: Clinic\nLähetetty: 3. maaliskuuta 2026\nVastaanottaja: Ann\nAihe: Visit";
  expect(newText(`STOP\n\n${head}\n\nYour appointment`, "VS: Visit")).toBe("STOP");
});
