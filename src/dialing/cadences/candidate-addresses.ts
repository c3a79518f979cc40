import type { Persons } from "../../address-book/persons.ts";
import { addressesOf } from "../../planning/cadences/cadence.ts";
import { type Candidate, personOf } from "../candidates.ts";
import type { DueBatch } from "../due-batches.ts";

type Of = Pick<Candidate, "target" | "request_target" | "request_variables">;

/** All that a request's steps may reach: an attempt to one of them is an attempt to the person. */
export const addressesOfCandidate = ({ cadence }: Pick<DueBatch, "cadence">, candidate: Of): string[] =>
  cadence === null || cadence.length === 0
    ? [candidate.target]
    : [...new Set([candidate.target, ...addressesOf(cadence, personOf(candidate))])];

/** The same, and the other addresses that a contact says are this person's. */
export const addressesOfPerson = (
  batch: Pick<DueBatch, "cadence" | "sub_organization_id">,
  candidate: Of,
  persons: Persons,
): string[] => persons.addressesOf(batch.sub_organization_id, addressesOfCandidate(batch, candidate));

export const contactTimezone = (
  batch: Pick<DueBatch, "cadence" | "sub_organization_id">,
  candidate: Of,
  persons: Persons,
): string | null => persons.timezoneOf(batch.sub_organization_id, addressesOfCandidate(batch, candidate));

/** What tells the person's zone: a number, where they have one. */
export const clockTarget = (batch: Pick<DueBatch, "cadence">, candidate: Of): string =>
  addressesOfCandidate(batch, candidate).find((address) => !address.includes("@")) ?? candidate.target;
