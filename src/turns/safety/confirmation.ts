import { sha256 } from "../../base/crypto.ts";
import { isWhollyYes } from "./yes-words.ts";

/*
 * Whether the person said yes to what was read back to them. The model has no part in it: an answer counts by its own words,
 * or the question is asked again. So it is strict rather than clever.
 */

const YES_PHRASES = [
  "yes|yeah|yep|yup|sure|ok|okay|correct|right|exactly|confirm|confirmed|i confirm|i do|that's right|that is right",
  "that's correct|that is correct|go ahead|do it|absolutely|of course|sounds good|that works|perfect|fine",
  "sí|si|claro|correcto|vale|de acuerdo|confirmo|adelante|exacto|por supuesto|perfecto",
  "oui|ouais|d'accord|c'est ça|c'est bon|exact|exactement|je confirme|allez-y|parfait|bien sûr",
  "ja|jawohl|genau|richtig|stimmt|einverstanden|ich bestätige|gerne|passt|in ordnung|natürlich",
  "sì|certo|esatto|va bene|confermo|perfetto",
  "sim|certo|isso|está bem|pode ser|confirmo|perfeito",
  "klopt|juist|akkoord|graag|zeker|prima",
].flatMap((phrases) => phrases.split("|"));

/** Before a yes, these say nothing. */
const FILLERS = new Set([
  "uh",
  "um",
  "uhm",
  "hm",
  "mhm",
  "oh",
  "ah",
  "well",
  "so",
  "please",
  "and",
  "then",
  "euh",
  "äh",
  "ähm",
  "eh",
]);

/** With one of these an answer is no plain yes: it refuses, asks, or wants something else. */
const NOT_PLAIN = new Set(
  (
    "no not nope never don't dont doesn't didn't isn't won't can't cannot wait stop hold but instead rather wrong later maybe except unless if " +
    "what how when why which who where nunca pero espera espere cuándo cuando cómo qué quién dónde después " +
    "non pas mais attends attendez quand comment pourquoi quoi nein nicht kein keine aber warte warten wann wie warum welche wenn falls " +
    "però ma aspetta aspetti perché quanto não nao mas depois nee niet geen maar wacht wanneer hoe waarom als " +
    // Who takes it back, or wants it otherwise:
    "forget nevermind mind leave another different else olvida olvídalo olvide déjalo déjelo otro otra mejor " +
    "oublie oubliez laisse laissez autre plutôt vergiss vergessen lass lassen lieber anders andere anderer anderes " +
    "lascia lasci dimentica altro altra piuttosto meglio esquece esqueça deixa deixe outro outra melhor vergeet laat liever ander " +
    // Who asks for time:
    "hang moment second sec minute let think momento momentito instante minuto segundo pensar déjame instant seconde réfléchir " +
    "augenblick sekunde überlegen attimo secondo pensare momentje"
  ).split(" "),
);

/** Longer answers are stories, and one of their words would be picked out of them. */
const MOST_WORDS = 12;

const wordsOf = (text: string): string[] =>
  text
    .normalize("NFC")
    .toLowerCase()
    .replaceAll("’", "'")
    .replaceAll(/[^\p{L}\p{M}\p{N}'-]+/gu, " ")
    .trim()
    .split(" ")
    .filter((word) => word !== "");

/** `more`: what else is a yes, where an organization's people say it in other words. Pure. */
export function saysYes(text: string | null, more: readonly string[] = []): boolean {
  if (text === null || /[?？؟]/.test(text)) return false;
  const words = wordsOf(text);
  if (words.length === 0 || words.length > MOST_WORDS) return false;
  if (isWhollyYes(words)) return true;
  if (words.some((word) => NOT_PLAIN.has(word))) return false;
  const first = words.findIndex((word) => !FILLERS.has(word));
  if (first < 0) return false;
  const said = ` ${words.slice(first).join(" ")} `;
  // "si" is Spanish for yes, and "if" elsewhere.
  if (words[first] === "si" && words.length - first > 3) return false;
  return [...YES_PHRASES, ...more.map((phrase) => wordsOf(phrase).join(" "))].some(
    (phrase) => phrase !== "" && said.startsWith(` ${phrase} `),
  );
}

/** Names a call by its tool and what the model gave, whatever the order of the arguments. */
export const callKey = (tool: string, given: Record<string, unknown>): string =>
  sha256(JSON.stringify([tool, ordered(given)])).slice(0, 32);

const ordered = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(ordered);
  if (typeof value !== "object" || value === null) return value;
  return Object.entries(value)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, item]) => [name, ordered(item)]);
};
