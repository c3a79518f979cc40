import type { AnsweredKind } from "../../channels/call-socket.ts";

/*
 * Phrases by which machines give themselves away when a call is answered, in English, Spanish, French and, as far as
 * carriers announce it in set words, most other languages that agents speak. Pure.
 */

type MachineKind = Extract<AnsweredKind, "screener" | "unavailable" | "voicemail" | "ivr" | "hold">;

/** Only a voicemail speaks of its beep, its box and recording, even after we have spoken. */
const RECORDS = [
  /\b(?:after|at|wait for) the (?:tone|beep)\b/,
  /\bvoice ?mail(?:box)?\b/,
  /\bmailbox\b/,
  /\brecord your message\b/,
  /\bdespu[eé]s de(?:l tono| la señal)\b/,
  /\bbuz[oó]n de voz\b|\bcontestador\b/,
  /\bgrab[ea] (?:su|tu|un) mensaje\b/,
  /\bapr[eè]s le (?:bip|signal)\b/,
  /\bmessagerie\b|\br[eé]pondeur\b/,
  /発信音の?(?:後|あと)|留守番電話|(?:メッセージ|伝言)を(?:お話し|お残し|お預かり|録音)/,
  /(?:嘀|滴|哔|嗶|提示音|信号音|信號音)(?:一?[声聲])?(?:之?[后後])|[语語]音(?:信箱|[邮郵]箱)|留言信箱/,
  /삐\s?소리|소리샘|음성\s?사서함/,
  /после (?:звукового |короткого )?(?:сигнала|гудка)|голосов(?:ая|ую|ой) почт|автоответчик/,
  /hộp thư thoại|sau tiếng bíp/,
  /หลัง(?:จาก)?(?:ได้ยิน)?(?:เสียง)?สัญญาณ|ฝากข้อความ(?:เสียง)?/,
  /البريد الصوتي|بعد (?:سماع )?(?:الصافرة|الصفارة|الإشارة|النغمة)/,
  /(?:پس از|بعد از) (?:شنیدن )?(?:صدای )?بوق|پیغام ?گیر|صندوق صوتی/,
  /बीप के बाद|वॉइस ?मेल/,
];

