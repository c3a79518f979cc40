import { z } from "zod";
import { Person, person, type Reply } from "./person.ts";
import { chance, drawn } from "./random.ts";

/** How somebody books an appointment: enough for the demo's agent, harmless for any other. */
const BOOKS: Reply[] = [
  ["goodbye|good bye", "Goodbye.", true],
  ["confirmation number|(is|are) (now )?booked", "Great, thank you. Goodbye.", true],
  ["phone|number (can|may)|reach you", "It is 512 555 0142.", false],
  ["\\bname\\b|who am i", "My name is Alex Doe.", false],
  ["nothing is free|other day", "Wednesday of next week, please.", false],
  ["which (time|one|slot)|\\d:\\d\\d", "The first one, please.", false],
  ["\\b(day|date)\\b|when would", "Next Monday, please.", false],
  ["service|do you need|can i help|can i (help|book)|check-up", "I would like a check-up, please.", false],
].map(([when, say, then_leaves]) => ({ when, say, then_leaves }) as Reply);

const says = (say: string, then_leaves = true): Reply[] => [{ when: "", say, then_leaves }];

/**
 * Who has which number: by its last two digits. docs/simulator.md is this table for people to read. From 50 on, chance
 * decides by the seed, so that a list of any numbers meets a bit of everything.
 */
