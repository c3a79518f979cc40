import { z } from "zod";
import { type Agreement, kappaInterval } from "./kappa.ts";

/** Whether a judge may hold back a version: only one that agrees with people. Pure. */

const LEAST_LABELS = 50;

export const JudgeCalibration = z
  .object({
    labelled: z.int().describe("Sessions that people called yes or no."),
    unclear: z.int().describe("Sessions that a person could not decide; they count nowhere."),
    answered: z.int().describe("Of the labelled: what the judge, as it is now, has answered too."),
    waiting: z.int().describe("Not answered yet, or by an earlier form of the judge."),
    failed: z.int().describe("The judge gave no answer."),
    model: z.string().nullable().describe("Whose answers are counted; null: the tool asks no model."),
    both_yes: z.int(),
    person_yes: z.int().describe("The person says yes, the judge no."),
    judge_yes: z.int().describe("The judge says yes, the person no."),
    both_no: z.int(),
    kappa: z.number().nullable().describe("Cohen's kappa; null: not defined."),
    low: z.number().nullable().describe("Lower end of kappa's 95 % interval."),
    high: z.number().nullable(),
    gates: z.boolean().describe("false: in tests the judge informs and fails nothing."),
    says: z.string(),
  })
  .meta({ id: "JudgeCalibration" });
export type JudgeCalibration = z.infer<typeof JudgeCalibration>;

export type LabelledSession = {
  label: "yes" | "no" | "unclear";
  asked_as: string | null;
  answer: "yes" | "no" | null;
  model: string | null;
  answered_at: string | null;
};

/** `form`: the judge as it is now. Answers of an earlier form, or of another model than the last one, say nothing of it. */
export function calibrationOf(
  labels: readonly LabelledSession[],
  { form, seed, least_kappa }: { form: string; seed: number; least_kappa: number },
): JudgeCalibration {
  const decided = labels.filter(({ label }) => label !== "unclear");
  const current = decided.filter(({ asked_as }) => asked_as === form);
  const answers = current.filter(({ answer }) => answer !== null);
  const last = answers.toSorted((a, b) => (a.answered_at ?? "").localeCompare(b.answered_at ?? "")).at(-1);
  const model = last?.model ?? null;
  const counted = answers.filter((answer) => answer.model === model);
  const count = (label: "yes" | "no", answer: "yes" | "no") =>
    counted.filter((row) => row.label === label && row.answer === answer).length;
  const agreement: Agreement = {
    both_yes: count("yes", "yes"),
    person_yes: count("yes", "no"),
    judge_yes: count("no", "yes"),
    both_no: count("no", "no"),
  };
  const interval = kappaInterval(agreement, seed);
  const kappa = interval?.kappa ?? null;
  const gates = counted.length >= LEAST_LABELS && kappa !== null && kappa >= least_kappa;
  return {
    labelled: decided.length,
    unclear: labels.length - decided.length,
    answered: counted.length,
    failed: current.filter(({ answer, answered_at }) => answer === null && answered_at !== null).length,
    waiting:
      decided.length -
      counted.length -
      current.filter(({ answer, answered_at }) => answer === null && answered_at !== null).length,
    model,
    ...agreement,
    kappa,
    low: interval?.low ?? null,
    high: interval?.high ?? null,
    gates,
    says: saying(counted.length, kappa, least_kappa),
  };
}

function saying(answered: number, kappa: number | null, least: number): string {
  if (answered < LEAST_LABELS)
    return `It informs only: ${answered} of at least ${LEAST_LABELS} labelled sessions are answered.`;
  if (kappa === null)
    return "It informs only: every label and every answer is the same, so agreement can't be told from chance. Label sessions of the other kind too.";
  const agrees = `it agrees with people at κ = ${shown(kappa)}`;
  return kappa >= least
    ? `It counts: ${agrees}, and ${shown(least)} is asked for.`
    : `It informs only: ${agrees}; ${shown(least)} is asked for.`;
}

/** Down to the hundredth: agreement is never told as more than it is. */
const shown = (kappa: number): string => (Math.floor(Number((kappa * 100).toFixed(6))) / 100).toFixed(2);
