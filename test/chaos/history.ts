import fc from "fast-check";
import type { KeyedAddress } from "../../src/address-book/merge-by-key.ts";
import { CHANNEL_STATUSES, type ChannelStatus } from "../../src/channels/channel-status.ts";
import { OUTREACH_PURPOSES, type OutreachPurpose } from "../../src/consent/consent.ts";
import { type CadenceStep, LEADS_ON, MOST_STEPS } from "../../src/planning/cadences/cadence.ts";
import type { PersonLimit } from "../../src/planning/per-person.ts";
import type { OutreachRules } from "../../src/planning/person-hold.ts";
import type { OutcomeRule } from "../../src/planning/retries/outcome-rules.ts";
import type { Rule, Schedule } from "../../src/planning/schedule.ts";
import { WEEKDAYS } from "../../src/planning/weekday.ts";
import { organizationRules } from "./history-rules.ts";
import type { LookUp } from "./number-owners.ts";
import type { Suppression } from "./people-promises.ts";

/** A campaign, its batches, and all that happens to them in some weeks: chosen at random, replayable by its seed. */
export type History = {
  campaign: Schedule & {
    hourly_rate: number;
    retry_count: number;
    retry_interval: string;
    retry_rules: OutcomeRule[] | null;
    /** Steps after its own; none: a campaign of calls alone. */
    cadence: CadenceStep[];
    /** Of marketing nobody is called who withdrew their consent. */
    purpose: OutreachPurpose;
    /** A carrier is asked first whether a number was given to somebody else. */
    check_reassigned: boolean;
  };
  per_person: PersonLimit | null;
  /** What the organization asks of every start to a person. */
  rules: OutreachRules | null;
  /** Whose number was given to somebody else before it begins. */
  given_away: string[];
  zone: string;
  from: Date;
  batches: { people: string[]; call_rate: number | null; expires_h: number | null }[];
  happenings: Happening[];
};

export type Happening =
  /** Process `process` looks at all that is due; what it claims meets these fates, in turn. */
  | { kind: "tick"; process: number; fates: Fate[] }
  | { kind: "go-on" }
  /** The clock goes on, or is set. */
  | { kind: "pass"; ms: number }
  /** Carriers tell something of an attempt, `times` times: of the newest, or of an older one. */
  | { kind: "told"; back: number; status: ChannelStatus; is_transient: boolean | null; times: number }
  /** Somebody looks after what has been left; carriers answer so. */
  | { kind: "ask"; answers: ("as-it-is" | "none" | "unreachable")[] }
  /** The person of an attempt that is under way asks to be called again after so long. */
  | { kind: "asked"; back: number; wait_ms: number }
  /** A person opts out, withdraws their consent or is put on a do-not-call list. */
  | { kind: "opt-out" | "withdraw"; person: string }
  /** A person's number is given to somebody else; whoever has it agrees to be called. */
  | { kind: "given-away" | "agrees"; person: string }
  /** The carrier is asked of the numbers that are reached next; it answers so, in turn. */
  | { kind: "look-ahead"; answers: LookUp[] }
  /** A person calls, or writes, or opts out by mail. */
  | { kind: "answers" | "opt-out-by-mail"; person: string }
  /** Two addresses are said to be one person's, or one to stand alone again. Addresses are named as `numberOrMail` reads them. */
  | { kind: "link"; address: string; other: string }
  | { kind: "unlink"; address: string }
  /** Requests come in that carry their people's keys. */
  | { kind: "keyed"; incoming: KeyedAddress[] }
  | { kind: "zone"; address: string; timezone: string }
  | ({ kind: "suppress" } & Suppression)
  /** Everything of the person who has the address is to be deleted. */
  | { kind: "erase"; address: string }
  | { kind: "pause" | "resume" | "delete"; batch: number }
  | { kind: "cap"; cap: number | null };

/** What comes of handing an attempt over; "dies": the process does, before or after the carrier has it. */
export type Fate =
  | "taken"
  | "refused"
  | "not-sent"
  | "lost"
  | "never-got-it"
  | "dies-before"
  | "dies-after"
  /** The process stands still before it calls, until a "go-on". */
  | "held-up";