/** The first kind whose phrase is said; a screener also speaks of recording, and a voicemail also of keys. */
const PHRASES: readonly [MachineKind, readonly RegExp[]][] = [
  [
    "screener",
    [
      /\b(?:say|state|record|give|tell me) your (?:full |first )?name\b/,
      /\bcall(?:s)? (?:is being |are being |being )?screen(?:ed|er|ing)\b|\bscreening (?:service|this call|calls)\b/,
      /\byour name and (?:the |your )?reason\b/,
      /\bwhat (?:you are|you're|your) calling about\b/,
      /\b(?:diga|indique) su nombre\b/,
      /\bmotivo de (?:su|la) llamada\b/,
      /\b(?:dites|indiquez) votre nom\b/,
      /\b(?:raison|motif|objet) de (?:votre|l')\s?appel\b/,
    ],
  ],
  [
    "unavailable",
    [
      /\bnumber you (?:have )?(?:dialed|dialled|called) (?:is not in service|has been (?:disconnected|changed)|is not a working)/,
      /\b(?:is|are) (?:no longer|not) in service\b/,
      /\byour call cannot be completed\b|\bcall can(?:'t|not) be completed as dial/,
      /\bel (?:n[uú]mero|tel[eé]fono) (?:(?:marcado|al que (?:usted )?(?:ha )?llama\S*|que (?:usted )?(?:ha )?marc\S+) )?no (?:existe|est[aá] en servicio)/,
      /\bno existe ninguna l[ií]nea\b|\bapagado o fuera de cobertura\b/,
      /\ble num[eé]ro (?:que vous (?:avez )?(?:compos|demand)\S+ )?n'est (?:pas|plus) (?:attribu[eé]|en service)/,
      /\bn'est pas joignable\b(?!.*\bmessage\b)/,
      /現在使われておりません|電波の届かない|電源が入っていない/,
      /空[号號]|已(?:关机|關機|停机|停機)|[暂暫][时時][无無]法接通|不在服[务務][区區]/,
      /없는 번호|결번/,
      /(?:номер|абонент).{0,40}(?:не существует|не обслуживается|вне зоны)/,
      /(?:thuê bao|số máy).{0,40}(?:không liên lạc được|không đúng|không có thực)/,
      /ไม่สามารถติดต่อได้|ยังไม่เปิดให้บริการ/,
      /(?:الهاتف|الرقم|الجوال).{0,40}(?:مغلق|خارج التغطية|غير صحيح|ليس في الخدمة)/,
      /(?:مشترک|شماره|دستگاه).{0,40}(?:خاموش|در دسترس نمی|در شبکه موجود نمی)/,
      /(?:नंबर|नम्बर|उपभोक्ता).{0,60}(?:स्विच ऑफ|कवरेज क्षेत्र से बाहर|मौजूद नहीं)/,
    ],
  ],
  [
    "voicemail",
    [
      ...RECORDS,
      /\bleave (?:me |us )?(?:a|your) (?:\w+ )?message\b/,
      /\b(?:can'?t|cannot|unable to) (?:come to|take|answer) (?:the|your|my) (?:phone|call)\b/,
      /\b(?:is|are|am) (?:not|un)(?: )?available\b.*\b(?:message|call)\b/,
      /\bd[eé]j[ea](?:me|nos)? (?:su|tu|un) mensaje\b/,
      /\bno (?:est[aá]|estoy) disponible\b.*\b(?:mensaje|llamada)\b/,
      /\blaisse[rz](?:[- ](?:moi|nous))? (?:un|votre) message\b/,
      /\bn(?:e suis|'est) pas (?:disponible|joignable)\b.*\b(?:message|appel)/,
      /電話に出ることができません|ただいま電話に出られません/,
      /(?:请|請)(?:您)?留言|메시지를\s?남겨|оставьте (?:ваше |своё |свое )?(?:голосовое )?сообщение/,
      /để lại (?:lời nhắn|tin nhắn)|اترك رسال|(?:پیغام|پیام)(?: خود را)? بگذارید|संदेश छोड़/,
    ],
  ],
  [
    "ivr",
    [
      /\bpress (?:\d|zero|one|two|three|four|five|six|seven|eight|nine|star|pound)\b/,
      /\bmain menu\b|\bmenu options\b|\bfollowing options\b/,
      /\b(?:oprima|marque|pulse|presione) (?:el )?(?:\d|uno|dos|tres|cuatro|cero)\b/,
      /\b(?:tapez|appuyez sur)(?: le| la)? (?:\d|un|deux|trois|quatre|z[eé]ro)\b/,
    ],
  ],
  [
    "hold",
    [
      /\bplease (?:continue to )?hold\b/,
      /\bstay on the line\b/,
      /\byour call is important\b/,
      /\bnext available (?:agent|representative|operator)\b/,
      /\b(?:permanezca|espere) en (?:la )?l[ií]nea\b/,
      /\b(?:restez en|ne quittez pas)\b/,
    ],
  ],
];

const spoken = (words: string): string => words.normalize().toLowerCase().replace(/[’`]/g, "'");

/** What these words can only come from; null: from a person as well. */
export function machineWords(words: string): MachineKind | null {
  const heard = spoken(words);
  return PHRASES.find(([, phrases]) => phrases.some((phrase) => phrase.test(heard)))?.[0] ?? null;
}

/** A machine of some kind: a screener, the network and a voicemail begin like this. */
export const isAnnouncement = (words: string): boolean =>
  machineWords(words) === "voicemail" ||
  /\bthe (?:person|party|number) you (?:have )?(?:called|dialed|are calling|are trying to reach)\b/.test(
    spoken(words),
  );

export const announcesRecording = (words: string): boolean =>
  RECORDS.some((phrase) => phrase.test(spoken(words)));

/** Told to the recognition of a call that we made, since nothing of the agent's own texts is like them. */
export const ANSWERING_SENTENCES: readonly string[] = [
  "Please leave a message after the tone.",
  "You have reached the voicemail of",
  "Please record your message after the beep.",
  "I can't come to the phone right now.",
  "Please state your name and the reason for your call.",
  "Please stay on the line. Your call is important to us.",
  "For appointments, press one. For billing, press two.",
  "The number you have dialed is not in service.",
];
