import type { Updateable } from "kysely";
import { z } from "zod";
import type { Snapshot } from "../agents/snapshot.ts";
import { publicText } from "../base/errors.ts";
import { type Db, json, type Tx } from "../db/database.ts";
import type { ReplayPairs } from "../db/types.ts";
import { mocksOf } from "../evaluations/play-case.ts";
import { personaPlayer } from "../evaluations/play-person.ts";
import { handle, type Job, type JobHandler } from "../jobs/define-job.ts";
import type { LlmEntry } from "../llm/catalogue.ts";
import type { Engine } from "../sessions/engine.ts";
import { endSession } from "../turns/end-session.ts";
import { measureLane, type ReplayMeasures } from "./lane-measures.ts";
import { type LaneName, laneSid } from "./lane-session.ts";
import { type PlayPersona, playLane } from "./play-lane.ts";
import { calledAsIn, loadRecording, type SessionRecording, toolNames } from "./recording.ts";
import { replayCost } from "./replay-cost.ts";
import { ReplayRequest } from "./replay-request.ts";

/*
 * One job for each recorded session of a replay.
 *
 *   pending row and job, committed with the replay → for each lane: its session, opened with its number in the row → what
 *   came of it in the row → replayed
 *
 * When a process dies in between, the job runs again: a lane whose result is stored stays, the session that was left is
 * ended, and its lane is played anew. Each write names the session that this process left in the row, so a process that
 * only stood still while another took over stores nothing.
 */

export const replayPair: Job<{ pair_id: number }> = {
  name: "replay-pair",
  payload: z.object({ pair_id: z.int() }),
  max_attempts: 3,
};

type Parts = { engine: Engine; catalogue: readonly LlmEntry[] };

export const replayJobs = (parts: Parts): JobHandler[] => [
  handle(replayPair, ({ pair_id }, { job }) =>
    runPair(parts, pair_id, job.attempts >= replayPair.max_attempts),
  ),
];

type DuePair = NonNullable<Awaited<ReturnType<typeof loadPair>>>;
const SESSION_COLUMNS = { baseline: "baseline_session_id", candidate: "candidate_session_id" } as const;

/** `isLast`: an error becomes the result, because the job is not tried again. */
async function runPair(parts: Parts, pair_id: number, isLast: boolean): Promise<void> {
  const { engine } = parts;
  const pair = await loadPair(engine.db, pair_id);
  if (!pair) return;
  const finish = () =>
    engine.db.transaction().execute((tx) => finishReplay(tx, engine.clock.now(), pair.replay_id));
  if (pair.status === "pending" && pair.replay_status === "running") {
    try {
      await settlePair(parts, pair);
    } catch (error) {
      // Cancelled, or another process has stored its result.
      if ((await loadPair(engine.db, pair_id))?.status !== "pending") return finish();
      if (!isLast) throw error;
      const why = publicText(error, engine.log, "a session could not be replayed");
      await settleAs(engine, pair, "error", [why]);
    }
  }
  await finish();
}

const loadPair = (db: Db, pair_id: number) =>
  db
    .selectFrom("replay_pairs as p")
    .innerJoin("replays as r", "r.id", "p.replay_id")
    .selectAll("p")
    .select([
      ...(["r.status as replay_status", "r.agent_id", "r.seed", "r.cost_cap_usd", "r.request"] as const),
      ...(["r.baseline_snapshot", "r.candidate_snapshot"] as const),
    ])
    .where("p.id", "=", pair_id)
    .executeTakeFirst();