const time = fc
  .record({ hour: fc.integer({ min: 0, max: 23 }), minute: fc.constantFrom(0, 30) })
  .map(({ hour, minute }) => `${String(hour).padStart(2, "0")}:${String(minute).padStart(2, "0")}:00`);
const cap = fc.option(fc.integer({ min: 0, max: 4 }), { freq: 2 });
const rule: fc.Arbitrary<Rule> = fc.record(
  {
    active: fc.option(fc.boolean()),
    daily_start_time: fc.option(time),
    daily_end_time: fc.option(time),
    max_daily_calls: cap,
  },
  { requiredKeys: [] },
);

/** Around the days on which clocks change, a leap day, and plain ones. */
const START_DATES = ["2027-03-12", "2027-10-30", "2026-11-18", "2028-02-27", "2027-03-27"];
const ZONES = [
  "America/New_York",
  "America/Phoenix",
  "Europe/Berlin",
  "Australia/Lord_Howe",
  "Asia/Kathmandu",
  "UTC",
];

const dates = (start: string): string[] =>
  Array.from({ length: 6 }, (_, i) => Temporal.PlainDate.from(start).add({ days: i }).toString());

/** Each step with a wait and, for some, outcomes of its own. */
const cadence: fc.Arbitrary<CadenceStep[]> = fc
  .array(
    fc.record({
      mode: fc.constantFrom("sms" as const, "email" as const, "voice" as const),
      address: fc.constantFrom(null, null, null, null, null, "other"),
      wait: fc.constantFrom("1s", "1s", "10m", "2h", "1d"),
      own: fc.constantFrom(null, null, 2, 3),
    }),
    { minLength: 1, maxLength: MOST_STEPS },
  )
  .map((steps) =>
    steps.map(({ mode, address, wait, own }, index) => {
      const before = LEADS_ON[steps[index - 1]?.mode ?? "voice"];
      const some = own === null ? [] : before.filter((_, place) => place % own === 0);
      const source = mode === "email" ? "desk@clinic.example" : "+15125550100";
      return { mode, source, address, wait, after: some.length === 0 ? null : some };
    }),
  );

const campaign = (start: string) =>
  fc.record({
    daily_start_time: fc.option(time),
    daily_end_time: fc.option(time),
    max_daily_calls: cap,
    active_days: fc.subarray([...WEEKDAYS], { minLength: 3 }),
    outreach_override_rules: fc.option(
      fc.record({
        days: fc.dictionary(fc.constantFrom(...WEEKDAYS), rule, { maxKeys: 3 }),
        dates: fc.dictionary(fc.constantFrom(...dates(start)), rule, { maxKeys: 3 }),
      }),
    ),
    hourly_rate: fc.constantFrom(1, 2, 7, 60, 600, 3600),
    retry_count: fc.integer({ min: 0, max: 3 }),
    retry_interval: fc.constantFrom("1s", "30s", "10m", "2h"),
    retry_rules: fc.option(
      fc.uniqueArray(
        fc.record({
          outcome: fc.constantFrom("BUSY" as const, "NO-ANSWER" as const, "FAILED" as const),
          wait: fc.constantFrom(null, "1s", "10m", "1d"),
          max_retries: fc.integer({ min: 0, max: 3 }),
          another_hour: fc.boolean(),
        }),
        { minLength: 2, maxLength: 3, selector: ({ outcome }) => outcome },
      ),
      { freq: 2 },
    ),
    purpose: fc.constantFrom("marketing" as const, "marketing" as const, ...OUTREACH_PURPOSES),
    check_reassigned: fc.constant(false),
    cadence: fc.oneof(
      { weight: 3, arbitrary: fc.constant<CadenceStep[]>([]) },
      { weight: 1, arbitrary: cadence },
    ),
  });

const perPerson = fc.record({
  attempts: fc.integer({ min: 1, max: 3 }),
  window_ms: fc.constantFrom(3_600_000, 24 * 3_600_000),
});

