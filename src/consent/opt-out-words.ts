/**
 * What people write to be left alone, and to be written to again. Only a whole message counts: "STOP!" asks for it, "we
 * have to STOP this bill" does not. English words are those of the FCC's rule (47 CFR 64.1200(a)(10): stop, quit, end,
 * revoke, opt out, cancel, unsubscribe) and of the carriers' handbook (CTIA: stopall, unstop, help); those of other
 * languages are what carriers and senders in their countries print below messages.
 */
export type OptOutKind = "stop" | "start" | "help";
type Words = Record<OptOutKind, readonly string[]>;

/** Words that mean nothing else, and so mean the same with a "please" or a "thanks". */
const PLAIN_STOPS = [
  ..."stop|stop all|unsubscribe|unsubscribe me|opt out|opt me out|remove me".split("|"),
  ..."remove me from your list|take me off your list|do not contact me|don't contact me".split("|"),
  ..."calling|texting|messaging|emailing|contacting"
    .split("|")
    .flatMap((way) => [`stop ${way}`, `stop ${way} me`]),
  ..."calls|texts|sms|messages|emails".split("|").map((what) => `stop ${what}`),
];

const WORDS = {
  en: {
    stop: [
      ..."quit|end|revoke|cancel".split("|"),
      ...PLAIN_STOPS.flatMap((words) => [
        words,
        `please ${words}`,
        `${words} please`,
        `${words} thanks`,
        `${words} thank you`,
      ]),
    ],
    start: ["start", "unstop", "subscribe", "opt in", "resubscribe"],
    help: ["help", "info"],
  },
  es: {
    stop: "alto|parar|pare|baja|darme de baja|cancelar|detener|basta|no más|cancelar suscripción".split("|"),
    start: ["alta", "iniciar", "comenzar", "reanudar", "suscribirme"],
    help: ["ayuda"],
  },
  fr: {
    stop: "arrêt|arrêter|arrêtez|annuler|désabonner|désabonnement|désinscription|me désabonner|fin".split(
      "|",
    ),
    start: ["démarrer", "reprendre", "réabonner", "inscription"],
    help: ["aide"],
  },
  de: {
    stop: "stopp|ende|abmelden|abbestellen|austragen|beenden|abmeldung".split("|"),
    start: ["starten", "anmelden", "anmeldung"],
    help: ["hilfe"],
  },
  it: {
    stop: "ferma|fermare|annulla|cancella|cancellami|disiscrivi|disiscrivimi|disdici|basta".split("|"),
    start: ["inizia", "avvia", "iscrivimi"],
    help: ["aiuto"],
  },
  pt: {
    stop: "parar|pare|sair|cancelar|descadastrar|remover|cancelar inscrição".split("|"),
    start: ["começar", "iniciar", "voltar", "inscrever"],
    help: ["ajuda"],
  },
  zh: {
    stop: "退订|退訂|停止|取消|取消订阅|取消訂閱|td|退出".split("|"),
    start: ["开始", "開始", "订阅", "訂閱", "恢复", "恢復"],
    help: ["帮助", "幫助"],
  },
  ja: {
    stop: "停止|配信停止|ストップ|解除|中止|退会|配信解除".split("|"),
    start: ["開始", "再開", "スタート", "登録"],
    help: ["ヘルプ", "助けて"],
  },
  ko: {
    stop: "수신거부|중지|정지|거부|취소|그만|구독취소".split("|"),
    start: ["시작", "재개", "수신동의", "구독"],
    help: ["도움말", "도움"],
  },
  hi: {
    stop: "बंद|बंद करो|बंद करें|रोको|रोकें|band karo".split("|"),
    start: ["शुरू", "शुरू करें", "चालू"],
    help: ["मदद", "सहायता"],
  },
  vi: {
    stop: "dừng|ngừng|hủy|huỷ|từ chối|hủy đăng ký".split("|"),
    start: ["bắt đầu", "đăng ký"],
    help: ["trợ giúp", "giúp đỡ"],
  },
  ru: {
    stop: "стоп|отписаться|отписка|отмена|отменить|прекратить".split("|"),
    start: ["старт", "начать", "подписаться", "возобновить"],
    help: ["помощь", "справка"],
  },
  ar: {
    stop: "توقف|إيقاف|قف|إلغاء|إلغاء الاشتراك".split("|"),
    start: ["ابدأ", "بدء", "اشتراك"],
    help: ["مساعدة"],
  },
  fa: { stop: "لغو|توقف|لغو اشتراک|قطع".split("|"), start: ["شروع", "عضویت"], help: ["راهنما", "کمک"] },
  th: { stop: "หยุด|ยกเลิก|เลิกรับ".split("|"), start: ["เริ่ม", "สมัคร"], help: ["ช่วยเหลือ"] },
  bs: { stop: "stani|odjava|odjavi|prekini|otkaži".split("|"), start: ["kreni", "prijava"], help: ["pomoć"] },
  sw: { stop: "acha|simamisha|jiondoe|sitisha".split("|"), start: ["anza", "jiunge"], help: ["msaada"] },
  gu: { stop: "બંધ|બંધ કરો|રોકો".split("|"), start: ["શરૂ", "શરૂ કરો"], help: ["મદદ"] },
  ne: { stop: "बन्द|बन्द गर्नुहोस्|रोक्नुहोस्".split("|"), start: ["सुरु", "सुरु गर्नुहोस्"], help: ["मद्दत", "सहयोग"] },
} satisfies Record<string, Words>;

