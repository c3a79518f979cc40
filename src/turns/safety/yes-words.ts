/**
 * A yes in the languages that agents speak, without English, Spanish and French (confirmation.ts). An answer counts only if
 * it consists of these words and nothing else: "да, верно" is a yes, "да нет" is not. Words are left out whose meaning
 * depends on the tone ("да ладно"), or that can also mean "no, thank you" (大丈夫です, いいです, 結構です). `beside`: polite words
 * that are no answer on their own.
 */
type YesWords = { yes: string; beside: string };

const WORDS: Record<"ar" | "bs" | "fa" | "gu" | "hi" | "ne" | "ru" | "sw" | "vi", YesWords> = {
  ar: {
    yes: "نعم|أجل|ايوه|أيوه|ايوا|أيوا|صحيح|صح|تمام|أكيد|موافق|موافقة|حسنا|حسناً|بالتأكيد|بالضبط|طبعا|طبعاً|أؤكد|ماشي|أوكي|اوكي",
    beside: "من فضلك|لو سمحت|شكرا|شكراً",
  },
  bs: {
    yes: "da|jeste|jest|tako je|tačno|točno|tacno|u redu|može|moze|naravno|potvrđujem|slažem se|važi|dobro|ispravno|svakako|ok",
    beside: "molim|molim vas|hvala",
  },
  fa: {
    yes: "بله|آره|درسته|درست است|صحیح|صحیح است|باشه|حتما|حتماً|موافقم|تایید می کنم|تأیید می کنم|تایید میکنم|اوکی",
    beside: "لطفا|لطفاً|ممنون|مرسی",
  },
  gu: {
    yes: "હા|હાં|બરાબર|બરાબર છે|સાચું|સાચું છે|ઠીક છે|ચોક્કસ|ઓકે",
    beside: "જી|આભાર|કૃપા કરીને",
  },
  hi: {
    yes: "हाँ|हां|ठीक है|सही|सही है|बिल्कुल|बिलकुल|ज़रूर|जरूर|कर दीजिए|ओके",
    beside: "जी|कृपया|धन्यवाद|प्लीज़|प्लीज",
  },
  ne: {
    yes: "हो|हुन्छ|ठीक छ|ठिक छ|सही हो|सहि हो|अवश्य|पक्का|ओके",
    beside: "हजुर|कृपया|धन्यवाद",
  },
  ru: {
    yes: "да|ага|угу|верно|правильно|точно|конечно|хорошо|согласен|согласна|подтверждаю|именно|всё верно|все верно|ок|окей|разумеется",
    beside: "пожалуйста|спасибо|совершенно",
  },
  sw: {
    yes: "ndiyo|ndio|naam|sawa|sahihi|kweli|ni kweli|ni sawa|ni sahihi|nakubali|nathibitisha|hakika|bila shaka",
    beside: "tafadhali|asante|ahsante",
  },
  vi: {
    yes: "vâng|đúng|đúng rồi|đúng vậy|phải|được|được rồi|đồng ý|chính xác|xác nhận|tất nhiên|ừ|ok",
    beside: "dạ|ạ|nhé|cảm ơn",
  },
};

/** Written without blanks between words, or with and without them. */
const UNSPACED: Record<"ja" | "ko" | "th" | "yue" | "zh", YesWords> = {
  ja: {
    yes: "はい|ええ|うん|そうです|そうしてください|その通りです|そのとおりです|お願いします|おねがいします|お願いいたします|間違いありません|間違いないです|合っています|合ってます|正しいです|もちろん|もちろんです|オーケー|オッケー",
    beside: "それで|ぜひ",
  },
  ko: {
    yes: "네|예|넵|응|맞아요|맞습니다|맞아|그래요|그렇습니다|좋아요|좋습니다|확인합니다|진행해주세요|해주세요|부탁합니다|부탁드립니다|부탁드려요|물론입니다|물론이죠|그럼요",
    beside: "그렇게|감사합니다",
  },
  th: {
    yes: "ใช่|ใช่แล้ว|ถูก|ถูกต้อง|ถูกแล้ว|ตกลง|ได้|ได้เลย|โอเค|ยืนยัน|แน่นอน",
    beside: "ครับ|ค่ะ|คะ|นะ|ขอบคุณ",
  },
  yue: {
    yes: "係|係呀|係啊|啱|啱呀|啱啊|得|冇錯|冇問題|好呀|好啊|可以呀|可以",
    beside: "唔該|多謝",
  },
  zh: {
    yes: "是|是的|对|對|对的|對的|好|好的|好啊|可以|可以的|行|没错|沒錯|没问题|沒問題|确认|確認|同意|正确|正確|当然|當然|就这样|就這樣",
    beside: "嗯|谢谢|謝謝|麻烦你|麻煩你",
  },
};

const anyOf = (words: string): string =>
  words
    .split("|")
    // The longest first, so that no word is taken for the beginning of another.
    .toSorted((a, b) => b.length - a.length)
    .map((word) => RegExp.escape(word.normalize("NFC")))
    .join("|");

const spaced = ({ yes, beside }: YesWords): RegExp =>
  new RegExp(`^(?:(?:${anyOf(beside)}) )*(?:${anyOf(yes)})(?: (?:${anyOf(`${yes}|${beside}`)}))*$`, "v");

const unspaced = ({ yes, beside }: YesWords): RegExp =>
  new RegExp(`^(?:${anyOf(beside)})*(?:${anyOf(yes)})(?:${anyOf(`${yes}|${beside}`)})*$`, "v");

const SPACED_YES = Object.values(WORDS).map(spaced);
const UNSPACED_YES = Object.values(UNSPACED).map(unspaced);

/** In signs; what is longer is no plain yes. */
const LONGEST = 60;

/** Whether these words are a yes of one of these languages from end to end. `words`: lower case, without marks. Pure. */
export function isWhollyYes(words: readonly string[]): boolean {
  const said = words.join(" ");
  if (said.length > LONGEST) return false;
  return SPACED_YES.some((yes) => yes.test(said)) || UNSPACED_YES.some((yes) => yes.test(words.join("")));
}