const fate = fc.oneof(
  { weight: 5, arbitrary: fc.constant<Fate>("taken") },
  {
    weight: 5,
    arbitrary: fc.constantFrom<Fate>(
      "refused",
      "not-sent",
      "lost",
      "never-got-it",
      "dies-before",
      "dies-after",
      "held-up",
    ),
  },
);
const CALL_WORDS: ChannelStatus[] = [
  "QUEUED",
  "IN-PROGRESS",
  "HUMAN",
  "MACHINE",
  "UNKNOWN",
  "COMPLETED",
  "BUSY",
  "BUSY",
  "NO-ANSWER",
  "NO-ANSWER",
  "DECLINED",
  "FAILED",
  "CANCELED",
];
const MESSAGE_WORDS: ChannelStatus[] = ["SENT", "DELIVERED", "DELIVERED", "UNDELIVERED", "BOUNCED", "OPENED"];
const status = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...MESSAGE_WORDS) },
  { weight: 4, arbitrary: fc.constantFrom("NO-ANSWER" as const, "BUSY" as const) },
  { weight: 9, arbitrary: fc.constantFrom(...CALL_WORDS) },
  { weight: 1, arbitrary: fc.constantFrom(...CHANNEL_STATUSES) },
);

const happening: fc.Arbitrary<Happening> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      kind: fc.constant("tick" as const),
      process: fc.integer({ min: 0, max: 2 }),
      fates: fc.array(fate, { minLength: 1, maxLength: 3 }),
    }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant("pass" as const),
      ms: fc.constantFrom(
        1,
        999,
        1_000,
        2_500,
        6_000,
        60_000,
        600_000,
        3_600_000,
        25_200_000,
        86_400_000,
        -7_200_000,
      ),
    }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant("told" as const),
      back: fc.oneof(
        { weight: 4, arbitrary: fc.constant(0) },
        { weight: 1, arbitrary: fc.integer({ min: 1, max: 6 }) },
      ),
      status,
      is_transient: fc.constantFrom(null, true, false),
      times: fc.integer({ min: 1, max: 3 }),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant("ask" as const),
      answers: fc.array(fc.constantFrom("as-it-is" as const, "none" as const, "unreachable" as const), {
        minLength: 1,
        maxLength: 3,
      }),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constantFrom("pause" as const, "resume" as const, "resume" as const, "delete" as const),
      batch: fc.integer({ min: 0, max: 1 }),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant("asked" as const),
      back: fc.integer({ min: 0, max: 1 }),
      wait_ms: fc.constantFrom(0, 60_000, 3_600_000, 90_000_000),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constantFrom("opt-out" as const, "withdraw" as const, "withdraw" as const),
      person: fc.constantFrom("a", "b", "c", "d", "e", "f", "g"),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constantFrom("answers" as const, "opt-out-by-mail" as const),
      person: fc.constantFrom("a", "b", "c", "d", "e", "f", "g"),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("cap" as const), cap }) },
  { weight: 1, arbitrary: fc.constant({ kind: "go-on" as const }) },
);

/** One person under two references: they have one telephone. */
export const addressOf = (reference: string): string => (reference === "h" ? "a" : reference);

/** Who has an address for mails, as the column of their requests says. */
export const mailOf = (person: string): string | null =>
  person === "c" || person === "f" ? null : `${person}@people.example`;

/** An address as happenings name it: a mail by itself, a number by its person. */
export const numberOrMail = (name: string): string =>
  name.includes("@") ? name : (PEOPLE[name] as (typeof PEOPLE)[string]).number;

/** Where the people of the histories are, by their numbers and, for one, by what the request says. */
export const PEOPLE: Record<
  string,
  { number: string; zones: string[]; places: string[]; timezone?: string }
> = {
  a: { number: "+12125550100", zones: ["America/New_York"], places: ["*", "US", "US-NY"] },
  b: {
    number: "+18505550101",
    zones: ["America/New_York", "America/Chicago"],
    places: ["*", "US", "US-FL"],
  },
  c: { number: "+18085550102", zones: ["Pacific/Honolulu"], places: ["*", "US", "US-HI"] },
  d: { number: "+19285550103", zones: ["America/Phoenix", "America/Denver"], places: ["*", "US", "US-AZ"] },
  e: {
    number: "+15125550104",
    zones: ["Asia/Kathmandu"],
    places: ["*", "US", "US-TX"],
    timezone: "Asia/Kathmandu",
  },
  f: { number: "+493090182005", zones: ["Europe/Berlin"], places: ["*", "DE"] },
  g: { number: "+17095550106", zones: ["America/St_Johns", "America/Halifax"], places: ["*", "CA", "CA-NL"] },
};

