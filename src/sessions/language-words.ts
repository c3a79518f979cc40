import type { LanguageCode } from "../agents/languages.ts";

/** The few things that the program itself says, in each language's own words. */
type Words = {
  /** The language, as those who speak it call it. */
  name: string;
  /** A line of the menu on the phone; `{key}` is where the key stands. */
  press: string;
  goodbye: string;
};

const WORDS: Record<LanguageCode, Words> = {
  "yue-HK": { name: "廣東話", press: "廣東話請按 {key}。", goodbye: "再見。" },
  "en-US": { name: "English", press: "For English, press {key}.", goodbye: "Goodbye." },
  "ko-KR": { name: "한국어", press: "한국어는 {key}번을 누르세요.", goodbye: "안녕히 계세요." },
  "zh-CN": { name: "普通话", press: "普通话请按 {key}。", goodbye: "再见。" },
  "fa-IR": { name: "فارسی", press: "برای فارسی، {key} را فشار دهید.", goodbye: "خداحافظ." },
  "es-US": { name: "Español", press: "Para español, oprima {key}.", goodbye: "Adiós." },
  "th-TH": { name: "ภาษาไทย", press: "สำหรับภาษาไทย กด {key}", goodbye: "ลาก่อน" },
  "vi-VN": { name: "Tiếng Việt", press: "Tiếng Việt, nhấn phím {key}.", goodbye: "Tạm biệt." },
  "bs-BA": { name: "Bosanski", press: "Za bosanski pritisnite {key}.", goodbye: "Doviđenja." },
  "sw-KE": { name: "Kiswahili", press: "Kwa Kiswahili, bonyeza {key}.", goodbye: "Kwaheri." },
  "ru-RU": { name: "Русский", press: "Для русского языка нажмите {key}.", goodbye: "До свидания." },
  "hi-IN": { name: "हिन्दी", press: "हिन्दी के लिए {key} दबाएँ।", goodbye: "नमस्ते।" },
  "gu-IN": { name: "ગુજરાતી", press: "ગુજરાતી માટે {key} દબાવો.", goodbye: "આવજો." },
  "ar-XA": { name: "العربية", press: "للعربية، اضغط {key}.", goodbye: "مع السلامة." },
  "fr-FR": { name: "Français", press: "Pour le français, appuyez sur le {key}.", goodbye: "Au revoir." },
  "ja-JP": { name: "日本語", press: "日本語は{key}を押してください。", goodbye: "失礼いたします。" },
  "ne-NP": { name: "नेपाली", press: "नेपालीका लागि {key} थिच्नुहोस्।", goodbye: "नमस्ते।" },
};

/** Those of a language, or of the same language in another country, or English. */
export function wordsOf(code: string): Words {
  const base = code.split("-")[0];
  const near = Object.entries(WORDS).find(([known]) => known === code || known.split("-")[0] === base);
  return (WORDS as Partial<Record<string, Words>>)[code] ?? near?.[1] ?? WORDS["en-US"];
}
