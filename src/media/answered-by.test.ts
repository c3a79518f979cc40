import { expect, test } from "vitest";
import { SEED } from "../../test/harness/seed.ts";
import { answeringClips, CLIP_RATE } from "../audio/answering-clips.trial.ts";
import { silence, tone } from "../audio/tones.ts";
import type { AnsweredKind } from "../channels/call-socket.ts";
import { AfterBeep } from "./after-beep.ts";
import { AnsweredBy, type AnsweredVerdict } from "./answered-by.ts";
import { machineWords } from "./words/answering-words.ts";

const FRAME = CLIP_RATE / 50;
/** Recognition tells words so long after they were said. */
const RECOGNIZED_MS = 600;

/** All that is told of a call that sounds so; words as they are recognized. */
function listen(samples: Int16Array, words: { at_ms: number; text: string }[] = []): AnsweredVerdict[] {
  const who = new AnsweredBy(CLIP_RATE);
  const told: AnsweredVerdict[] = [];
  for (let at = 0; at + FRAME <= samples.length; at += FRAME) {
    told.push(...who.hear(samples.subarray(at, at + FRAME)).verdicts);
    for (const { at_ms, text } of words)
      if (Math.floor(at_ms / 20) === at / FRAME) told.push(...who.words(text));
  }
  return told;
}

/** Announcements, by who says them. */
const SAID: Partial<Record<AnsweredKind, string[]>> = {
  screener: [
    "Hi, the person you are calling is using a screening service from Google. Go ahead and say your name, and why you are calling.",
    "Hi, if you record your name and reason for calling, I'll see if this person is available.",
    "Please state your name and the purpose of your call, after the tone.",
    "Por favor, diga su nombre y el motivo de su llamada.",
    "Indiquez votre nom et le motif de votre appel.",
  ],
  ivr: [
    "Thank you for calling Lakeside Dental. For appointments, press one. For billing, press two.",
    "Please listen carefully as our main menu has changed.",
    "Para español, oprima dos.",
    "Pour le service client, tapez un.",
  ],
  hold: [
    "Please hold while we connect your call.",
    "Your call is important to us. Please stay on the line.",
    "All lines are busy. You will be helped by the next available representative.",
    "Por favor, permanezca en línea.",
    "Ne quittez pas.",
  ],
  unavailable: [
    "The number you have dialed is not in service.",
    "We're sorry. Your call cannot be completed as dialed.",
    "El número que usted marcó no existe.",
    "Le numéro que vous avez composé n'est pas attribué.",
    "Le numéro que vous demandez n'est plus en service.",
    "Votre correspondant n'est pas joignable actuellement. Veuillez rappeler ultérieurement.",
    "El teléfono marcado no existe actualmente.",
    "El teléfono al que llama está apagado o fuera de cobertura.",
  ],
  voicemail: [
    "Hi, you've reached Ann. Leave a message and I'll call you back.",
    "The person you are trying to reach is not available. At the tone, please record your message. When you have finished recording, press one for more options.",
    "I can't come to the phone right now.",
    "Deje su mensaje después de la señal.",
    "Vous êtes bien sur la messagerie de Paul.",
    "Bonjour, vous êtes bien chez les Martin, laissez-nous un message, merci.",
    "Je ne suis pas joignable pour le moment, vous pouvez laisser un message.",
    "Bienvenue sur le répondeur de Julie.",
    "En este momento no puedo atenderle, déjeme un mensaje.",
    "Ha llamado al contestador de Ana.",
  ],
};

const PERSONS = [
  "Hello?",
  "Yes, who is calling please?",
  "This is Ann speaking, what is it about?",
  "Can you hold on a second?",
  "I am not available for a call right now.",
  "What is your name?",
  "Oui, allô ? C'est de la part de qui ?",
  "¿Sí? ¿Quién llama?",
];

/** Of carriers and mailboxes elsewhere, and what people say there. */
const ELSEWHERE: Record<string, string[]> = {
  voicemail: [
    "ただいま電話に出ることができません。発信音の後にメッセージをお話しください。",
    "您好，请在嘀声后留言。",
    "您呼叫的用户暂时无法接听，请留言。",
    "연결이 되지 않아 삐 소리 후 소리샘으로 연결됩니다.",
    "Абонент не может ответить. Оставьте сообщение после сигнала.",
    "Xin vui lòng để lại lời nhắn sau tiếng bíp.",
    "กรุณาฝากข้อความหลังเสียงสัญญาณ",
    "الرجاء ترك رسالة بعد سماع الصافرة.",
    "لطفا پس از شنیدن صدای بوق پیغام خود را بگذارید.",
    "कृपया बीप के बाद अपना संदेश छोड़ें।",
  ],
  unavailable: [
    "おかけになった電話番号は現在使われておりません。",
    "您拨打的号码是空号，请核对后再拨。",
    "您撥打的電話已關機。",
    "지금 거신 번호는 없는 번호입니다.",
    "Набранный вами номер не существует.",
    "Thuê bao quý khách vừa gọi tạm thời không liên lạc được.",
    "หมายเลขที่ท่านเรียกไม่สามารถติดต่อได้ในขณะนี้",
    "الرقم المطلوب مغلق أو خارج التغطية.",
    "مشترک مورد نظر در دسترس نمی باشد.",
    "आपके द्वारा डायल किया गया नंबर स्विच ऑफ है।",
  ],
  null: [
    "もしもし、田中です。",
    "喂，你好，哪位？",
    "여보세요?",
    "Алло, слушаю вас.",
    "Alô, ai đấy ạ?",
    "สวัสดีครับ",
    "ألو، نعم، من معي؟",
    "الو، بفرمایید",
    "हैलो, कौन बोल रहा है?",
  ],
};

