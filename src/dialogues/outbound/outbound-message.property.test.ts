import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { rounds } from "../../../test/harness/seed.ts";
import {
  fateOf,
  MAILS,
  nextStep,
  OUTBOUND_STATES,
  type OutboundChange,
  type OutboundRules,
  type OutboundState,
  TEXTS,
  transition,
} from "./outbound-message.ts";

const CHANGES = [
  "asked",
  "taken",
  "not-taken",
  "refused",
  "given-up",
  "dropped",
  "unanswered",
  "told",
] as const satisfies readonly OutboundChange[];
/** As the statements that make a change: one of a message in another state changes nothing. */
const nextState = (state: OutboundState, change: OutboundChange): OutboundState => {
  const { from, to } = transition(change);
  return from.includes(state) ? to : state;
};
const stateAfter = (state: OutboundState, changes: readonly OutboundChange[]) =>
  changes.reduce(nextState, state);
const runs = { numRuns: rounds(500) };

describe("whatever happens, in any order and twice", () => {
  const someChanges = fc.array(fc.constantFrom(...CHANGES), { maxLength: 12 });

  test("what was sent stays sent", () => {
    fc.assert(
      fc.property(someChanges, (changes) => {
        expect(stateAfter("sent", changes)).toBe("sent");
      }),
      runs,
    );
  });

  test("what failed or is of unknown fate waits no more, and is never handed over again", () => {
    fc.assert(
      fc.property(fc.constantFrom("failed", "unknown"), someChanges, (state, changes) => {
        expect(["sent", "failed", "unknown"]).toContain(stateAfter(state, changes));
      }),
      runs,
    );
  });

  test("what may be at a carrier is handed over again only after the carrier said that it has it not", () => {
    fc.assert(
      fc.property(someChanges, (changes) => {
        const untilAsked = changes.filter((change) => change !== "not-taken");
        const states = untilAsked.map((_, n) => stateAfter("handing", untilAsked.slice(0, n + 1)));
        expect(states).not.toContain("queued");
      }),
      runs,
    );
  });

  test("a change that is told twice is as if it were told once", () => {
    for (const state of OUTBOUND_STATES)
      for (const change of CHANGES)
        expect(stateAfter(state, [change, change])).toBe(nextState(state, change));
  });

  test("reports end the same in every order, also among the words of whoever hands it over", () => {
    const told = fc.array(fc.constant<OutboundChange>("told"), { minLength: 1, maxLength: 4 });
    const word = fc.constantFrom<OutboundChange>("taken", "unanswered");
    const words = fc
      .tuple(word, told)
      .chain(([last, reports]) => fc.shuffledSubarray([last, ...reports], { minLength: reports.length + 1 }));
    fc.assert(
      fc.property(words, (known) => {
        expect(stateAfter("handing", known)).toBe("sent");
      }),
      runs,
    );
  });
});

/** One message, its carrier and its jobs, which may die at each step. */
type Happening =
  | { kind: "job"; carrier: "takes" | "not-sent" | "refused"; is_answered: boolean; has_died: boolean }
  | { kind: "time"; ms: number };

const aHappening: fc.Arbitrary<Happening> = fc.oneof(
  fc.record({
    kind: fc.constant("job" as const),
    carrier: fc.constantFrom("takes" as const, "not-sent" as const, "refused" as const),
    is_answered: fc.boolean(),
    has_died: fc.boolean(),
  }),
  fc.record({
    kind: fc.constant("time" as const),
    ms: fc.oneof(fc.nat(20_000), fc.nat(3 * 86_400_000)),
  }),
);