/** References are few, so that two batches share some. */
const batch = fc.record({
  people: fc.uniqueArray(fc.constantFrom("a", "b", "c", "d", "e", "f", "g", "h"), {
    minLength: 1,
    maxLength: 6,
  }),
  call_rate: fc.option(fc.constantFrom(1, 30, 3600)),
  expires_h: fc.option(fc.integer({ min: 1, max: 200 })),
});

export const history = (longest: number, rules_freq = 3): fc.Arbitrary<History> =>
  fc.constantFrom(...START_DATES).chain((start) =>
    fc.record({
      campaign: campaign(start),
      per_person: fc.option(perPerson),
      rules: fc.option(organizationRules(dates(start)), { freq: rules_freq }),
      given_away: fc.constant<string[]>([]),
      zone: fc.constantFrom(...ZONES),
      from: fc.integer({ min: 0, max: 86_400 }).map((s) => new Date(Date.parse(start) + s * 1000)),
      batches: fc.array(batch, { minLength: 1, maxLength: 2 }),
      happenings: fc.array(happening, { minLength: 10, maxLength: longest, size: "max" }),
    }),
  );

const somebody = fc.constantFrom("a", "b", "c", "d", "e", "f", "g");

/** So that steps come about often: hours and batches are mostly open, and what is claimed is told of. */
const round: fc.Arbitrary<Happening[]> = fc
  .record({
    fates: fc.constantFrom<Fate[]>(["taken"], ["taken"], ["taken"], ["lost"], ["not-sent"], ["dies-after"]),
    status: fc.constantFrom<ChannelStatus>(
      ...(["NO-ANSWER", "NO-ANSWER", "BUSY", "DELIVERED", "DELIVERED", "SENT", "UNDELIVERED"] as const),
      ...(["COMPLETED", "HUMAN", "MACHINE", "OPENED", "UNSUBSCRIBED", "NO_OUTCOME", "QUEUED"] as const),
    ),
    back: fc.constantFrom(0, 0, 0, 0, 1),
    ms: fc.constantFrom(1_000, 1_000, 60_000, 600_000, 3_600_000, 86_400_000),
    other: fc.option(
      fc.oneof(
        { weight: 6, arbitrary: happening },
        // Else too few people answer or opt out between steps for the promises about them to be tried.
        {
          weight: 2,
          arbitrary: fc.record({
            kind: fc.constantFrom("answers" as const, "opt-out" as const),
            person: somebody,
          }),
        },
      ),
      { freq: 4, nil: undefined },
    ),
  })
  .map(({ fates, status, back, ms, other }) => [
    { kind: "tick", process: 0, fates },
    { kind: "told", back, status, is_transient: null, times: 1 },
    ...(other === undefined || "batch" in other ? [] : [other]),
    { kind: "pass", ms },
  ]);

export const cadenceHistory = (rounds: number): fc.Arbitrary<History> =>
  fc
    .record({
      told: history(10),
      cadence,
      hourly_rate: fc.constantFrom(600, 3600),
      rounds: fc.array(round, { minLength: 6, maxLength: rounds, size: "max" }),
    })
    .map(({ told, cadence, hourly_rate, rounds }) => ({
      ...told,
      campaign: {
        ...told.campaign,
        cadence,
        hourly_rate,
        retry_rules: null,
        retry_count: told.campaign.retry_count % 2,
        daily_start_time: null,
        daily_end_time: null,
        max_daily_calls: null,
        outreach_override_rules: null,
        active_days: [...WEEKDAYS],
      },
      batches: told.batches.map((batch) => ({ ...batch, call_rate: null, expires_h: null })),
      happenings: rounds.flat(),
    }));

