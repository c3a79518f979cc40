import { sql } from "kysely";
import type { Engine } from "../sessions/engine.ts";
import { snapshotOf } from "../sessions/session-snapshot.ts";
import { choosePhrases, type PhraseSources, phraseAt, phraseWait_ms } from "./choose-phrases.ts";
import { phraseSources } from "./phrase-sources.ts";
import type { TurnControl } from "./turn-control.ts";
import type { TurnEvent } from "./turn-event.ts";

/** The earliest phrase (`smart_turn_timeout_seconds`), so a faster turn costs nothing. */
const SOONEST_MS = 250;

/**
 * Fills the wait for a slow turn on text channels with the agent's bridge phrases, as `aside` events, until its answer
 * begins. Pass it each event of the turn, and stop it at the end of the turn. (Calls do this in their own machine.)
 */
export function fillWait(
  engine: Engine,
  session_id: number,
  control: TurnControl,
  emit: (event: TurnEvent) => void,
): { see(event: TurnEvent): void; stop(): void } {
  const began = engine.clock.now().getTime();
  const tools: string[] = [];
  let said = 0;
  let sources: (PhraseSources & { language: string }) | null = null;
  let cancel = engine.clock.wakeAt(new Date(began + SOONEST_MS), () => {
    loadSources(engine, session_id).then(
      (loaded) => {
        sources = loaded;
        waitForNext(began);
      },
      (error) => engine.log.warn({ err: error, session_id }, "bridge phrases could not be read"),
    );
  });
  let over = false;

  const chosen = () =>
    sources && choosePhrases(sources, { tool_name: tools.at(-1) ?? null, language: sources.language });

  function waitForNext(from_ms: number): void {
    const phrases = chosen();
    if (over || !phrases) return;
    cancel = engine.clock.wakeAt(new Date(from_ms + phraseWait_ms(phrases.base_ms, said)), () => {
      const now = engine.clock.now();
      const { messages, random } = chosen() ?? phrases;
      if (messages.length > 0) {
        const text = phraseAt(messages, random, session_id, said++);
        control.aside(text, now);
        emit({ type: "aside", text });
      }
      waitForNext(now.getTime());
    });
  }

  const stop = () => {
    over = true;
    cancel();
  };
  return {
    see(event) {
      if (event.type === "delta" || event.type === "message") stop();
      else if (event.type === "tool_call") tools.push(event.tool_name);
      else if (event.type === "tool_result") {
        const at = tools.indexOf(event.tool_name);
        if (at >= 0) tools.splice(at, 1);
      }
    },
    stop,
  };
}

async function loadSources(engine: Engine, session_id: number) {
  const session = await engine.db
    .selectFrom("sessions")
    .select(["sub_organization_id", "agent_id"])
    .select(
      sql<number | null>`(${snapshotOf("sessions")} -> 'agent' ->> 'bridge_phrases_id')::bigint`.as(
        "bridge_phrases_id",
      ),
    )
    .select(sql<string>`state ->> 'language'`.as("language"))
    .where("id", "=", session_id)
    .executeTakeFirstOrThrow();
  const { agent_id: id, bridge_phrases_id, language } = session;
  const sources = await phraseSources(engine.db, session.sub_organization_id, { id, bridge_phrases_id });
  return { ...sources, language };
}
