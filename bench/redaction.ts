import { createVault } from "../src/base/crypto.ts";
import { REDACTION_KINDS } from "../src/redaction/find-values.ts";
import { Redactor } from "../src/redaction/redactor.ts";

/*
 * How many messages a second one core redacts: half of them plain talk, the others with one value, and once more with five
 * own patterns; and with words that a model found. Run: node bench/redaction.ts
 */

const TALK =
  "Good morning, I would like to move my appointment with Dr. Lopez from Tuesday to some day next week, if you have anything in the afternoon. ";
const VALUES = [
  "My card is 4111 1111 1111 1111.",
  "My social is 123-45-6789.",
  "I was born on March 4th, 1980.",
  "Write to ann.lee@mail.example.com.",
  "Call me at (512) 555-0142.",
  "My account is DE89 3704 0044 0532 0130 00.",
];
const PATTERNS = [
  "CASE-[0-9]{6}",
  "MRN[ -]?[0-9]{7,8}",
  "(?i)policy (no|number) [a-z0-9-]{6,12}",
  "[A-Z]{2}[0-9]{7}",
  "room [0-9]{3}",
];
const SECONDS = 3;
const vault = createVault("a secret key for a benchmark");

/** What a model found, looked for in all that is stored of the session. */
const words = (count: number) =>
  Array.from({ length: count }, (_, at) => ({ kind: "name", text: `Person ${at.toString(36)} Lopez` }));
const pattern = (text: string, at: number) => ({ name: `own ${at}`, pattern: text });

const RUNS = [
  { name: "0 own patterns", kinds: REDACTION_KINDS, patterns: [] },
  { name: "5 own patterns", kinds: REDACTION_KINDS, patterns: PATTERNS.map(pattern) },
  { name: "20 words of a model", kinds: [], patterns: [], words: words(20) },
  { name: "500 words of a model", kinds: [], patterns: [], words: words(500) },
];

for (const { name, ...more } of RUNS) {
  const rules = { ...more, originals_days: 0 };
  let messages = 0;
  let characters = 0;
  const from = process.cpuUsage();
  const end = performance.now() + SECONDS * 1000;
  while (performance.now() < end) {
    // A session of its own for each ten messages, as tokens are made anew in each.
    const redactor = new Redactor(rules, { scope: `session ${messages}`, vault, year: 2026 });
    for (let n = 0; n < 10; n++) {
      const text = n % 2 ? TALK + TALK : TALK + VALUES[(messages + n) % VALUES.length];
      redactor.redact(text);
      characters += text.length;
    }
    messages += 10;
    redactor.takeNew();
  }
  const seconds = (process.cpuUsage(from).user + process.cpuUsage(from).system) / 1e6;
  process.stdout.write(
    `${name}: ${Math.round(messages / seconds)} messages a second of processor time, ${Math.round(characters / messages)} characters each\n`,
  );
}