/** Calls alone, mostly open, with a try again: whatever a dialer forgets later than at the first call comes up. */
export const busyHistory = (rounds: number): fc.Arbitrary<History> =>
  cadenceHistory(rounds).map((told) => ({
    ...told,
    campaign: { ...told.campaign, cadence: [], retry_count: 2, retry_interval: "1s" },
    happenings: told.happenings.map((one) =>
      one.kind === "told" && !CALL_WORDS.includes(one.status)
        ? { ...one, status: "NO-ANSWER" as const }
        : one,
    ),
  }));

const mails = fc.constantFrom("a", "b", "d", "e").map((person) => mailOf(person) as string);
const address = fc.oneof({ weight: 3, arbitrary: somebody }, { weight: 1, arbitrary: mails });
const ofContacts: fc.Arbitrary<Happening> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc
      .record({ kind: fc.constant("link" as const), address, other: address })
      .filter(({ address, other }) => address !== other),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("unlink" as const), address }) },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant("keyed" as const),
      incoming: fc.array(fc.record({ key: fc.constantFrom("k", "l"), address: somebody }), {
        minLength: 1,
        maxLength: 3,
      }),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant("zone" as const),
      address,
      timezone: fc.constantFrom("Asia/Kathmandu", "America/Los_Angeles", "UTC"),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant("suppress" as const),
      address,
      scope: fc.constantFrom("all" as const, "voice" as const, "sms" as const, "email" as const),
      how: fc.constantFrom("said" as const, "noted" as const, "bounced" as const),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("erase" as const), address }) },
);

/** People with several addresses: most are linked early, and bounds on what one person may be reached hold more often. */
export const contactHistory = (rounds: number): fc.Arbitrary<History> =>
  fc
    .record({
      told: history(10, 6),
      cadence: fc.oneof(fc.constant<CadenceStep[]>([]), cadence),
      hourly_rate: fc.constantFrom(60, 600, 3600),
      first: fc.array(ofContacts, { maxLength: 3 }),
      rounds: fc.array(fc.record({ round, other: fc.option(ofContacts, { freq: 2, nil: null }) }), {
        minLength: 6,
        maxLength: rounds,
        size: "max",
      }),
    })
    .map(({ told, cadence, hourly_rate, first, rounds }) => ({
      ...told,
      campaign: {
        ...told.campaign,
        cadence,
        hourly_rate,
        daily_start_time: null,
        daily_end_time: null,
        max_daily_calls: null,
        outreach_override_rules: null,
        active_days: [...WEEKDAYS],
      },
      batches: told.batches.map((batch) => ({ ...batch, call_rate: null, expires_h: null })),
      happenings: [
        ...first,
        ...rounds.flatMap(({ round, other }) => (other === null ? round : [other, ...round])),
      ],
    }));

const ofOwners: fc.Arbitrary<Happening> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant("look-ahead" as const),
      answers: fc.array(
        fc.constantFrom<LookUp>("truth", "truth", "truth", "truth", "unknown", "unreachable"),
        { minLength: 1, maxLength: 3 },
      ),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constantFrom("given-away" as const, "agrees" as const),
      person: somebody,
    }),
  },
);

/** Campaigns that ask whose a number is, with and without steps; some numbers were given to somebody else. */
export const ownersHistory = (rounds: number): fc.Arbitrary<History> =>
  fc
    .record({
      told: fc.oneof(history(10), cadenceHistory(rounds)),
      given_away: fc.subarray(["a", "b", "c", "d", "e", "f"], { maxLength: 3 }),
      others: fc.array(ofOwners, { minLength: rounds, maxLength: 2 * rounds, size: "max" }),
    })
    .map(({ told, given_away, others }) => ({
      ...told,
      given_away,
      campaign: { ...told.campaign, check_reassigned: true },
      // Each with a look that what it changed may come up in.
      happenings: told.happenings
        .flatMap((happening, at) => [happening, ...others.slice(at, at + 1)])
        .concat(others.slice(told.happenings.length).flatMap((other) => [other, TICK])),
    }));

const TICK: Happening = { kind: "tick", process: 0, fates: ["taken"] };