async function settlePair({ engine, catalogue }: Parts, pair: DuePair): Promise<void> {
  const { db } = engine;
  const recording = pair.session_id === null ? null : await loadRecording(db, pair.session_id);
  if (recording === null) return settleAs(engine, pair, "skipped", [DELETED]);
  const { checks } = ReplayRequest.parse(pair.request);
  if (pair.observed === null) {
    const { session_id, snapshot } = recording;
    const nameOf = toolNames(snapshot, pair.candidate_snapshot as Snapshot);
    const observed = await measureLane(db, catalogue, { session_id, snapshot, checks, nameOf });
    await write(db, pair, { observed: json(observed) });
  }
  // Whichever comes first finds colder caches, so the lanes take turns.
  const lanes: LaneName[] = pair.position % 2 === 0 ? ["baseline", "candidate"] : ["candidate", "baseline"];
  for (const lane of lanes) {
    if (pair[lane] !== null) continue;
    await takeOver(engine, pair, lane);
    if (pair.cost_cap_usd !== null && (await replayCost(db, pair.replay_id)) >= pair.cost_cap_usd)
      return settleAs(engine, pair, "skipped", [SPENT]);
    pair[lane] = await settleLane({ engine, catalogue }, pair, lane, recording);
  }
  const failed_turns = lanes.reduce((sum, lane) => sum + (pair[lane] as ReplayMeasures).failed_turns, 0);
  if (failed_turns > 0)
    return settleAs(engine, pair, "error", [`The model gave no answer in ${failed_turns} turns.`]);
  await settleAs(engine, pair, "replayed", []);
}

const DELETED = "The recorded session was deleted.";
const SPENT = "Not replayed: the replay has reached its cost cap.";

/** Plays a lane and stores what came of it. */
async function settleLane(
  { engine, catalogue }: Parts,
  pair: DuePair,
  lane: LaneName,
  recording: SessionRecording,
): Promise<ReplayMeasures> {
  const { id, position, agent_id, sub_organization_id } = pair;
  const request = ReplayRequest.parse(pair.request);
  const { checks, mocks } = request;
  const seed = (pair.seed * 1_000_003 + position) % 2_147_483_647;
  const candidate = pair.candidate_snapshot as Snapshot;
  const baseline = (pair.baseline_snapshot as Snapshot | null) ?? recording.snapshot;
  const snapshot = lane === "candidate" ? candidate : baseline;
  const inLane = toolNames(candidate, snapshot);
  const column = SESSION_COLUMNS[lane];
  const played = await playLane(engine, {
    sub_organization_id,
    agent_id,
    snapshot,
    recording: calledAsIn(recording, snapshot),
    mocks: mocksOf(mocks).map((mock) => ({ ...mock, tool: inLane(mock.tool) })),
    persona: await personaOf(request, recording, { engine, catalogue, sub_organization_id, seed }),
    seed,
    sid: laneSid(id, lane),
    onOpen: async (tx, { session_id }) => {
      await write(tx, pair, { [column]: session_id });
      pair[column] = session_id;
    },
  });
  const measured = { ...played, snapshot, checks, nameOf: toolNames(snapshot, candidate) };
  const measures: ReplayMeasures = await measureLane(engine.db, catalogue, measured);
  await write(engine.db, pair, { [lane]: json(measures) });
  return measures;
}

/** Without a key for its model there is no persona: the recording alone answers, as the finding said. */
async function personaOf(
  { persona }: ReplayRequest,
  { turns }: SessionRecording,
  by: Parameters<typeof personaPlayer>[1],
): Promise<PlayPersona | null> {
  if (!persona) return null;
  const { scripted } = await by.engine.resolveModel(by.sub_organization_id, {
    ...persona.model,
    seed: by.seed,
  });
  if (scripted) return null;
  const said = turns.map(({ said: line }) => `- ${line}`).join("\n");
  const goal = `The same as in an earlier conversation, in which you said this and no more:\n${said}`;
  const played = { ...persona, goal, facts: {}, max_turns: MAX_PERSONA_TURNS };
  return (dialogue) => personaPlayer(played, by, dialogue);
}

const MAX_PERSONA_TURNS = 15;

