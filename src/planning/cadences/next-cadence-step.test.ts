import fc from "fast-check";
import { expect, test } from "vitest";
import { rounds } from "../../../test/harness/seed.ts";
import type { ChannelStatus } from "../../channels/channel-status.ts";
import type { Mode } from "../attempt.ts";
import { retryWait_s } from "../retry-interval.ts";
import {
  addressesOf,
  type CadenceOutcome,
  type CadenceStep,
  isSuccess,
  LEADS_ON,
  MOST_STEPS,
} from "./cadence.ts";
import { nextCadenceStep } from "./next-cadence-step.ts";

const at = new Date("2026-11-18T15:00:00Z");
const ann = { target: "+15125550100", variables: { email: "Ann@people.example" } };
const sms: CadenceStep = { mode: "sms", source: "+15125550199", address: null, wait: "10m", after: null };
const email: CadenceStep = { ...sms, mode: "email", source: "desk@clinic.example", wait: "1d" };
const after = (mode: Mode, outcome: CadenceOutcome) => ({ mode, outcome });

test("a call that nobody answered is followed by a text after ten minutes, and a text without an answer by a mail", () => {
  expect(nextCadenceStep([sms, email], 1, after("voice", "NO-ANSWER"), ann, at)).toEqual({
    next: { step: 1, mode: "sms", target: null, at: new Date("2026-11-18T15:10:00Z") },
    skipped: [],
  });
  expect(nextCadenceStep([sms, email], 2, after("sms", "DELIVERED"), ann, at)).toEqual({
    next: { step: 2, mode: "email", target: "ann@people.example", at: new Date("2026-11-19T15:00:00Z") },
    skipped: [],
  });
});

test("a step comes after the outcomes that it names alone; one that names none after all that reached nobody", () => {
  const busy: CadenceStep = { ...sms, after: ["BUSY", "VOICEMAIL_LEFT"] };
  const next = (steps: CadenceStep[], outcome: CadenceOutcome) =>
    nextCadenceStep(steps, 1, after("voice", outcome), ann, at).next?.step ?? null;
  expect(next([busy], "BUSY")).toBe(1);
  expect(next([busy], "NO-ANSWER")).toBeNull();
  expect(next([busy, email], "NO-ANSWER")).toBe(2);
  expect(next([busy], "VOICEMAIL_LEFT")).toBe(1);
  expect(next([sms], "VOICEMAIL_LEFT")).toBeNull();
  expect(next([sms], "NO_OUTCOME")).toBeNull();
  expect(next([sms], "DECLINED")).toBe(1);
});

test.each([
  [{}, 'the request has no column "email", or it is empty'],
  [{ email: " " }, 'the request has no column "email", or it is empty'],
  [{ email: "no mail" }, 'the column "email" holds no e-mail address'],
])("a step without an address for its channel is skipped with the reason: %j", (variables, text) => {
  const steps = [email, sms];
  const nobody = { target: ann.target, variables };
  expect(nextCadenceStep(steps, 1, after("voice", "BUSY"), nobody, at)).toEqual({
    next: { step: 2, mode: "sms", target: null, at: new Date("2026-11-18T15:10:00Z") },
    skipped: [{ step: 1, text }],
  });
  expect(nextCadenceStep([email], 1, after("voice", "BUSY"), nobody, at).next).toBeNull();
});

test("the step behind one that was skipped comes whatever the outcome was, whenever the skip was found", () => {
  const nowhere = { ...sms, address: "nothing" };
  const outcomes = fc.constantFrom<ChannelStatus[]>("BUSY", "NO-ANSWER", "DECLINED", "FAILED");
  fc.assert(
    fc.property(outcomes, outcomes, (met, named) => {
      const steps = [nowhere, { ...sms, after: [named] }];
      expect(nextCadenceStep(steps, 1, after("voice", met), ann, at).next?.step).toBe(2);
      expect(nextCadenceStep(steps, 2, null, ann, at).next?.step).toBe(2);
    }),
    { numRuns: rounds(50) },
  );
});

test("a step's column may have a name that all objects know", () => {
  const step = { ...sms, address: "constructor" };
  expect(nextCadenceStep([step], 1, after("voice", "BUSY"), ann, at).skipped).toEqual([
    { step: 1, text: 'the request has no column "constructor", or it is empty' },
  ]);
});

test("a step's own column is read before any other, as the country of its source writes numbers", () => {
  const person = { target: "+15125550100", variables: { mobile: "(512) 555-0177" } };
  const step = { ...sms, address: "mobile" };
  expect(nextCadenceStep([step], 1, after("voice", "BUSY"), person, at).next?.target).toBe("+15125550177");
  expect(addressesOf([step, email], person)).toEqual(["+15125550100", "+15125550177"]);
});

const mode = fc.constantFrom("voice" as const, "sms" as const, "email" as const);
const outcome = fc.constantFrom(
  ...new Set(Object.values(LEADS_ON).flat()),
  "COMPLETED",
  "CLICKED",
  "UNSUBSCRIBED",
);
const aStep: fc.Arbitrary<CadenceStep> = fc.record({
  mode,
  source: fc.constantFrom("+15125550199", "desk@clinic.example"),
  address: fc.constantFrom(null, "phone", "email", "nothing"),
  wait: fc.constantFrom("1s", "10m", "1d"),
  after: fc.option(fc.uniqueArray(outcome as fc.Arbitrary<CadenceOutcome>, { minLength: 1, maxLength: 8 })),
});

test("for all cadences and outcomes: steps only go up, each after its wait and by its outcomes, and nothing follows a success", () => {
  const given = fc.record({
    steps: fc.array(aStep, { maxLength: MOST_STEPS }),
    outcomes: fc.array(outcome as fc.Arbitrary<CadenceOutcome>, { minLength: 20, maxLength: 20 }),
    own: mode,
    variables: fc.record(
      { email: fc.constant("ann@people.example"), phone: fc.constant("+15125550142") },
      { requiredKeys: [] },
    ),
    target: fc.constantFrom("+15125550100", "ann@home.example"),
  });
  fc.assert(
    fc.property(given, ({ steps, outcomes, own, variables, target }) => {
      const person = { target, variables: variables as Record<string, string> };
      let [step, last] = [0, own as Mode];
      const told: number[] = [];
      for (const each of outcomes) {
        const choice = nextCadenceStep(steps, step + 1, after(last, each), person, at);
        for (const { step: number, text } of choice.skipped) {
          expect(number).toBeGreaterThan(step);
          expect(text).not.toBe("");
        }
        told.push(...choice.skipped.map(({ step }) => step));
        if (isSuccess(last, each)) expect(choice).toEqual({ next: null, skipped: [] });
        const { next } = choice;
        if (next === null) break;
        const planned = steps[next.step - 1] as CadenceStep;
        expect(next.step).toBeGreaterThan(Math.max(step, ...choice.skipped.map(({ step }) => step)));
        expect(next.at.getTime()).toBe(at.getTime() + retryWait_s(planned.wait) * 1000);
        if (choice.skipped.length === 0 && planned.after !== null) expect(planned.after).toContain(each);
        expect(addressesOf(steps, person)).toContain(next.target ?? target);
        told.push(next.step);
        [step, last] = [next.step, next.mode];
      }
      expect(new Set(told).size, "a step twice").toBe(told.length);
    }),
    { numRuns: rounds(2_000) },
  );
});
