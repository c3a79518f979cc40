import type { LanguageCode } from "../../speech/languages.ts";

/** The few texts that the program itself says, by language. */
type Words = {
  /** The language's own name for itself. */
  name: string;
  /** A line of the spoken menu, with `{key}` for the key. */
  press: string;
  goodbye: string;
  /** The default apology when the model gave no answer. */
  apology: string;
  /** After an opt-out in the person's own words: for every channel, and for the one that they named. */
  opted_out: string;
  opted_out_there: string;
};

const WORDS: Record<LanguageCode, Words> = {
  "yue-HK": {
    name: "廣東話",
    press: "廣東話請按 {key}。",
    goodbye: "再見。",
    apology: "唔好意思，我而家答唔到你，請過一陣再試。",
    opted_out: "好，我哋唔會再聯絡你。",
    opted_out_there: "好，我哋唔會再用呢個方式聯絡你。",
  },
  "en-US": {
    name: "English",
    press: "For English, press {key}.",
    goodbye: "Goodbye.",
    apology: "I'm sorry, I can't answer right now. Please try again in a moment.",
    opted_out: "All right. We will not contact you again.",
    opted_out_there: "All right. We will not contact you that way again.",
  },
  "ko-KR": {
    name: "한국어",
    press: "한국어는 {key}번을 누르세요.",
    goodbye: "안녕히 계세요.",
    apology: "죄송합니다. 지금은 답변을 드릴 수 없습니다. 잠시 후 다시 시도해 주세요.",
    opted_out: "알겠습니다. 앞으로 연락드리지 않겠습니다.",
    opted_out_there: "알겠습니다. 앞으로 그 방법으로는 연락드리지 않겠습니다.",
  },
  "zh-CN": {
    name: "普通话",
    press: "普通话请按 {key}。",
    goodbye: "再见。",
    apology: "抱歉，我现在无法回答，请稍后再试。",
    opted_out: "好的，我们不会再联系您。",
    opted_out_there: "好的，我们不会再用这种方式联系您。",
  },
  "fa-IR": {
    name: "فارسی",
    press: "برای فارسی، {key} را فشار دهید.",
    goodbye: "خداحافظ.",
    apology: "متأسفم، الان نمی‌توانم پاسخ بدهم. لطفاً کمی بعد دوباره امتحان کنید.",
    opted_out: "بسیار خوب. دیگر با شما تماس نخواهیم گرفت.",
    opted_out_there: "بسیار خوب. دیگر از این راه با شما تماس نخواهیم گرفت.",
  },
  "es-US": {
    name: "Español",
    press: "Para español, oprima {key}.",
    goodbye: "Adiós.",
    apology: "Lo siento, no puedo responder en este momento. Por favor, inténtelo de nuevo en un momento.",
    opted_out: "De acuerdo. No volveremos a contactarle.",
    opted_out_there: "De acuerdo. No volveremos a contactarle por ese medio.",
  },
  "th-TH": {
    name: "ภาษาไทย",
    press: "สำหรับภาษาไทย กด {key}",
    goodbye: "ลาก่อน",
    apology: "ขออภัย ขณะนี้ยังตอบไม่ได้ กรุณาลองใหม่อีกครั้งในอีกสักครู่",
    opted_out: "รับทราบ เราจะไม่ติดต่อคุณอีก",
    opted_out_there: "รับทราบ เราจะไม่ติดต่อคุณทางช่องทางนั้นอีก",
  },
  "vi-VN": {
    name: "Tiếng Việt",
    press: "Tiếng Việt, nhấn phím {key}.",
    goodbye: "Tạm biệt.",
    apology: "Xin lỗi, hiện tại tôi không thể trả lời. Vui lòng thử lại sau giây lát.",
    opted_out: "Vâng. Chúng tôi sẽ không liên hệ với quý vị nữa.",
    opted_out_there: "Vâng. Chúng tôi sẽ không liên hệ với quý vị bằng cách đó nữa.",
  },
  "bs-BA": {
    name: "Bosanski",
    press: "Za bosanski pritisnite {key}.",
    goodbye: "Doviđenja.",
    apology: "Žao mi je, trenutno ne mogu odgovoriti. Molim vas, pokušajte ponovo za koji trenutak.",
    opted_out: "U redu. Više vas nećemo kontaktirati.",
    opted_out_there: "U redu. Više vas nećemo kontaktirati na taj način.",
  },
  "sw-KE": {
    name: "Kiswahili",
    press: "Kwa Kiswahili, bonyeza {key}.",
    goodbye: "Kwaheri.",
    apology: "Samahani, siwezi kujibu kwa sasa. Tafadhali jaribu tena baada ya muda mfupi.",
    opted_out: "Sawa. Hatutawasiliana nawe tena.",
    opted_out_there: "Sawa. Hatutawasiliana nawe tena kwa njia hiyo.",
  },
  "ru-RU": {
    name: "Русский",
    press: "Для русского языка нажмите {key}.",
    goodbye: "До свидания.",
    apology: "Извините, сейчас я не могу ответить. Пожалуйста, попробуйте ещё раз чуть позже.",
    opted_out: "Хорошо. Мы больше не будем с вами связываться.",
    opted_out_there: "Хорошо. Мы больше не будем связываться с вами этим способом.",
  },
  "hi-IN": {
    name: "हिन्दी",
    press: "हिन्दी के लिए {key} दबाएँ।",
    goodbye: "नमस्ते।",
    apology: "क्षमा करें, अभी उत्तर देना संभव नहीं है। कृपया थोड़ी देर में फिर से कोशिश करें।",
    opted_out: "ठीक है। अब हम आपसे संपर्क नहीं करेंगे।",
    opted_out_there: "ठीक है। अब हम आपसे इस तरीके से संपर्क नहीं करेंगे।",
  },
  "gu-IN": {
    name: "ગુજરાતી",
    press: "ગુજરાતી માટે {key} દબાવો.",
    goodbye: "આવજો.",
    apology: "માફ કરશો, અત્યારે જવાબ આપવો શક્ય નથી. કૃપા કરીને થોડી વાર પછી ફરી પ્રયાસ કરો.",
    opted_out: "ભલે. હવે અમે તમારો સંપર્ક નહીં કરીએ.",
    opted_out_there: "ભલે. હવે અમે તમારો આ રીતે સંપર્ક નહીં કરીએ.",
  },
  "ar-XA": {
    name: "العربية",
    press: "للعربية، اضغط {key}.",
    goodbye: "مع السلامة.",
    apology: "عذرًا، لا أستطيع الإجابة الآن. يُرجى المحاولة مرة أخرى بعد قليل.",
    opted_out: "حسنًا. لن نتواصل معك بعد الآن.",
    opted_out_there: "حسنًا. لن نتواصل معك بهذه الطريقة بعد الآن.",
  },
  "fr-FR": {
    name: "Français",
    press: "Pour le français, appuyez sur le {key}.",
    goodbye: "Au revoir.",
    apology: "Désolé, je ne peux pas répondre pour le moment. Veuillez réessayer dans un instant.",
    opted_out: "D'accord. Nous ne vous contacterons plus.",
    opted_out_there: "D'accord. Nous ne vous contacterons plus de cette façon.",
  },
  "ja-JP": {
    name: "日本語",
    press: "日本語は{key}を押してください。",
    goodbye: "失礼いたします。",
    apology: "申し訳ありません。ただいまお答えできません。少し経ってからもう一度お試しください。",
    opted_out: "承知いたしました。今後ご連絡いたしません。",
    opted_out_there: "承知いたしました。今後その方法ではご連絡いたしません。",
  },
  "ne-NP": {
    name: "नेपाली",
    press: "नेपालीका लागि {key} थिच्नुहोस्।",
    goodbye: "नमस्ते।",
    apology: "माफ गर्नुहोस्, अहिले जवाफ दिन सकिएन। कृपया एकछिनपछि फेरि प्रयास गर्नुहोस्।",
    opted_out: "हुन्छ। अब हामी तपाईंलाई सम्पर्क गर्ने छैनौं।",
    opted_out_there: "हुन्छ। अब हामी तपाईंलाई यस तरिकाले सम्पर्क गर्ने छैनौं।",
  },
};

/** The texts of a language, else of the same language in another country, else English. */
export function wordsOf(code: string): Words {
  const base = code.split("-")[0];
  const near = Object.entries(WORDS).find(([known]) => known === code || known.split("-")[0] === base);
  return (WORDS as Partial<Record<string, Words>>)[code] ?? near?.[1] ?? WORDS["en-US"];
}