function play(happenings: readonly Happening[], rules: OutboundRules) {
  const start = Date.parse("2026-11-18T12:00:00Z");
  let now = start;
  let state: OutboundState = "queued";
  let asked_at: string | null = null;
  /** When the carrier took it, each time. */
  const taken: number[] = [];
  const move = (change: OutboundChange) => {
    state = nextState(state, change);
  };
  const job = (
    { carrier, is_answered, has_died }: Extract<Happening, { kind: "job" }>,
    is_absent = false,
  ) => {
    if (state !== "queued" && state !== "handing") return;
    const message = { state, asked_at, created_at: new Date(start).toISOString() } as const;
    const circumstances = { prior: null, carrier: "it", is_absent };
    const step = nextStep(message, circumstances, new Date(now), rules);
    if (step.kind === "wait") return;
    if (step.kind === "unanswered") return move("unanswered");
    if (step.kind === "given-up" || step.kind === "dropped") {
      if (is_absent) move("not-taken");
      return move(step.kind);
    }
    if (step.kind === "find") {
      // It shows what it took no sooner than it must.
      const isShown = taken.some((at) => now >= at + (rules.shown_after_ms ?? 0));
      if (isShown) return move("taken");
      return job({ kind: "job", carrier, is_answered, has_died }, true);
    }
    if (is_absent) move("not-taken");
    expect(state).toBe("queued");
    move("asked");
    asked_at = new Date(now).toISOString();
    if (carrier === "takes") taken.push(now);
    if (has_died) return;
    if (carrier === "takes" && is_answered) return move("taken");
    const fault = carrier === "takes" || !is_answered ? "unknown" : carrier;
    const fate = fateOf({ fate: fault, status: null, message: "" }, rules);
    if (fate.kind !== "to-be-asked") move(fate.kind);
  };
  for (const happening of happenings) {
    if (happening.kind === "time") now += happening.ms;
    else job(happening);
  }
  return { state, taken: taken.length };
}

describe.each([
  ["a text", TEXTS],
  ["a mail", MAILS],
] as const)("%s", (_, rules) => {
  const lives = fc.array(aHappening, { maxLength: 25 });

  test("is at its carrier at most once, wherever its jobs die and however late they come back", () => {
    let sent = 0;
    fc.assert(
      fc.property(lives, (happenings) => {
        const { state, taken } = play(happenings, rules);
        expect(taken).toBeLessThanOrEqual(1);
        if (state === "queued" || state === "failed") expect(taken).toBe(0);
        sent += taken;
      }),
      runs,
    );
    expect(sent).toBeGreaterThan(50);
  });

  test("ends, as soon as its jobs live and its carrier answers", () => {
    fc.assert(
      fc.property(lives, (happenings) => {
        const goesWell: Happening[] = [
          { kind: "time", ms: rules.shown_after_ms ?? 0 },
          { kind: "job", carrier: "takes", is_answered: true, has_died: false },
        ];
        expect(["sent", "failed", "unknown"]).toContain(play([...happenings, ...goesWell], rules).state);
      }),
      runs,
    );
  });
});

test("what a carrier that can be asked may have is asked for before it is sent again, at any age", () => {
  fc.assert(
    fc.property(fc.nat(10 * 86_400_000), fc.nat(10 * 86_400_000), (created_ms, asked_ms) => {
      const now = new Date("2026-11-18T12:00:00Z");
      const before = (ms: number) => new Date(now.getTime() - ms).toISOString();
      const message = {
        state: "handing",
        created_at: before(created_ms),
        asked_at: before(asked_ms),
      } as const;
      const circumstances = { prior: null, carrier: "it", is_absent: false };
      expect(nextStep(message, circumstances, now, TEXTS).kind).toBe("find");
      expect(nextStep(message, circumstances, now, MAILS).kind).toBe("unanswered");
    }),
  );
});

test("nobody is written to who must not be, and nothing is handed to no carrier", () => {
  const now = new Date("2026-11-18T12:00:00Z");
  const message = { state: "queued", created_at: now.toISOString(), asked_at: null } as const;
  for (const rules of [TEXTS, MAILS]) {
    const nobody = { prior: "PRIOR_UNSUBSCRIBED", carrier: "it", is_absent: false } as const;
    expect(nextStep(message, nobody, now, rules)).toMatchObject({ kind: "given-up", why: "suppressed" });
    const nothing = { prior: null, carrier: null, is_absent: false };
    expect(nextStep(message, nothing, now, rules)).toMatchObject({ kind: "given-up", why: "no-carrier" });
  }
});

test("waits between tries of a mail grow, never beyond what its server asks for, and end after two days", () => {
  fc.assert(
    fc.property(fc.nat(2 * 86_400_000 - 1), fc.nat(7_200), (age_ms, retry_after_s) => {
      const wait_ms = MAILS.wait_ms(age_ms, null) ?? 0;
      expect(wait_ms).toBeGreaterThanOrEqual(10_000);
      expect(wait_ms).toBeLessThanOrEqual(3_600_000);
      expect(MAILS.wait_ms(age_ms + 1, null) ?? wait_ms).toBeGreaterThanOrEqual(wait_ms);
      expect(MAILS.wait_ms(age_ms, retry_after_s)).toBe(Math.max(wait_ms, retry_after_s * 1000));
    }),
  );
  expect(MAILS.wait_ms(2 * 86_400_000, 60)).toBeNull();
});
