import { normaliseEmail, normalisePhone, regionOf } from "../../channels/address.ts";
import type { ChannelStatus } from "../../channels/channel-status.ts";
import { own } from "../../expressions/member.ts";
import type { Mode } from "../attempt.ts";

/**
 * A step after the campaign's own first one. Steps are numbered from 0, which is the campaign's own: its mode, its source and
 * its retries. Each later step is tried once.
 */
export type CadenceStep = {
  mode: Mode;
  /** Our number or address that it is sent from, of whichever agent has it. */
  source: string;
  /** The request's column with the person's address; null: the request's target, else the column of the usual name. */
  address: string | null;
  /** From the outcome of the step before it, such as 10m or 1d. */
  wait: string;
  /** Outcomes of the step before it after which it comes; null: all that reached nobody. */
  after: CadenceOutcome[] | null;
};

/** More would be a nuisance to their person rather than a service. */
export const MOST_STEPS = 5;

/** VOICEMAIL_LEFT: a machine answered, and the agent's message is on it. */
export type CadenceOutcome = ChannelStatus | "VOICEMAIL_LEFT";

/** Outcomes of a step that lead to the next one unless it names its own: nobody was talked to, and nothing was answered. */
const USUAL: Record<Mode, readonly CadenceOutcome[]> = {
  voice: [
    "NO-ANSWER",
    "BUSY",
    "DECLINED",
    "MACHINE",
    "FAILED",
    "UNDELIVERED",
    "UNEXPECTED_ERROR",
    "SIP_TEMPORARILY_UNAVAILABLE",
    "SIP_NOT_FOUND",
    "SIP_DOES_NOT_EXIST_ANYWHERE",
    "SIP_LOOP_DETECTED",
  ],
  sms: ["DELIVERED", "DELIVERY_UNKNOWN", "UNDELIVERED", "DELIVERY_FAILED", "FAILED", "UNEXPECTED_ERROR"],
  email: ["DELIVERED", "OPENED", "DELIVERY_UNKNOWN", "BOUNCED", "DROPPED", "FAILED", "UNEXPECTED_ERROR"],
};

/** Those that a step may name besides: the person may have been reached, or were left something. */
const BY_NAME: Record<Mode, readonly CadenceOutcome[]> = {
  voice: ["VOICEMAIL_LEFT", "NO_OUTCOME"],
  sms: ["NO_OUTCOME"],
  email: ["NO_OUTCOME", "PRIOR_BOUNCED", "PRIOR_DROPPED"],
};

/** All that a step may come after, by the mode of the step before it. Everything else ends a cadence. */
export const LEADS_ON: Record<Mode, readonly CadenceOutcome[]> = {
  voice: [...USUAL.voice, ...BY_NAME.voice],
  sms: [...USUAL.sms, ...BY_NAME.sms],
  email: [...USUAL.email, ...BY_NAME.email],
};

/** Whether a step that names no outcomes of its own comes after this one. */
export const usuallyLeadsOn = (mode: Mode, outcome: CadenceOutcome): boolean => USUAL[mode].includes(outcome);

/** The person answered, opted out or was reached in a way that no step may follow. */
export const isSuccess = (mode: Mode, outcome: CadenceOutcome): boolean => !LEADS_ON[mode].includes(outcome);

/** What a request says of its person, for steps on other channels. */
export type CadencePerson = { target: string; variables: Record<string, string> };

/** The column that holds an address of this kind where a step names none. */
const usualColumn = (mode: Mode): string => (mode === "email" ? "email" : "phone");

type StepAddress = { kind: "address"; address: string } | { kind: "none"; text: string };

const isMail = (address: string): boolean => address.includes("@");

/** Where a step reaches its person, normalised; or why it can't. */
export function stepAddress(step: CadenceStep, { target, variables }: CadencePerson): StepAddress {
  const { mode, source, address } = step;
  if (address === null && isMail(target) === (mode === "email")) return { kind: "address", address: target };
  const column = address ?? usualColumn(mode);
  const cell = own(variables, column) ?? own(variables, `vars.${column}`);
  const text = String(cell ?? "").trim();
  if (text === "") return { kind: "none", text: `the request has no column "${column}", or it is empty` };
  const found = mode === "email" ? normaliseEmail(text) : normalisePhone(text, regionOf(source));
  if (found !== null) return { kind: "address", address: found };
  const what = mode === "email" ? "e-mail address" : "telephone number";
  return { kind: "none", text: `the column "${column}" holds no ${what}` };
}

/** All addresses at which a request may reach its person: what they say at one of them is heard for all. */
export const addressesOf = (steps: readonly CadenceStep[], person: CadencePerson): string[] => [
  ...new Set([
    person.target,
    ...steps.flatMap((step) => {
      const found = stepAddress(step, person);
      return found.kind === "address" ? [found.address] : [];
    }),
  ]),
];