export const PEOPLE: Readonly<Record<string, Person>> = {
  // More turns than a booking needs: a slow agent's greeting and first question are two texts, and each gets its answer.
  "01": person({ name: "answers and books", call: { patience: 12 }, replies: BOOKS }),
  "02": person({ name: "busy", call: { outcome: "busy", sip_code: 486, ring_s: 1 } }),
  "03": person({ name: "never picks up", call: { outcome: "no-answer", ring_s: 60 } }),
  "04": person({
    name: "mailbox",
    call: {
      answered_by: "machine",
      opening:
        "You have reached my mailbox. I can't take your call right now. Please leave a message after the beep.",
      opening_s: 6,
      patience: 0,
    },
  }),
  "05": person({ name: "declines", call: { outcome: "declined", sip_code: 603 } }),
  "06": person({
    name: "call screener",
    call: {
      opening: "Hi. If you record your name and reason for calling, I'll see if this person is available.",
      opening_s: 4,
    },
    replies: BOOKS,
    otherwise: "Hello? Yes, this is me.",
  }),
  "07": person({ name: "slow talker", call: { thinks_s: 6, speaks_s: 9 }, replies: BOOKS }),
  "08": person({ name: "interrupter", call: { interrupts_after_s: 1, thinks_s: 0.2 }, replies: BOOKS }),
  "09": person({ name: "wants no more", replies: says("STOP") }),
  "10": person({ name: "wrong number", replies: says("Sorry, you have the wrong number.") }),
  "11": person({
    name: "says nothing",
    call: { patience: 0, hangs_up_after_s: 40 },
    text: { replies_after_s: null },
  }),
  "12": person({ name: "presses 1", call: { presses: "1" }, replies: BOOKS }),
  "13": person({ name: "hangs up at once", call: { hangs_up_after_s: 1 } }),
  "14": person({ name: "fax", call: { answered_by: "fax", patience: 0, hangs_up_after_s: 20 } }),
  "15": person({ name: "out of reach", call: { outcome: "failed", sip_code: 480 } }),
  "16": person({
    name: "no such number",
    api: { error_code: 21211 },
    lookup: { line_type: null, carrier_name: null },
  }),
  "17": person({
    name: "landline",
    replies: BOOKS,
    text: { outcome: "undelivered", error_code: 30006, replies_after_s: null },
    lookup: { line_type: "landline", carrier_name: "Simulated Landline" },
  }),
  "18": person({
    name: "speaks Spanish",
    call: { language: "es-US" },
    otherwise: "Sí, por favor.",
    replies: says("Hola, ¿habla español?", false),
  }),
  "20": person({ name: "answers texts after an hour", text: { replies_after_s: 3600 }, replies: BOOKS }),
  "21": person({
    name: "telephone is off",
    call: { outcome: "failed", sip_code: 480 },
    text: { outcome: "undelivered", error_code: 30003, replies_after_s: null },
  }),
  "22": person({
    name: "unknown to every network",
    call: { outcome: "failed", sip_code: 404 },
    text: { outcome: "failed", error_code: 30005, replies_after_s: null },
  }),
  "23": person({
    name: "network filters texts",
    text: { outcome: "undelivered", error_code: 30007, replies_after_s: null },
  }),
  "24": person({ name: "wrote STOP before", api: { error_code: 21610 } }),
  "25": person({
    name: "delivery is never confirmed",
    text: { outcome: "unconfirmed", replies_after_s: null },
  }),
  "30": person({ name: "carrier answers 429 first", api: { too_many_times: 1 }, replies: BOOKS }),
  "31": person({ name: "carrier answers 500 but took it", api: { trouble: "500-taken" }, replies: BOOKS }),
  "32": person({ name: "carrier answers 500", api: { trouble: "500-not-taken" } }),
  "33": person({
    name: "carrier doesn't answer but took it",
    api: { trouble: "silent-taken" },
    replies: BOOKS,
  }),
  "34": person({ name: "every callback comes twice", api: { callbacks: "twice" }, replies: BOOKS }),
  "35": person({ name: "callbacks come out of order", api: { callbacks: "reordered" }, replies: BOOKS }),
  "36": person({ name: "callbacks come an hour late", api: { callbacks: "late" }, replies: BOOKS }),
  "37": person({ name: "callbacks are lost", api: { callbacks: "lost" }, replies: BOOKS }),
  "40": person({
    name: "fixed line over the internet",
    lookup: { line_type: "fixedVoip", carrier_name: "Simulated VoIP" },
    replies: BOOKS,
  }),
  "41": person({
    name: "number of an app",
    lookup: { line_type: "nonFixedVoip", carrier_name: "Simulated App" },
    replies: BOOKS,
  }),
  "42": person({
    name: "nobody knows the line",
    lookup: { line_type: "unknown", carrier_name: null, caller_type: "UNDETERMINED" },
    replies: BOOKS,
  }),
  "43": person({
    name: "a business",
    lookup: { caller_name: "ACME CORP", caller_type: "BUSINESS" },
    replies: BOOKS,
  }),
  "44": person({
    name: "got the number in June 2026",
    lookup: { theirs_since: "2026-06-01" },
    otherwise: "You have the wrong number.",
  }),
};

/** What a hundred people of a list are like. */
const CROWD = [
  [52, "01"],
  [16, "04"],
  [13, "03"],
  [5, "02"],
  [3, "08"],
  [3, "07"],
  [2, "10"],
  [2, "05"],
  [2, "15"],
  [1, "09"],
  [1, "13"],
] as const;

/** A scenario: people of one's own, by number or by a pattern with `*` for any digits; the first that fits. */
export const Scenario = z.strictObject({
  seed: z.int().optional(),
  people: z
    .array(z.strictObject({ number: z.string().regex(/^[+\d*]+$/), person: Person }))
    .max(1000)
    .default([]),
});
export type Scenario = z.infer<typeof Scenario>;

export type People = (number: string) => Person;

export function peopleOf({ seed = 1, people }: Scenario): People {
  const own = people.map(({ number, person }) => ({
    fits: new RegExp(`^${number.replaceAll("+", "\\+").replaceAll("*", "\\d*")}$`),
    person,
  }));
  return (number) => {
    const found = own.find(({ fits }) => fits.test(number));
    if (found) return found.person;
    return PEOPLE[number.slice(-2)] ?? (PEOPLE[drawn(CROWD, chance(seed, number))] as Person);
  };
}
