import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { CODE_POINT } from "../../test/harness/code-point.ts";
import { OPT_OUT_LANGUAGES, optOutReply, readOptOut } from "./opt-out-words.ts";

const stop = (language: string) => ({ kind: "stop", language });

describe("a whole message that asks to be left alone", () => {
  test.each([
    // The words of the FCC's rule and of the carriers' handbook.
    ...["stop", "quit", "end", "revoke", "opt out", "cancel", "unsubscribe", "stopall"],
    // As people write them.
    ...[
      "STOP",
      " Stop. ",
      "STOP!!!",
      "stop 🛑",
      "STOP ⚠️",
      "✋🏽 stop ❤️‍🔥",
      "“Stop”",
      "S.T.O.P",
      "opt-out",
      "OptOut",
      "STOP ALL",
      "ｓｔｏｐ",
      "STOP STOP",
      "stop, stop, STOP!!!",
      "opt out opt-out",
    ],
    ...["Please stop", "stop texting me", "Remove me from your list.", "Don’t contact me"],
    ...["Unsubscribe please", "Please unsubscribe me.", "STOP, thank you", "stop thanks", "Opt me out"],
    ...["STOP CALLS", "stop sms", "Please stop calling", "please stop texting me!"],
  ])("%j is an opt-out", (text) => expect(readOptOut(text)).toEqual(stop("en")));

  test.each([
    ["alto", "es"],
    ["¡BAJA!", "es"],
    ["Arrêt", "fr"],
    ["ARRET", "fr"],
    ["désabonner", "fr"],
    ["Abmelden", "de"],
    ["annulla", "it"],
    ["Sair", "pt"],
    ["退订", "zh"],
    ["TD", "zh"],
    ["配信停止", "ja"],
    ["수신거부", "ko"],
    ["बंद करो", "hi"],
    ["Hủy đăng ký", "vi"],
    ["стоп", "ru"],
    ["إلغاء الاشتراك", "ar"],
    ["الغاء", "ar"],
    ["\u200fتَوَقَّف!", "ar"],
    ["توقـــف", "ar"],
    ["ايقاف", "ar"],
    ["لغو اشتراك", "fa"],
    ["หยุด", "th"],
    ["બંધ કરો", "gu"],
  ])("%j is one, in %s", (text, language) => expect(readOptOut(text)).toEqual(stop(language)));

  test.each([
    "we have to STOP this bill",
    "please stop by tomorrow",
    "Can you stop the automatic payment?",
    "I want to cancel my appointment",
    "cancel the 3 pm slot please",
    "Please cancel",
    "help please",
    "the end of the month works",
    "end of story",
    "don't stop",
    "non-stop",
    "nonstop",
    "unstoppable",
    "bus stop",
    "quitting time",
    "I need to revoke my consent form for Dr. Lee, what do I do?",
    "STOP 2",
    "stop it's fine",
    "stop stop it",
    "stop stopping",
    "no no no",
    "fine",
    "no",
    "yes",
    "no gracias",
    "quiero dar de baja mi línea",
    "fin de semana",
    "la fin du mois",
    "停止してもらえますか、その薬を",
    "今天取消了吗",
    "",
    "   ",
    "🛑",
    "?",
  ])("%j goes to the agent", (text) => expect(readOptOut(text)).toBeNull());
});

test("a word of several languages is read in the conversation's, and an English one answered in it", () => {
  expect(readOptOut("停止")).toEqual(stop("zh"));
  expect(readOptOut("停止", "ja-JP")).toEqual(stop("ja"));
  expect(readOptOut("basta", "it")).toEqual(stop("it"));
  expect(readOptOut("STOP", "es-US")).toEqual(stop("es"));
  expect(readOptOut("stop", "yue-HK")).toEqual(stop("zh"));
  expect(readOptOut("stop", "tlh")).toEqual(stop("en"));
});

test("START and HELP are words too", () => {
  expect([readOptOut("ابدا"), readOptOut("عضويت")]).toEqual([
    { kind: "start", language: "ar" },
    { kind: "start", language: "fa" },
  ]);
  expect(readOptOut("Start")).toEqual({ kind: "start", language: "en" });
  expect(readOptOut("UNSTOP")).toEqual({ kind: "start", language: "en" });
  expect(readOptOut("help!")).toEqual({ kind: "help", language: "en" });
  expect(readOptOut("ayuda")).toEqual({ kind: "help", language: "es" });
});

test.each(OPT_OUT_LANGUAGES)("what is answered in %s names the sender and the way back", (language) => {
  for (const kind of ["stop", "start", "help"] as const) {
    const reply = optOutReply({ kind, language }, "Sunrise Clinic");
    expect(reply.startsWith("Sunrise Clinic: ")).toBe(true);
    expect(reply).toContain(kind === "start" ? "STOP" : "START");
    // Our own answer, sent back to us by an echo, is no word.
    expect(readOptOut(reply)).toBeNull();
  }
});

const around = fc.stringMatching(/^[\s.,!?'"()…*~🛑🙏–-]{0,8}$/u);
const word = fc.constantFrom(
  "stop",
  "unsubscribe",
  "opt out",
  "alto",
  "désabonner",
  "退订",
  "बंद करो",
  "수신거부",
);

test("what stands around a word, and its case, change nothing", () => {
  fc.assert(
    fc.property(around, word, around, fc.boolean(), (before, text, after, upper) => {
      const said = `${before}${upper ? text.toUpperCase() : text}${after}`;
      expect(readOptOut(said)).toEqual(readOptOut(text));
    }),
  );
});

test("a word among other words is never one", () => {
  const other = fc.constantFrom("bill", "tomorrow", "my", "appointment", "the", "payment", "mañana", "医生");
  fc.assert(
    fc.property(fc.array(other, { minLength: 1, maxLength: 5 }), word, fc.nat(5), (others, text, at) => {
      const words: string[] = [...others];
      words.splice(at, 0, text);
      expect(readOptOut(words.join(" "))).toBeNull();
    }),
  );
});

test("any text is read without a throw, and long ones are none", () => {
  fc.assert(
    fc.property(fc.string({ unit: CODE_POINT, maxLength: 300 }), (text) => {
      const found = readOptOut(text);
      if (text.length > 80) expect(found).toBeNull();
    }),
  );
});
