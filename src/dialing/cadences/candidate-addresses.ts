import { addressesOf } from "../../planning/cadences/cadence.ts";
import { type Candidate, personOf } from "../candidates.ts";
import type { DueBatch } from "../due-batches.ts";

type Of = Pick<Candidate, "target" | "request_target" | "request_variables">;

/** All that a request's steps may reach: an attempt to one of them is an attempt to the person. */
export const addressesOfCandidate = ({ cadence }: Pick<DueBatch, "cadence">, candidate: Of): string[] =>
  cadence === null || cadence.length === 0
    ? [candidate.target]
    : [...new Set([candidate.target, ...addressesOf(cadence, personOf(candidate))])];

/** What tells the person's zone: a number, where they have one. */
export const clockTarget = (batch: Pick<DueBatch, "cadence">, candidate: Of): string =>
  addressesOfCandidate(batch, candidate).find((address) => !address.includes("@")) ?? candidate.target;
