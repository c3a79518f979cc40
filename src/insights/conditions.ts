import { type RawBuilder, sql } from "kysely";
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

/** What a workflow asks: its conditions, and whom the names in their lists belong to. */
export type WorkflowConditions = {
  id: number;
  conditions: Conditions;
  agent_ids: number[];
  prompt_ids: number[];
};

/** The fields of a session or a recording that conditions read. */
export type Subject = {
  id: number;
  /** null: not known; then no bound is met. */
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

/** Where a kind of subject has in the database what conditions look at. */
export type SubjectColumns = {
  id: RawBuilder<unknown>;
  duration: RawBuilder<unknown>;
  /** Whether one of these spellings is its agent's, and its prompt's. */
  agent(spellings: string[]): RawBuilder<boolean>;
  prompt(spellings: string[]): RawBuilder<boolean>;
  folder: RawBuilder<unknown>;
};

/** One thing that conditions ask: of a subject that is at hand, and of the row of one. */
type Requirement = {
  of(subject: Subject): boolean;
  sql(columns: SubjectColumns): RawBuilder<boolean>;
};

/**
 * All that a workflow's conditions ask, each said here and nowhere else; a subject has to meet every one. Only a recording
 * is in a folder, and it has to be in one that is named.
 */
export function requirementsOf(
  { id: workflow_id, conditions, agent_ids, prompt_ids }: WorkflowConditions,
  kind: "session" | "recording",
): Requirement[] {
  const { min_duration, max_duration, sample_rate } = conditions;
  const agents = spellings(conditions.agent_list, agent_ids);
  const prompts = spellings(conditions.prompt_list, prompt_ids);
  const folders = conditions.folder_list ?? [];
  const places = sample_rate === null ? null : sampledPlaces(sample_rate);
  const asked: (Requirement | false)[] = [
    min_duration !== null && {
      of: ({ duration_s }) => duration_s !== null && duration_s >= min_duration,
      sql: ({ duration }) => sql`${duration} >= ${min_duration}`,
    },
    max_duration !== null && {
      of: ({ duration_s }) => duration_s !== null && duration_s <= max_duration,
      sql: ({ duration }) => sql`${duration} <= ${max_duration}`,
    },
    agents.length > 0 && {
      of: (subject) => subject.agents.some((spelling) => agents.includes(spelling)),
      sql: ({ agent }) => agent(agents),
    },
    prompts.length > 0 && {
      of: (subject) => subject.prompts.some((spelling) => prompts.includes(spelling)),
      sql: ({ prompt }) => prompt(prompts),
    },
    kind === "recording" && {
      of: ({ folder_id }) => folder_id !== null && folders.includes(folder_id),
      sql: ({ folder }) => sql`${folder} = any(${folders}::bigint[])`,
    },
    places !== null && {
      of: ({ id }) => drawOf(workflow_id, id) < places,
      sql: ({ id }) => sql`${drawIn(workflow_id, id)} < ${places}`,
    },
  ];
  return asked.filter((one) => one !== false);
}

/** A list and those it names by number; a list that is empty names nobody. */
const spellings = (list: number[] | string[] | null, ids: number[]): string[] =>
  list === null || list.length === 0 ? [] : [...list, ...ids].map(String);

/** Whether a workflow with these conditions takes the subject. */
export function meets(workflow: WorkflowConditions, subject: Subject): boolean {
  const kind = subject.folder_id === null ? "session" : "recording";
  return requirementsOf(workflow, kind).every((asked) => asked.of(subject));
}

/** Whether this time is within a workflow's start_datetime and end_datetime, both included. */
export function inSpan(
  { start_datetime, end_datetime }: { start_datetime: string | null; end_datetime: string | null },
  at: Date,
): boolean {
  if (start_datetime !== null && at.getTime() < Date.parse(start_datetime)) return false;
  return end_datetime === null || at.getTime() <= Date.parse(end_datetime);
}

/** The places of the draw: a rate of 0.0001 percent still takes one. */
const SAMPLE_PLACES = 1_000_000;

/**
 * The draw is a hash, so that it falls the same on every machine and at every try, and a higher rate keeps all that a lower
 * one took. 32 bits of it; 2^32 is no multiple of the places, which favours some of them by 0.02 %.
 */
const drawOf = (workflow_id: number, subject_id: number): number =>
  Number.parseInt(sha256(`${workflow_id}:${subject_id}`).slice(0, 8), 16) % SAMPLE_PLACES;

/** The same draw by PostgreSQL. */
function drawIn(workflow_id: number, subject_id: RawBuilder<unknown>): RawBuilder<number> {
  const text = sql`${`${workflow_id}:`} || ${subject_id}`;
  const digits = sql`left(encode(sha256(convert_to(${text}, 'UTF8')), 'hex'), 8)`;
  return sql`('x' || ${digits})::bit(32)::bigint % ${SAMPLE_PLACES}`;
}

const sampledPlaces = (sample_rate: number): number => Math.round((sample_rate / 100) * SAMPLE_PLACES);