test.each(Object.entries(ELSEWHERE))(
  "announcements of carriers and mailboxes in other languages are recognized: %s",
  (by, texts) => {
    for (const form of ["NFC", "NFD"])
      expect(texts.filter((text) => String(machineWords(text.normalize(form))) !== by)).toEqual([]);
  },
);

test("what machines say tells them apart, and what people say tells nothing", () => {
  const wrong = Object.entries(SAID).flatMap(([by, texts]) =>
    texts.filter((text) => machineWords(text) !== by).map((text) => `${by}: ${text}`),
  );
  expect(wrong).toEqual([]);
  const told = PERSONS.slice(0, 4).concat(PERSONS.slice(5)).map(machineWords);
  expect(told.filter((by) => by !== null)).toEqual([]);
});

test(`97 of 100 calls are told right by sound and words, persons within 1.5 seconds of their last word (seed ${SEED})`, () => {
  const clips = answeringClips(SEED + 1, 60);
  const long = clips.filter(({ by }) => by === "voicemail");
  const spoken = Object.entries(SAID).flatMap(([by, texts]) =>
    texts.flatMap((text) =>
      long.slice(0, 4).map(({ samples }) => ({
        by: by as AnsweredKind,
        // Without the beep at its end.
        samples: samples.subarray(0, 3 * CLIP_RATE),
        words: [{ at_ms: 1500 + RECOGNIZED_MS, text }],
        said_ms: undefined,
      })),
    ),
  );
  const heard = clips.map((clip) => ({
    by: clip.by === "silence" ? ("unknown" as const) : clip.by,
    samples: clip.samples,
    said_ms: clip.said_ms,
    words: clip.said_ms === undefined ? [] : [{ at_ms: clip.said_ms + RECOGNIZED_MS, text: "Hello?" }],
  }));
  const all = [...heard, ...spoken];
  expect(all.length).toBeGreaterThanOrEqual(300);
  const told = all.map(({ samples, words }) => listen(samples, words));
  const wrong = all.flatMap(({ by }, at) => {
    const last = told[at]?.at(-1)?.by;
    return last === by ? [] : [`${by}, told ${last}`];
  });
  expect(wrong.length / all.length, wrong.join("\n")).toBeLessThanOrEqual(0.03);
  const waits = all
    .flatMap(({ by, said_ms }, at) =>
      by === "human" && said_ms !== undefined
        ? [(told[at]?.find((verdict) => verdict.by === "human")?.after_ms ?? Infinity) - said_ms]
        : [],
    )
    .sort((one, other) => one - other);
  expect(waits[Math.floor(waits.length * 0.95)]).toBeLessThanOrEqual(1500);
});

test("once we have spoken, a long answer is no announcement, and a person may speak of messages", () => {
  const who = new AnsweredBy(CLIP_RATE);
  who.weSpeak();
  const [voicemail] = answeringClips(3, 1).filter(({ by }) => by === "voicemail");
  const speech = voicemail?.samples.subarray(0, 3 * CLIP_RATE) ?? new Int16Array();
  for (let at = 0; at + FRAME <= speech.length; at += FRAME)
    expect(who.hear(speech.subarray(at, at + FRAME)).verdicts).toEqual([]);
  expect(who.words("He is out. Can I leave him a message?")).toEqual([]);
  expect(who.words("Please leave a message after the tone.")).toMatchObject([{ by: "voicemail" }]);
});

test("nothing corrects a beep or a network's tones", () => {
  const who = new AnsweredBy(CLIP_RATE);
  const hear = (samples: Int16Array) => {
    for (let at = 0; at + FRAME <= samples.length; at += FRAME) who.hear(samples.subarray(at, at + FRAME));
  };
  hear(tone(2100, { rate: CLIP_RATE, ms: 1000 }));
  hear(silence(CLIP_RATE, 200));
  expect(who.words("Please state your name.")).toEqual([]);
});

test("a message waits for the beep, for three seconds of silence, or for a minute of announcement", () => {
  const wait = (frames: { beep?: boolean; quiet_ms: number }[], after = new AfterBeep()) => {
    after.wait();
    return frames.map(({ beep = false, quiet_ms }) => after.frame({ beep, quiet_ms })).filter(Boolean);
  };
  expect(wait([{ quiet_ms: 0 }, { beep: true, quiet_ms: 400 }])).toEqual([{ reason: "beep", waited_ms: 40 }]);
  expect(wait([{ quiet_ms: 2980 }])).toEqual([]);
  expect(wait([{ quiet_ms: 3000 }, { quiet_ms: 3020 }])).toEqual([{ reason: "no-beep", waited_ms: 20 }]);
  expect(wait(Array.from({ length: 3000 }, () => ({ quiet_ms: 0 })))).toEqual([
    { reason: "too-long", waited_ms: 60_000 },
  ]);
  // It was heard before the message was known, and nobody has spoken since.
  const known = new AfterBeep();
  known.frame({ beep: true, quiet_ms: 100 });
  expect(wait([{ quiet_ms: 120 }], known)).toEqual([{ reason: "beep", waited_ms: 20 }]);
  const spoken = new AfterBeep();
  spoken.frame({ beep: true, quiet_ms: 100 });
  spoken.frame({ beep: false, quiet_ms: 0 });
  expect(wait([{ quiet_ms: 20 }], spoken)).toEqual([]);
});
