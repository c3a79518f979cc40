import { sha256 } from "../base/crypto.ts";

/** Which sessions or recordings a workflow analyses. What is null, or an empty list, asks for nothing. */
export type Conditions = {
  /** Seconds, both ends included. */
  min_duration: number | null;
  max_duration: number | null;
  /** Percent, 0 to 100; 0.1 is one in a thousand. */
  sample_rate: number | null;
  /** Ids of our agents, or names: of our agents for sessions, of people for recordings. */
  agent_list: number[] | string[] | null;
  /** Names or ids. */
  prompt_list: string[] | null;
  /** Where recordings are taken from; a workflow over uploads that names no folder takes none. */
  folder_list: number[] | null;
  /** The sheet of a workflow over a spreadsheet. */
  sheet_info: Record<string, string> | null;
};

/** A session or a recording, as far as conditions look at it. */
export type Subject = {
  id: number;
  /** null when nobody measured it: then no bound is met. */
  duration_s: number | null;
  /** What an entry of agent_list may say for it. */
  agents: string[];
  prompts: string[];
  /** null for sessions. */
  folder_id: number | null;
};

export const NO_CONDITIONS: Conditions = {
  min_duration: null,
  max_duration: null,
  sample_rate: null,
  agent_list: null,
  prompt_list: null,
  folder_list: null,
  sheet_info: null,
};

/** One thing that conditions ask of a subject. */
export type Requirement =
  | { of: "duration"; is: "at-least" | "at-most"; seconds: number }
  | { of: "agent" | "prompt"; is: "one-of"; spellings: string[] }
  | { of: "folder"; is: "one-of"; ids: number[] }
  | { of: "sample"; is: "below"; places: number };

/**
 * What a workflow's conditions ask, each of them; a subject has to meet all. `meets` looks at a subject here, and
 * `matching.ts` asks the same of the database. Only a recording is in a folder, and it has to be in one that is named.
 */
export function requirementsOf(conditions: Conditions, kind: "session" | "recording"): Requirement[] {
  const { min_duration, max_duration, agent_list, prompt_list, folder_list, sample_rate } = conditions;
  const asked: Requirement[] = [];
  if (min_duration !== null) asked.push({ of: "duration", is: "at-least", seconds: min_duration });
  if (max_duration !== null) asked.push({ of: "duration", is: "at-most", seconds: max_duration });
  if (agent_list?.length) asked.push({ of: "agent", is: "one-of", spellings: agent_list.map(String) });
  if (prompt_list?.length) asked.push({ of: "prompt", is: "one-of", spellings: prompt_list });
  if (kind === "recording") asked.push({ of: "folder", is: "one-of", ids: folder_list ?? [] });
  if (sample_rate !== null) asked.push({ of: "sample", is: "below", places: sampledPlaces(sample_rate) });
  return asked;
}

/** Whether a workflow with these conditions takes the subject. */
export function meets(workflow: { id: number; conditions: Conditions }, subject: Subject): boolean {
  const kind = subject.folder_id === null ? "session" : "recording";
  return requirementsOf(workflow.conditions, kind).every((asked) => isMet(asked, workflow.id, subject));
}

function isMet(asked: Requirement, workflow_id: number, subject: Subject): boolean {
  const { id, duration_s, folder_id } = subject;
  switch (asked.of) {
    case "duration":
      if (duration_s === null) return false;
      return asked.is === "at-least" ? duration_s >= asked.seconds : duration_s <= asked.seconds;
    case "agent":
      return asked.spellings.some((spelling) => subject.agents.includes(spelling));
    case "prompt":
      return asked.spellings.some((spelling) => subject.prompts.includes(spelling));
    case "folder":
      return folder_id !== null && asked.ids.includes(folder_id);
    case "sample":
      return drawOf(workflow_id, id) < asked.places;
  }
}

/** Whether something of this moment is among what a workflow was told to look at; both ends included. */
export function inSpan(
  { start_datetime, end_datetime }: { start_datetime: string | null; end_datetime: string | null },
  at: Date,
): boolean {
  if (start_datetime !== null && at.getTime() < Date.parse(start_datetime)) return false;
  return end_datetime === null || at.getTime() <= Date.parse(end_datetime);
}

/** The places of the draw: a rate of 0.0001 percent still takes one. */
export const SAMPLE_PLACES = 1_000_000;

/**
 * The draw is a hash, so that it falls the same on every machine and at every try, and a higher rate keeps all that a lower
 * one took. 32 bits of it; 2^32 is no multiple of the places, which favours some of them by 0.02 %.
 */
const drawOf = (workflow_id: number, subject_id: number): number =>
  Number.parseInt(sha256(`${workflow_id}:${subject_id}`).slice(0, 8), 16) % SAMPLE_PLACES;

const sampledPlaces = (sample_rate: number): number => Math.round((sample_rate / 100) * SAMPLE_PLACES);
