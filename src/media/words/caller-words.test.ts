import fc from "fast-check";
import { expect, test } from "vitest";
import { rounds } from "../../../test/harness/seed.ts";
import type { LanguageCode } from "../../speech/languages.ts";
import type { AwaitedInput } from "../../workflows/awaited-input.ts";
import { endOfTurn, withPause } from "../end-of-turn.ts";
import { isBackchannel, plainWords, takesTurn } from "./caller-words.ts";

test("a word is one word in every script: its vowels written as marks part it nowhere, and no number is whole too early", () => {
  const word = fc.constantFrom("नमस्ते", "हाँ", "मेरा", "ครับ", "ได้", "வணக்கம்", "größe", "mm-hm", "i'm", "sí");
  const between = fc.constantFrom(" ", ", ", " – ", " - ", "… ");
  fc.assert(
    fc.property(fc.array(fc.tuple(word, between), { maxLength: 6 }), (said) => {
      const text = said.map((each) => each.join("")).join("");
      for (const form of ["NFC", "NFD"])
        expect(plainWords(text.normalize(form))).toEqual(said.map(([one]) => one.normalize()));
    }),
    { numRuns: rounds(100) },
  );
  const awaited = { kind: "dictated" as const, characters: 4 };
  const reasonOf = (text: string) => endOfTurn(text, awaited, null, { language: "hi", asked: true }).reason;
  expect(["मेरा नंबर है चार", "4 1 7", "4 1 7 2"].map(reasonOf)).toEqual(["dictated", "dictated", "whole"]);
  expect(isBackchannel("si\u0301", "es")).toBe(true);
});

test.each([
  ["ja-JP", "歯医者", "明日の十時", "来週の月曜日に歯の検診の予約"],
  ["zh-CN", "牙医", "明天上午十点", "我要预约下周一上午的牙医"],
  ["th-TH", "หมอฟัน", "สิบโมง", "ขอนัดหมอฟันวันจันทร์หน้า"],
])(
  "%s, written without blanks: a short answer ends sooner than a wish, which is no short answer",
  (language, ...said) => {
    const awaited = { kind: "free" as const };
    const reasonOf = (text: string) => endOfTurn(text, awaited, null, { language, asked: true }).reason;
    expect(said.map(reasonOf)).toEqual(["answer", "answer", "free"]);
  },
);

test("written without blanks, a choice is heard within a short answer, many words take the turn, and digits are counted", () => {
  const reasonOf = (text: string, awaited: AwaitedInput) =>
    endOfTurn(text, awaited, null, { language: "ja", asked: true }).reason;
  expect(reasonOf("予約をお願いします", { kind: "choice", choices: ["予約", "変更"] })).toBe("choice");
  expect([takesTurn("うん", "ja"), takesTurn("明日の予約を変更したい", "ja")]).toEqual([false, true]);
  const four = { kind: "dictated" as const, characters: 4 };
  expect(["番号は417", "番号は4172", "一三八", "一三八〇"].map((text) => reasonOf(text, four))).toEqual([
    "dictated",
    "whole",
    "dictated",
    "whole",
  ]);
});

test("who pauses for long is given half as much again as they pause, up to 0.3 s more than others, and the last pauses count most", () => {
  expect(withPause(null, 900)).toEqual({ average_ms: 900 });
  expect(withPause({ average_ms: 1_000 }, 500)).toEqual({ average_ms: 850 });
  const delayOf = (average_ms: number) =>
    endOfTurn("Tomorrow", { kind: "free" }, { average_ms }, { language: "en", asked: true }).delay_ms;
  expect([400, 500, 600, 5_000].map(delayOf)).toEqual([700, 750, 900, 1_000]);
});

test("of a code that is dictated letters count one by one, and words do not", () => {
  const awaited = { kind: "dictated" as const, characters: 3 };
  const reasonOf = (text: string) => endOfTurn(text, awaited, null, { language: "en", asked: true }).reason;
  expect(["it starts with A B", "it is A B seven", "A B 7 2"].map(reasonOf)).toEqual([
    "dictated",
    "whole",
    "whole",
  ]);
});

