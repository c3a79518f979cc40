import type { LanguageCode } from "../speech/languages.ts";

/** The few texts that the program itself says, by language. */
type Words = {
  /** The language's own name for itself. */
  name: string;
  /** A line of the spoken menu, with `{key}` for the key. */
  press: string;
  goodbye: string;
  /** The default apology when the model gave no answer. */
  apology: string;
};

const WORDS: Record<LanguageCode, Words> = {
  "yue-HK": {
    name: "廣東話",
    press: "廣東話請按 {key}。",
    goodbye: "再見。",
    apology: "唔好意思，我而家答唔到你，請過一陣再試。",
  },
  "en-US": {
    name: "English",
    press: "For English, press {key}.",
    goodbye: "Goodbye.",
    apology: "I'm sorry, I can't answer right now. Please try again in a moment.",
  },
  "ko-KR": {
    name: "한국어",
    press: "한국어는 {key}번을 누르세요.",
    goodbye: "안녕히 계세요.",
    apology: "죄송합니다. 지금은 답변을 드릴 수 없습니다. 잠시 후 다시 시도해 주세요.",
  },
  "zh-CN": {
    name: "普通话",
    press: "普通话请按 {key}。",
    goodbye: "再见。",
    apology: "抱歉，我现在无法回答，请稍后再试。",
  },
  "fa-IR": {
    name: "فارسی",
    press: "برای فارسی، {key} را فشار دهید.",
    goodbye: "خداحافظ.",
    apology: "متأسفم، الان نمی‌توانم پاسخ بدهم. لطفاً کمی بعد دوباره امتحان کنید.",
  },
  "es-US": {
    name: "Español",
    press: "Para español, oprima {key}.",
    goodbye: "Adiós.",
    apology: "Lo siento, no puedo responder en este momento. Por favor, inténtelo de nuevo en un momento.",
  },
  "th-TH": {
    name: "ภาษาไทย",
    press: "สำหรับภาษาไทย กด {key}",
    goodbye: "ลาก่อน",
    apology: "ขออภัย ขณะนี้ยังตอบไม่ได้ กรุณาลองใหม่อีกครั้งในอีกสักครู่",
  },
  "vi-VN": {
    name: "Tiếng Việt",
    press: "Tiếng Việt, nhấn phím {key}.",
    goodbye: "Tạm biệt.",
    apology: "Xin lỗi, hiện tại tôi không thể trả lời. Vui lòng thử lại sau giây lát.",
  },
  "bs-BA": {
    name: "Bosanski",
    press: "Za bosanski pritisnite {key}.",
    goodbye: "Doviđenja.",
    apology: "Žao mi je, trenutno ne mogu odgovoriti. Molim vas, pokušajte ponovo za koji trenutak.",
  },
  "sw-KE": {
    name: "Kiswahili",
    press: "Kwa Kiswahili, bonyeza {key}.",
    goodbye: "Kwaheri.",
    apology: "Samahani, siwezi kujibu kwa sasa. Tafadhali jaribu tena baada ya muda mfupi.",
  },
  "ru-RU": {
    name: "Русский",
    press: "Для русского языка нажмите {key}.",
    goodbye: "До свидания.",
    apology: "Извините, сейчас я не могу ответить. Пожалуйста, попробуйте ещё раз чуть позже.",
  },
  "hi-IN": {
    name: "हिन्दी",
    press: "हिन्दी के लिए {key} दबाएँ।",
    goodbye: "नमस्ते।",
    apology: "क्षमा करें, अभी उत्तर देना संभव नहीं है। कृपया थोड़ी देर में फिर से कोशिश करें।",
  },
  "gu-IN": {
    name: "ગુજરાતી",
    press: "ગુજરાતી માટે {key} દબાવો.",
    goodbye: "આવજો.",
    apology: "માફ કરશો, અત્યારે જવાબ આપવો શક્ય નથી. કૃપા કરીને થોડી વાર પછી ફરી પ્રયાસ કરો.",
  },
  "ar-XA": {
    name: "العربية",
    press: "للعربية، اضغط {key}.",
    goodbye: "مع السلامة.",
    apology: "عذرًا، لا أستطيع الإجابة الآن. يُرجى المحاولة مرة أخرى بعد قليل.",
  },
  "fr-FR": {
    name: "Français",
    press: "Pour le français, appuyez sur le {key}.",
    goodbye: "Au revoir.",
    apology: "Désolé, je ne peux pas répondre pour le moment. Veuillez réessayer dans un instant.",
  },
  "ja-JP": {
    name: "日本語",
    press: "日本語は{key}を押してください。",
    goodbye: "失礼いたします。",
    apology: "申し訳ありません。ただいまお答えできません。少し経ってからもう一度お試しください。",
  },
  "ne-NP": {
    name: "नेपाली",
    press: "नेपालीका लागि {key} थिच्नुहोस्।",
    goodbye: "नमस्ते।",
    apology: "माफ गर्नुहोस्, अहिले जवाफ दिन सकिएन। कृपया एकछिनपछि फेरि प्रयास गर्नुहोस्।",
  },
};

/** The texts of a language, else of the same language in another country, else English. */
export function wordsOf(code: string): Words {
  const base = code.split("-")[0];
  const near = Object.entries(WORDS).find(([known]) => known === code || known.split("-")[0] === base);
  return (WORDS as Partial<Record<string, Words>>)[code] ?? near?.[1] ?? WORDS["en-US"];
}
