import { z } from "zod";
import type { Caller } from "../api/caller.ts";
import { queryInteger, recordId } from "../api/schema.ts";
import type { Api } from "../api/server.ts";
import { invalid } from "../base/errors.ts";
import type { Engine } from "../sessions/engine.ts";
import { refuseUnknownPlaces } from "./check-places.ts";
import { forkSession } from "./fork-session.ts";
import { DebugTurn, ForkContinuation, SessionFork, SessionForkRequest, shownFork } from "./fork-shape.ts";
import { type OriginTurn, originTurn, placesOf, placesOfSession, recordedAnswers } from "./origin-turn.ts";
import type { ReachedStop } from "./recorded-turn.ts";
import { findFork, runFork } from "./run-fork.ts";

const params = z.object({ session_id: recordId() });
const common = {
  tag: "sessions",
  permission: "sessions_debug",
  params,
} as const;

const NOT_STORED =
  "This turn can't be run again: it has no words of a person, or the state before it is not stored (any more).";

/** A session forked off before one of its turns, and that turn with breakpoints. */
export function addDebugger(api: Api, engine: Engine): void {
  const { db, clock, vault } = engine;
  const origin = async (caller: Caller, session_id: number, turn_index: number, loc: "body" | "query") => {
    const found = await originTurn(db, caller, session_id, turn_index);
    if (!found) throw invalid([loc, "turn_index"], NOT_STORED);
    return found;
  };
  const shown = async (caller: Caller, session_id: number) =>
    shownFork(await findFork(db, caller, session_id, clock.now()));

  api.get(
    "/api/v1/sessions/:session_id/debug_turn",
    {
      summary: "Get the start state and possible breakpoints of a turn",
      description: "Kept as long as what models and tools were sent.",
      ...common,
      opens: { resource: "transcripts", by: "session_id" },
      query: z.object({ turn_index: queryInteger({ min: 1 }) }),
      response: DebugTurn,
    },
    async ({ caller, params, query }) => {
      const { turn_index } = query;
      return shownTurn(await origin(caller, params.session_id, turn_index, "query"), turn_index);
    },
  );

  api.post(
    "/api/v1/sessions/:session_id/forks",
    {
      summary: "Debug a turn of a session in a fork, with breakpoints",
      description:
        "The fork has the history, variables, workflows and agent that the session had before the turn. The answer comes when the turn has stopped or ended.",
      ...common,
      body: SessionForkRequest,
      response: SessionFork,
    },
    async ({ caller, params, body }) => {
      const { turn_index, variables, network, breakpoints } = body;
      const from = await origin(caller, params.session_id, turn_index, "body");
      refuseUnknownPlaces(body, placesOf(from));
      const given = body.tool_results.map(({ tool, match = null, result = null, error = null }) => ({
        tool,
        match,
        result,
        error,
        delay_ms: 0,
      }));
      const recorded = network === "closed" ? await recordedAnswers(db, from, turn_index) : [];
      const earlier = from.snapshot.test?.mocks ?? [];
      const session_id = await db.transaction().execute(async (tx) => {
        const id = await forkSession(tx, { clock, vault }, caller, {
          origin: from,
          turn_index,
          text: body.text ?? from.text,
          variables,
          breakpoints,
          test: { network, mocks: [...given, ...recorded, ...earlier] },
        });
        await api.audit(tx, caller, {
          action: "fork",
          resource: "sessions",
          resource_id: params.session_id,
          after: { session_id: id, turn_index, network },
        });
        return id;
      });
      await runFork(engine, caller, session_id);
      return shown(caller, session_id);
    },
  );

  api.get(
    "/api/v1/sessions/:session_id/fork",
    {
      summary: "Get the progress of a fork's turn",
      ...common,
      opens: { resource: "transcripts", by: "session_id" },
      response: SessionFork,
    },
    ({ caller, params }) => shown(caller, params.session_id),
  );

  api.post(
    "/api/v1/sessions/:session_id/continue",
    {
      summary: "Continue the turn of a fork to its next stop or its end",
      ...common,
      body: ForkContinuation,
      response: SessionFork,
    },
    async ({ caller, params, body }) => {
      const { session_id } = params;
      const { answer, variables } = body;
      const going = {
        variables,
        ...(answer && { answer: { result: answer.result ?? null, error: answer.error ?? null } }),
        breakpoints: body.breakpoints ?? undefined,
      };
      await runFork(engine, caller, session_id, going, async (tx, { stop }) => {
        refuseMisplaced(body, stop);
        if (body.breakpoints) refuseUnknownPlaces(body, await placesOfSession(tx, caller, session_id));
        await api.audit(tx, caller, {
          action: "continue",
          resource: "sessions",
          resource_id: session_id,
          after: { at: stop?.at.kind ?? null, changed: Object.keys(variables), answered: answer != null },
        });
      });
      return shown(caller, session_id);
    },
  );
}

/** What is changed has to be there at the stop. */
function refuseMisplaced(
  { variables, answer }: z.infer<typeof ForkContinuation>,
  stop: ReachedStop | null,
): void {
  const own = Object.keys(variables).find((name) => /^(local|inputs|output)(\.|$)/.test(name));
  if (own !== undefined && stop?.at.kind === "tool")
    throw invalid(
      ["body", "variables", own],
      "Before a tool only variables of the conversation can be changed",
    );
  if (answer && stop?.at.kind !== "tool")
    throw invalid(["body", "answer"], "The turn does not stand before a tool");
}

function shownTurn(origin: OriginTurn, turn_index: number): z.infer<typeof DebugTurn> {
  const { session, state, text, clock } = origin;
  return {
    turn_index,
    agent_name: session.agent_name,
    text,
    clock,
    variables: state.variables,
    workflows: Object.entries(state.workflows?.tasks ?? {}).map(([workflow, { status, step, local }]) => ({
      workflow,
      status,
      step,
      local,
    })),
    ...placesOf(origin),
  };
}