test("a choice is an answer with a few words beside it, and no longer one in a story that names it", () => {
  const awaited = { kind: "choice" as const, choices: ["", "check up"] };
  const reasonOf = (text: string) => endOfTurn(text, awaited, null, { language: "en", asked: true }).reason;
  expect(["a check up please", "I had a check up last year and", "cleaning"].map(reasonOf)).toEqual([
    "choice",
    "goes-on",
    "answer",
  ]);
});

/** Of each language: said while listening; takes the turn; is over; goes on. */
const SAID: Record<LanguageCode, [nods: string, takes: string, ends: string, goes_on: string]> = {
  "ar-XA": ["نعم|طيب", "لحظة|لا", "موعد غدا من فضلك", "أريد موعدا في"],
  "bs-BA": ["da|mhm|tako je", "čekajte|samo malo", "sutra, hvala", "trebam termin za"],
  "en-US": ["mhm|i see", "wait|hold on", "tomorrow please", "i want to book a"],
  "es-US": ["sí|de acuerdo", "espere|un momento", "mañana por favor", "quiero una cita para"],
  "fa-IR": ["بله|متوجه شدم", "صبر کنید|نه", "فردا لطفا", "یک وقت می‌خواهم برای"],
  "fr-FR": ["oui|je vois", "attendez|un moment", "demain s'il vous plaît", "je voudrais un rendez-vous pour"],
  "gu-IN": ["હા|હા જી", "એક મિનિટ|ના", "કાલે, આભાર", "મારે કાલે અને"],
  "hi-IN": ["हाँ|जी हाँ|ठीक है", "रुकिए|एक मिनट", "कल का समय दीजिए", "मुझे कल और"],
  "ja-JP": [
    "はい|ええ|そうですか|なるほど",
    "待ってください|いいえ",
    "明日の十時にお願いします",
    "予約をしたいんですが",
  ],
  "ko-KR": [
    "네|네네|그렇군요",
    "잠깐만요|아니요",
    "내일 오전으로 부탁드립니다",
    "내일 예약하고 싶은데 그리고",
  ],
  "ne-NP": ["हजुर|ठीक छ", "पर्खनुहोस्|होइन", "भोलि, धन्यवाद", "मलाई भोलि र"],
  "ru-RU": ["да|угу|ну да", "подождите|нет", "завтра, пожалуйста", "мне нужно записаться на"],
  "sw-KE": ["ndiyo|sawa sawa", "subiri|hapana", "kesho tafadhali", "nataka miadi ya"],
  "th-TH": ["ครับ|ใช่ค่ะ|เข้าใจแล้ว", "เดี๋ยวก่อน|ไม่ใช่", "พรุ่งนี้สิบโมงครับ", "ขอนัดพรุ่งนี้และ"],
  "vi-VN": ["vâng|đúng rồi", "khoan đã|không", "ngày mai nhé", "tôi muốn đặt lịch cho"],
  "yue-HK": ["係|係呀|嗯", "等等|唔係", "聽日十點，唔該", "我想約聽日同"],
  "zh-CN": ["嗯|好的|知道了", "等一下|不是", "明天上午，谢谢", "我想预约明天和"],
};

test.each(Object.entries(SAID))(
  "in every language that agents speak, a nod goes on, 'wait' takes the turn, and the end of a sentence is known: %s",
  (language, [nods, takes, ends, goes_on]) => {
    const all = (said: string) => said.split("|");
    expect(all(nods).filter((text) => !isBackchannel(text, language) || takesTurn(text, language))).toEqual(
      [],
    );
    expect(all(takes).filter((text) => isBackchannel(text, language) || !takesTurn(text, language))).toEqual(
      [],
    );
    const reasonOf = (text: string) =>
      endOfTurn(text, { kind: "free" }, null, { language, asked: false }).reason;
    expect([ends, goes_on].map(reasonOf)).toEqual(["complete", "goes-on"]);
  },
);
