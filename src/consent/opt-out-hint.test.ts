import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { CODE_POINT } from "../../test/harness/code-point.ts";
import { mayOptOut } from "./opt-out-hint.ts";
import { OPT_OUT_LANGUAGES, type OptOutLanguage } from "./opt-out-words.ts";

/** What people say who want to be left alone, and what people say who want something else. */
const SAID: Record<OptOutLanguage, { asks: string[]; others: string[] }> = {
  en: {
    asks: [
      "you people never stop ringing, I have had it",
      "Please don’t ever call this phone again.",
      "Take my number off your list, would you?",
      "I do not want any more of these texts",
      "LOSE MY NUMBER!!",
      "just leave me alone",
      "I'd like to be removed from your database, please remove my name",
      "I no longer wish to receive these",
      "will you stop bugging me",
      "cease and desist",
      "block me from your system",
      "unsub, thx",
      "put me on the do-not-call list",
    ],
    others: [
      "Can I come on Friday?",
      "When do you open?",
      "My appointment is tomorrow at nine.",
      "I never received the confirmation",
      "yes please",
    ],
  },
  es: {
    asks: ["Ya no me llamen más, por favor", "Quíteme de su lista", "déjenme en paz"],
    others: ["¿A qué hora abren?", "Quisiera una cita el martes"],
  },
  fr: {
    asks: [
      "Arrêtez de m'appeler tout le temps",
      "Je ne veux plus de vos messages",
      "Retirez-moi de la liste",
    ],
    others: ["Vous ouvrez à quelle heure ?", "Un rendez-vous jeudi, merci"],
  },
  de: {
    asks: ["Hören Sie auf, mich anzurufen", "Ich möchte keine Nachrichten mehr", "Löschen Sie meine Nummer"],
    others: ["Wann haben Sie geöffnet?", "Ich komme am Dienstag um neun"],
  },
  it: {
    asks: ["Smettetela di chiamarmi", "Non voglio più messaggi", "Toglietemi dalla lista"],
    others: ["A che ora aprite?", "Vengo martedì alle nove"],
  },
  pt: {
    asks: ["Parem de me ligar", "Não quero mais mensagens", "Tire o meu número da lista"],
    others: ["A que horas abrem?", "Venho na terça às nove"],
  },
  zh: {
    asks: ["请不要再给我打电话了", "把我从名单上删除", "別再發短信"],
    others: ["你们几点开门？", "我想预约星期二"],
  },
  ja: {
    asks: ["もう電話しないでください", "リストから削除してください", "メールは要りません"],
    others: ["何時に開きますか", "火曜日に予約をお願いします"],
  },
  ko: {
    asks: ["이제 전화하지 마세요", "명단에서 제 이름을 빼 주세요", "문자 그만 보내세요"],
    others: ["몇 시에 여나요?", "화요일에 예약할게요"],
  },
  hi: {
    asks: ["मुझे दोबारा फ़ोन मत करना", "सूची से मेरा नाम हटा दीजिए", "mujhe call mat karo"],
    others: ["आप कितने बजे खुलते हैं?", "मंगलवार को आऊँगा"],
  },
  vi: {
    asks: ["Đừng gọi cho tôi nữa", "Xóa số của tôi khỏi danh sách", "Tôi không muốn nhận tin nhắn"],
    others: ["Mấy giờ mở cửa?", "Thứ ba tôi đến"],
  },
  ru: {
    asks: ["Перестаньте мне звонить", "Больше не присылайте сообщений", "Удалите мой номер"],
    others: ["Во сколько вы открываетесь?", "Приду во вторник"],
  },
  ar: {
    asks: ["لا تتصل بي مرة أخرى", "توقفوا عن إرسال الرسائل", "احذف رقمي من القائمة"],
    others: ["متى تفتحون؟", "سآتي يوم الثلاثاء"],
  },
  fa: {
    asks: ["دیگر به من زنگ نزنید", "شماره من را از لیست حذف کنید", "پیامک نمی‌خواهم"],
    others: ["چه ساعتی باز می‌کنید؟", "سه‌شنبه می‌آیم"],
  },
  th: {
    asks: ["อย่าโทรมาอีก", "ลบเบอร์ของฉันออกจากรายชื่อ", "ไม่ต้องส่งข้อความมาแล้ว"],
    others: ["เปิดกี่โมง", "วันอังคารไปได้"],
  },
  bs: {
    asks: ["Prestanite me zvati", "Ne želim više vaših poruka", "Izbrišite moj broj sa liste"],
    others: ["Kada otvarate?", "Dolazim u utorak"],
  },
  sw: {
    asks: ["Acheni kunipigia simu", "Sitaki ujumbe wenu", "Ondoeni namba yangu kwenye orodha"],
    others: ["Mnafungua saa ngapi?", "Nitakuja Jumanne"],
  },
  gu: {
    asks: ["મને ફોન કરવાનું બંધ કરો", "યાદીમાંથી મારું નામ કાઢી નાખો", "મેસેજ ન મોકલશો"],
    others: ["તમે કેટલા વાગ્યે ખોલો છો?", "મંગળવારે આવીશ"],
  },
  ne: {
    asks: ["मलाई फोन नगर्नुहोस्", "सूचीबाट मेरो नाम हटाउनुहोस्", "सन्देश नपठाउनुहोस्"],
    others: ["कति बजे खुल्छ?", "मंगलबार आउँछु"],
  },
};

describe.each(OPT_OUT_LANGUAGES)("in %s", (language) => {
  test.each(SAID[language].asks)("%j may ask to be left alone", (text) => expect(mayOptOut(text)).toBe(true));
  test.each(SAID[language].others)("%j asks for something else", (text) =>
    expect(mayOptOut(text)).toBe(false),
  );
});

test("words that are far apart belong to two sentences", () => {
  const far = `Stop at the bakery first, ${"and so on ".repeat(6)}then give me a call.`;
  expect(mayOptOut(far)).toBe(false);
});

const asked = fc.constantFrom(...OPT_OUT_LANGUAGES.flatMap((language) => SAID[language].asks));

test("what asks for it does so whatever its case and punctuation, and whatever stands around it", () => {
  fc.assert(
    fc.property(
      asked,
      fc.string(),
      fc.string(),
      fc.constantFrom("!", "...", " 🛑", ""),
      (text, a, b, end) => {
        expect(mayOptOut(`${a.slice(0, 500)}\n${text}${end}\n${b}`)).toBe(true);
        expect(mayOptOut(text.toUpperCase().toLowerCase())).toBe(true);
        expect(mayOptOut(text.replaceAll(" ", ",  "))).toBe(true);
      },
    ),
  );
});

test("no text makes it fail", () => {
  fc.assert(
    fc.property(fc.string({ unit: CODE_POINT, maxLength: 300 }), (text) => {
      expect(typeof mayOptOut(text)).toBe("boolean");
    }),
  );
  expect(mayOptOut("stop ".repeat(50_000))).toBe(false);
});