export type OptOutLanguage = keyof typeof WORDS;
export const OPT_OUT_LANGUAGES = Object.keys(WORDS) as OptOutLanguage[];

export type OptOut = { kind: OptOutKind; language: OptOutLanguage };

/** No message of sense that asks to stop is longer, and a long one need not be walked. */
const LONGEST = 80;

/**
 * A message without what people put around and into a word: case, accents, spaces, punctuation, emoji. "S.T.O.P 🛑" and
 * "Opt-Out" are "stop" and "optout". Accents go where they are marks of their own in Latin and Cyrillic letters; the
 * vowel signs of other scripts are letters and stay.
 */
const bare = (text: string): string =>
  text
    .normalize("NFKC")
    .toLowerCase()
    .normalize("NFD")
    .replace(/[\u0300-\u036f]/g, "")
    // Arabic is typed without its vowel signs and hamzas as often as with them, drawn out, or by a Persian keyboard.
    .replace(/[\u0640\u064b-\u065f\u0670]/g, "")
    .replace(/[\u0649\u06cc]/g, "\u064a")
    .replaceAll("\u06a9", "\u0643")
    // What makes an emoji of a sign ("⚠️", "1️⃣") is a mark too.
    .replace(/[\ufe00-\ufe0f\u20e3]/g, "")
    .normalize("NFC")
    .replace(/[^\p{L}\p{M}\p{N}]/gu, "");

/** The one word of a message that only repeats it: "stopstopstop" is "stop". */
function saidOnce(word: string): string {
  for (let length = 1; length <= word.length / 2; length++) {
    const part = word.slice(0, length);
    if (part.repeat(word.length / length) === word) return part;
  }
  return word;
}

const known = new Map<string, OptOut[]>();
for (const language of OPT_OUT_LANGUAGES) {
  for (const [kind, words] of Object.entries(WORDS[language]) as [OptOutKind, readonly string[]][]) {
    for (const word of words) {
      const meanings = known.get(bare(word)) ?? [];
      known.set(bare(word), [...meanings, { kind, language }]);
    }
  }
}

/**
 * What a message asks for, and in which language; null where it is no such word. `language` (BCP 47) is the one that
 * the conversation is in: it decides what a word of several languages is, and in which language an English one, which
 * everybody uses, is answered.
 */
