import { expect, test } from "vitest";
import { newText } from "./mail-text.ts";

test.each([
  ...["Sent from my iPhone", "Von meinem iPhone gesendet", "Envoyé de mon iPhone", "Отправлено с iPhone"],
  ...[
    "أُرسلت من الـ iPhone",
    "تم الإرسال من iPhone الخاص بي",
    "\u200fتم الإرسال من هاتف Samsung Galaxy",
    "נשלח מה-iPhone שלי",
  ],
  ...[
    "iPhone'umdan gönderildi",
    "Verstuurd vanaf mijn iPhone",
    "Skickat från min iPhone",
    "Wysłane z iPhone'a",
  ],
  ...["Lähetetty iPhonesta", "Odesláno z iPhonu", "Στάλθηκε από το iPhone μου", "मेरे iPhone से भेजा गया"],
  ...["ส่งจาก iPhone ของฉัน", "Đã gửi từ iPhone của tôi", "Dikirim dari iPhone saya", "Надіслано з iPhone"],
  ...[
    "Get Outlook for Android",
    "Outlook für iOS beschaffen",
    "Télécharger Outlook pour iOS",
    "Obtener Outlook para Android",
  ],
])("%j below is a telephone's, so the word above it counts alone", (signature) =>
  expect(newText(`STOP\n\n${signature}\n`)).toBe("STOP"),
);

test.each([
  "Отправлено с iPhone было фото, вы его получили?\nЖду.",
  "The photo was gesendet from my iPhone, did it arrive with you at the clinic at all or not?",
  "I can't come.\nMy iPhone says gesendet",
  "Mein iPhone ist weg",
  "Date: 3 March 2026\nFrom: the station I walk.",
])("%j stays", (own) => expect(newText(own)).toBe(own));
