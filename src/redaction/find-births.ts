import { SPACED } from "../base/writing/scripts.ts";

/** Spoken by agents, and with them those of Europe and a few others that people write to us in. */
const LANGUAGES = (
  "en es fr ko zh fa th vi bs sw ru hi gu ar ja ne " +
  "de it pt nl pl uk cs sk sl hr sr bg ro hu el fi sv nb da et lv lt ca tr id ms he bn ta ur"
).split(" ");

const MONTHS = Array.from({ length: 12 }, (_, month) => new Date(Date.UTC(1980, month, 15)));
const FORMS = (["long", "short"] as const).flatMap((month) => [
  { month },
  { month, day: "numeric", year: "numeric" } as const,
]);

/** The names of months as these languages write them, alone and within a date, long and short; the longest first. */
const monthNames = (): string[] => {
  const names = LANGUAGES.flatMap((language) =>
    FORMS.flatMap((form) => {
      const written = new Intl.DateTimeFormat(language, { ...form, timeZone: "UTC" });
      return MONTHS.map(
        (day) => written.formatToParts(day).find(({ type }) => type === "month")?.value ?? "",
      );
    }),
  );
  // The languages that number their months are read below; a point may stand behind a short one or not.
  const named = names
    .filter((name) => !/\d|月/.test(name))
    .map((name) =>
      name
        .toLowerCase()
        .replace(/^(?:de |d[’'])/, "")
        .replace(/[.॰]$/, ""),
    );
  // Three letters are other words, too: "12 Pro 2020" is no December of Croatia.
  const isClear = (name: string) => name.length > 3 || (name.length > 1 && !/[a-z]/.test(name));
  return [...new Set(named)].filter(isClear).toSorted((a, b) => b.length - a.length);
};

/** As people write them by other habits. */
const WRITTEN =
  "(?:jan|feb|f[eé]v|m[aä]r|apr|avr|abr|ma[ijy]|mei|jun|juin|jul|juil|aug|ago|ao[uû]|sep|o[ck]t|nov|de[cz]|d[eé]c|ene|enero|dic|jänner|mrz)[a-zéûç]{0,8}";
const VIETNAMESE = "tháng (?:\\d{1,2}|một|giêng|hai|ba|tư|năm|sáu|bảy|tám|chín|mười(?: một| hai)?|chạp)";
const DAY = "\\d{1,2}(?:st|nd|rd|th|er|º|ª|\\.)?";
const year = (name: number, more = "|'?\\d{2}") => `(?<year${name}>\\d{4}${more})(?!\\d)`;
/** Between the day and its month, and between this and the year. */
const OF = "(?:(?:of|de|di|من|d['’]) ?|ב)?";
const IN = "(?:del? |năm |عام |سنة |ماه |[พค]\\.ศ\\. ?)?";

/** Made when the first text is looked at: the names alone take a tenth of a second of processor. */
let expressions: { dates: RegExp; monthBefore: RegExp } | null = null;

function makeExpressions(): { dates: RegExp; monthBefore: RegExp } {
  const month = `(?:${monthNames().map(RegExp.escape).join("|")}|${WRITTEN}|${VIETNAMESE})`;
  const dates = [
    `(?<!\\d)${year(1, "")}[\\-\\/.]\\d{1,2}[\\-\\/.]\\d{1,2}(?!\\d)`,
    `(?<![\\d.])\\d{1,2}(?<mark>[\\-\\/. ])\\d{1,2}\\k<mark>(?<year2>\\d{4}|\\d{2})(?![\\d\\-])`,
    `(?<!\\d)${DAY}\\s?${OF}${month}[.॰]?[,،]?\\s?${IN}${year(3)}`,
    `(?<!\\d)${year(4, "")}\\.?\\s${month}\\.?\\s\\d{1,2}(?!\\d)`,
    `(?<!\\d)(?:(?<era>昭和|平成|令和)\\s?)?(?<year5>\\d{1,4})\\s?[年년]\\s?\\d{1,2}\\s?[月월]\\s?\\d{1,2}\\s?[日号號일]`,
  ];
  return {
    dates: new RegExp(dates.join("|"), "giv"),
    monthBefore: new RegExp(`(?<![${SPACED}])${month}[.॰]?\\s$`, "iv"),
  };
}

/** "March 4, 1980": looked for from its day, since months of so many languages are many words to try at every place. */
const DAY_AND_YEAR = new RegExp(`(?<!\\d)${DAY}[,،]?\\s${year(0)}`, "giv");
const LONGEST_MONTH = 20;

const BORN = new RegExp(
  [
    "birth|born|\\bdob\\b|d\\.o\\.b|geboren|geburt|nacid|nacimiento|naissance|\\bn[ée]e? le\\b",
    // Italian and Portuguese, Dutch, Catalan, Romanian; the languages of the north and east.
    "nasci|\\bnat[oa]\\b|geboorte|naixement|nascut|născut|naștere",
    "född|fødsel|født|syntyn|syntymä|sündin|urodz|naroz|naroden|rođen|rojen|gimim|dzimš|doğum|doğdu|szület",
    "родил|рожд|народи|народж|роден|рођен|γεννήθ|γέννησ",
    "lahir|kuzaliwa|alizaliwa|nilizaliwa|\\bsinh\\b|เกิด|जन्म|જન્મ|জন্ম|பிறந்த",
    "ولد|ميلاد|مواليد|متولد|تولد|پیدائش|נולד|לידה",
    "生まれ|生年月日|誕生|出生|生日|生于|生於|태어|출생|생일|생년월일",
  ].join("|"),
  "iv",
);
const BORN_WITHIN = 60;
/** Behind a date the word stands close by, within the sentence: "am 12.03.85 geboren", "85년 3월 4일생", "4/5/85 is my birthday". */
const BORN_BEHIND = new RegExp(`${BORN.source}|^\\s?생(?![각활])|^\\s?г\\.р`, "iv");
const BORN_BEHIND_WITHIN = 20;
const END_OF_CLAUSE = /[,:.!?;、。，！？؟،।\n](?!\p{L})/v;
/** "3/4/85", "04.03.85": with points only where each has two digits, since "2.10.60" is a version. */
const SHORT_DATE = /^(?:(\d{1,2})\/(\d{1,2})\/|(\d\d)\.(\d\d)\.)(\d\d)$/v;
const ERAS: Record<string, number> = { 昭和: 1925, 平成: 1988, 令和: 2018 };

/** Where in a text full dates of three and more years ago are, and any beside a word of birth. `year`: the current one. */
export function* findBirths(text: string, year: number): Generator<{ from: number; to: number }> {
  if (!/\d/.test(text)) return;
  for (const { from, to, written } of dates(text)) {
    const known = written ?? shortYear(text.slice(from, to), text[to], year);
    const isLongAgo = known !== null && known >= 1900 && known <= year - 3;
    if (isLongAgo || isOfBirth(text, from, to)) yield { from, to };
  }
}

function isOfBirth(text: string, from: number, to: number): boolean {
  const [behind = ""] = text.slice(to, to + BORN_BEHIND_WITHIN).split(END_OF_CLAUSE);
  return BORN.test(text.slice(Math.max(0, from - BORN_WITHIN), from)) || BORN_BEHIND.test(behind);
}

/** Which year "12/03/85" means: none that is more than ten years ahead. Null where it may be something else than a date. */
function shortYear(date: string, next: string | undefined, year: number): number | null {
  const [, ...parts] = SHORT_DATE.exec(date) ?? [];
  const [one = 0, two = 0, short = 0] = parts.filter((part) => part !== undefined).map(Number);
  const isDate = Math.min(one, two) >= 1 && Math.min(one, two) <= 12 && Math.max(one, two) <= 31;
  if (!isDate || next === "/") return null;
  return 2000 + short > year + 10 ? 1900 + short : 2000 + short;
}

function* dates(text: string): Generator<{ from: number; to: number; written: number | null }> {
  expressions ??= makeExpressions();
  for (const { 0: date, index, groups = {} } of text.matchAll(expressions.dates))
    yield { from: index, to: index + date.length, written: writtenYear(groups) };
  for (const { 0: rest, index, groups = {} } of text.matchAll(DAY_AND_YEAR)) {
    const month = expressions.monthBefore.exec(text.slice(Math.max(0, index - LONGEST_MONTH), index));
    if (month) yield { from: index - month[0].length, to: index + rest.length, written: writtenYear(groups) };
  }
}

/** Of our calendar; null where the century is missing. Thailand counts 543 years more, Iran 621 fewer. */
function writtenYear({ era, ...groups }: Record<string, string | undefined>): number | null {
  const digits = Object.entries(groups).find(([name, value]) => name !== "mark" && value)?.[1] ?? "";
  if (era) return (ERAS[era] as number) + Number(digits);
  if (digits.length !== 4) return null;
  const written = Number(digits);
  return written > 2400 ? written - 543 : written < 1500 ? written + 621 : written;
}