export function readOptOut(text: string, language: string | null = null): OptOut | null {
  if (text.length > LONGEST) return null;
  const word = bare(text);
  const meanings = known.get(word) ?? known.get(saidOnce(word));
  const [first] = meanings ?? [];
  if (!meanings || !first) return null;
  const spoken = optOutLanguage(language);
  if (spoken === null) return first;
  return (
    meanings.find((meaning) => meaning.language === spoken) ??
    (first.language === "en" ? { ...first, language: spoken } : first)
  );
}

/** Cantonese is written in Chinese characters. */
function optOutLanguage(code: string | null): OptOutLanguage | null {
  const [base = ""] = (code ?? "").toLowerCase().split("-");
  const language = base === "yue" ? "zh" : base;
  return OPT_OUT_LANGUAGES.find((known) => known === language) ?? null;
}

/** How each is answered; STOP and START are understood in every language. */
const REPLIES: Record<OptOutLanguage, Record<OptOutKind, string>> = {
  en: {
    stop: "You will not hear from us again. Reply START to change that.",
    start: "You will hear from us again. Reply STOP to end that.",
    help: "Reply STOP to hear no more from us, START to hear from us again.",
  },
  es: {
    stop: "No volverá a recibir mensajes nuestros. Responda START para volver a recibirlos.",
    start: "Volverá a recibir mensajes nuestros. Responda STOP para dejar de recibirlos.",
    help: "Responda STOP para no recibir más mensajes, START para volver a recibirlos.",
  },
  fr: {
    stop: "Vous ne recevrez plus de messages de notre part. Répondez START pour en recevoir à nouveau.",
    start: "Vous recevrez à nouveau nos messages. Répondez STOP pour ne plus en recevoir.",
    help: "Répondez STOP pour ne plus recevoir nos messages, START pour les recevoir à nouveau.",
  },
  de: {
    stop: "Sie hören nicht mehr von uns. Antworten Sie START, um das zu ändern.",
    start: "Sie hören wieder von uns. Antworten Sie STOP, um das zu beenden.",
    help: "Antworten Sie STOP, um nichts mehr von uns zu hören, oder START, um wieder von uns zu hören.",
  },
  it: {
    stop: "Non riceverà più nostri messaggi. Risponda START per riceverli di nuovo.",
    start: "Riceverà di nuovo i nostri messaggi. Risponda STOP per non riceverli più.",
    help: "Risponda STOP per non ricevere più messaggi, START per riceverli di nuovo.",
  },
  pt: {
    stop: "Você não receberá mais mensagens nossas. Responda START para voltar a recebê-las.",
    start: "Você voltará a receber nossas mensagens. Responda STOP para deixar de recebê-las.",
    help: "Responda STOP para não receber mais mensagens, START para voltar a recebê-las.",
  },
  zh: {
    stop: "您将不再收到我们的消息。回复 START 可重新接收。",
    start: "您将重新收到我们的消息。回复 STOP 可停止接收。",
    help: "回复 STOP 停止接收消息，回复 START 重新接收。",
  },
  ja: {
    stop: "今後ご連絡いたしません。再開するには START と返信してください。",
    start: "ご連絡を再開します。停止するには STOP と返信してください。",
    help: "停止するには STOP、再開するには START と返信してください。",
  },
  ko: {
    stop: "앞으로 연락드리지 않겠습니다. 다시 받으시려면 START라고 답장해 주세요.",
    start: "다시 연락드리겠습니다. 중지하시려면 STOP이라고 답장해 주세요.",
    help: "중지하려면 STOP, 다시 받으려면 START라고 답장해 주세요.",
  },
  hi: {
    stop: "अब आपको हमसे संदेश नहीं मिलेंगे। फिर से पाने के लिए START लिखकर भेजें।",
    start: "आपको फिर से हमारे संदेश मिलेंगे। बंद करने के लिए STOP लिखकर भेजें।",
    help: "संदेश बंद करने के लिए STOP, फिर से पाने के लिए START लिखकर भेजें।",
  },
  vi: {
    stop: "Quý vị sẽ không nhận tin nhắn từ chúng tôi nữa. Trả lời START để nhận lại.",
    start: "Quý vị sẽ lại nhận tin nhắn từ chúng tôi. Trả lời STOP để ngừng nhận.",
    help: "Trả lời STOP để ngừng nhận tin nhắn, START để nhận lại.",
  },
  ru: {
    stop: "Вы больше не будете получать наши сообщения. Ответьте START, чтобы получать их снова.",
    start: "Вы снова будете получать наши сообщения. Ответьте STOP, чтобы отказаться.",
    help: "Ответьте STOP, чтобы не получать сообщений, START — чтобы получать их снова.",
  },
  ar: {
    stop: "لن تصلك رسائل منا بعد الآن. أرسل START لاستلامها من جديد.",
    start: "ستصلك رسائلنا من جديد. أرسل STOP لإيقافها.",
    help: "أرسل STOP لإيقاف الرسائل، وSTART لاستلامها من جديد.",
  },
  fa: {
    stop: "دیگر پیامی از ما دریافت نخواهید کرد. برای دریافت دوباره START را بفرستید.",
    start: "دوباره پیام‌های ما را دریافت خواهید کرد. برای توقف STOP را بفرستید.",
    help: "برای توقف پیام‌ها STOP و برای دریافت دوباره START را بفرستید.",
  },
  th: {
    stop: "คุณจะไม่ได้รับข้อความจากเราอีก ตอบ START เพื่อรับอีกครั้ง",
    start: "คุณจะได้รับข้อความจากเราอีกครั้ง ตอบ STOP เพื่อหยุดรับ",
    help: "ตอบ STOP เพื่อหยุดรับข้อความ ตอบ START เพื่อรับอีกครั้ง",
  },
  bs: {
    stop: "Više nećete dobijati naše poruke. Odgovorite START da ih ponovo dobijate.",
    start: "Ponovo ćete dobijati naše poruke. Odgovorite STOP da ih prekinete.",
    help: "Odgovorite STOP da prekinete poruke, START da ih ponovo dobijate.",
  },
  sw: {
    stop: "Hutapokea tena ujumbe kutoka kwetu. Jibu START kuupokea tena.",
    start: "Utapokea tena ujumbe kutoka kwetu. Jibu STOP kuusitisha.",
    help: "Jibu STOP kusitisha ujumbe, START kuupokea tena.",
  },
  gu: {
    stop: "હવે તમને અમારા સંદેશા મળશે નહીં. ફરી મેળવવા START લખીને મોકલો.",
    start: "તમને ફરી અમારા સંદેશા મળશે. બંધ કરવા STOP લખીને મોકલો.",
    help: "સંદેશા બંધ કરવા STOP, ફરી મેળવવા START લખીને મોકલો.",
  },
  ne: {
    stop: "अब तपाईंले हाम्रा सन्देश पाउनुहुने छैन। फेरि पाउन START लेखेर पठाउनुहोस्।",
    start: "तपाईंले फेरि हाम्रा सन्देश पाउनुहुनेछ। बन्द गर्न STOP लेखेर पठाउनुहोस्।",
    help: "सन्देश बन्द गर्न STOP, फेरि पाउन START लेखेर पठाउनुहोस्।",
  },
};

/** The one answer to such a word, with the sender's name before it, as carriers ask for. */
export const optOutReply = ({ kind, language }: OptOut, sender_name: string): string =>
  `${sender_name}: ${REPLIES[language][kind]}`;

/** The same answer to somebody who asked for it in words of their own. `language`: the conversation's (BCP 47). */
export const stopReply = (language: string, sender_name: string): string =>
  optOutReply({ kind: "stop", language: optOutLanguage(language) ?? "en" }, sender_name);
