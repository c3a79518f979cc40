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

/** All conditions but the sample. `matching.ts` says the same in SQL, and a test holds the two together. */
export function meets(conditions: Conditions, subject: Subject): boolean {
  const { min_duration, max_duration, agent_list, prompt_list, folder_list } = conditions;
  const { duration_s, folder_id } = subject;
  if (min_duration !== null && !(duration_s !== null && duration_s >= min_duration)) return false;
  if (max_duration !== null && !(duration_s !== null && duration_s <= max_duration)) return false;
  if (folder_id !== null && !folder_list?.includes(folder_id)) return false;
  return names(agent_list, subject.agents) && names(prompt_list, subject.prompts);
}

function names(list: (number | string)[] | null, spellings: string[]): boolean {
  if (list === null || list.length === 0) return true;
  return list.some((entry) => spellings.includes(String(entry)));
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
 * Whether the sample takes this one. The draw is a hash, so that it falls the same on every machine and at every try, and a
 * higher rate keeps all that a lower one took.
 */
export function inSample(workflow_id: number, subject_id: number, sample_rate: number | null): boolean {
  if (sample_rate === null) return true;
  return drawOf(workflow_id, subject_id) < sampledPlaces(sample_rate);
}

/** 32 bits of the hash; 2^32 is no multiple of the places, which favours some of them by 0.02 %. */
const drawOf = (workflow_id: number, subject_id: number): number =>
  Number.parseInt(sha256(`${workflow_id}:${subject_id}`).slice(0, 8), 16) % SAMPLE_PLACES;

export const sampledPlaces = (sample_rate: number): number => Math.round((sample_rate / 100) * SAMPLE_PLACES);