/** Ends the session of the process that played this lane before. */
async function takeOver(engine: Engine, pair: DuePair, lane: LaneName): Promise<void> {
  const column = SESSION_COLUMNS[lane];
  const left = pair[column];
  if (left === null) return;
  await endSession(engine, left, "error");
  await write(engine.db, pair, { [column]: null });
  pair[column] = null;
}

async function settleAs(
  { db, clock }: Engine,
  pair: DuePair,
  status: "replayed" | "error" | "skipped",
  notes: string[],
): Promise<void> {
  await write(db, pair, { status, notes: json(notes), finished_at: clock.now().toISOString() });
}

/** Only while the pair waits, its recorded session is there, and the row names the sessions that this process left. */
async function write(db: Db | Tx, pair: DuePair, values: Updateable<ReplayPairs>): Promise<void> {
  const { numUpdatedRows } = await db
    .updateTable("replay_pairs")
    .set(values)
    .where("id", "=", pair.id)
    .where("status", "=", "pending")
    .where("session_id", "is not distinct from", pair.session_id)
    .where("baseline_session_id", "is not distinct from", pair.baseline_session_id)
    .where("candidate_session_id", "is not distinct from", pair.candidate_session_id)
    .executeTakeFirst();
  if (numUpdatedRows === 0n) throw new Error(`another process replays pair ${pair.id}`);
}

/** Whoever has stored a pair holds the replay first: of two last pairs, the later one sees both. */
async function finishReplay(tx: Tx, at: Date, replay_id: number): Promise<void> {
  await holdReplay(tx, replay_id);
  await tx
    .updateTable("replays")
    .set({ status: "finished", finished_at: at.toISOString() })
    .where("id", "=", replay_id)
    .where("status", "=", "running")
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom("replay_pairs")
            .select("id")
            .where("replay_id", "=", replay_id)
            .where("status", "=", "pending"),
        ),
      ),
    )
    .execute();
}

const holdReplay = (tx: Tx, replay_id: number) =>
  tx.selectFrom("replays").select("id").where("id", "=", replay_id).forNoKeyUpdate().execute();

const SET_ASIDE =
  "The program was stopped twice while it replayed this. Replay it again, or ask an operator.";

/** Of a job that was set aside: its replay goes to its end without it. Resolves with the sessions that were left. */
export async function giveUpPair(tx: Tx, payload: unknown, at: Date): Promise<number[]> {
  const { pair_id } = replayPair.payload.parse(payload);
  const pair = await tx
    .selectFrom("replay_pairs")
    .select("replay_id")
    .where("id", "=", pair_id)
    .executeTakeFirst();
  if (!pair) return [];
  await holdReplay(tx, pair.replay_id);
  const given_up = await tx
    .updateTable("replay_pairs")
    .set({ status: "error", notes: json([SET_ASIDE]), finished_at: at.toISOString() })
    .where("id", "=", pair_id)
    .where("status", "=", "pending")
    .returning(Object.values(SESSION_COLUMNS))
    .executeTakeFirst();
  await finishReplay(tx, at, pair.replay_id);
  return Object.values(given_up ?? {}).filter((id) => id !== null);
}

/** An operator lets a job that was set aside run again: its replay goes on, and ends with what comes of it. */
export async function replayPairAgain(tx: Tx, payload: unknown): Promise<void> {
  const { pair_id } = replayPair.payload.parse(payload);
  const { numUpdatedRows } = await tx
    .updateTable("replays")
    .set({ status: "running", finished_at: null })
    .where("status", "!=", "cancelled")
    .where(
      "id",
      "=",
      tx
        .selectFrom("replay_pairs")
        .select("replay_id")
        .where("id", "=", pair_id)
        .where("status", "=", "error"),
    )
    .executeTakeFirst();
  if (numUpdatedRows === 0n) return;
  await tx
    .updateTable("replay_pairs")
    .set({ status: "pending", notes: json([]), finished_at: null })
    .where("id", "=", pair_id)
    .execute();
}
