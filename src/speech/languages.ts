import { z } from "zod";

/** The languages agents speak (BCP 47, as the public API spells them), and what people call them in English. */
export const LANGUAGES = {
  "yue-HK": "Cantonese",
  "en-US": "English",
  "ko-KR": "Korean",
  "zh-CN": "Mandarin",
  "fa-IR": "Persian",
  "es-US": "Spanish",
  "th-TH": "Thai",
  "vi-VN": "Vietnamese",
  "bs-BA": "Bosnian",
  "sw-KE": "Swahili",
  "ru-RU": "Russian",
  "hi-IN": "Hindi",
  "gu-IN": "Gujarati",
  "ar-XA": "Arabic",
  "fr-FR": "French",
  "ja-JP": "Japanese",
  "ne-NP": "Nepali",
} as const;
export type LanguageCode = keyof typeof LANGUAGES;

export const LanguageCode = z
  .enum(Object.keys(LANGUAGES) as [LanguageCode, ...LanguageCode[]])
  .meta({ id: "LanguageCode" });
