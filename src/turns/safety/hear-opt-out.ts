import type { SafetyRules } from "../../accounts/safety-rules.ts";
import { errorText } from "../../base/errors.ts";
import {
  holdsFor,
  type JudgedOptOut,
  OPT_OUT_SCHEMA,
  optOutMessages,
  readOptOutAnswer,
} from "../../consent/judged-opt-out.ts";
import { mayOptOut } from "../../consent/opt-out-hint.ts";
import { stopReply } from "../../consent/opt-out-words.ts";
import { optOutsOf } from "../../consent/suppression.ts";
import type { TraceEntry } from "../../events/trace.ts";
import { askForJson } from "../../llm/json-answer.ts";
import { ModelError } from "../../llm/model.ts";
import { ownAddress } from "../../tool-calls/opt-out-tool.ts";
import { wordsOf } from "../language/language-words.ts";
import type { TurnDriver } from "../turn-driver.ts";

type Judge = NonNullable<SafetyRules["opt_out_judge"]>;

/** How long the person waits for the judgement before the agent answers without it. */
const VOICE_MS = 2_000;
const WRITTEN_MS = 5_000;

/**
 * What a message was taken for: `over` where it was an opt-out and nothing else, so that the agent has nothing to answer.
 */
type HeardOptOut = "none" | "confirmed" | "over";

/**
 * Asks the organization's judge, if it has one, whether the message asks not to be contacted any more, before the agent's
 * model reads it. An opt-out is stored with the confirmation, in one transaction, and confirmed once: who asked for it
 * before is answered by the agent. A judge that fails holds nothing up; the trace and an event say so.
 */
export async function hearOptOut(turn: TurnDriver, text: string): Promise<HeardOptOut> {
  const { session, engine } = turn;
  const judge = session.snapshot.safety?.opt_out_judge;
  if (!judge || turn.input.debug || !mayOptOut(text)) return "none";
  const address = ownAddress(session.source);
  if (address === null) return "none";
  const before = await optOutsOf(engine.db, session.sub_organization_id, address);
  const hasAsked = (wanted: string) => before.some(({ scope }) => scope === wanted);
  if (hasAsked("all")) return "none";
  const found = await judged(turn, judge, text);
  if (found === null || hasAsked(found.scope)) return "none";
  if (!holdsFor(found.scope, address)) {
    turn.note(`an opt-out of ${found.scope} was not stored: ${address} is not reached that way`);
    return "none";
  }
  const { scope, said, asks_more } = found;
  turn.change((draft) => {
    // Tests use made-up people, so nobody is added to the list.
    if (!session.snapshot.test) draft.optOut({ address, scope, said });
    if (!session.is_taken_over) draft.say(confirmation(turn, found));
  });
  // It holds from now on, whatever happens to the rest of the turn.
  await turn.store({ over: false });
  return asks_more ? "confirmed" : "over";
}

/** Null: the message is no opt-out, or the judge gave no answer. */
async function judged(turn: TurnDriver, judge: Judge, text: string): Promise<JudgedOptOut | null> {
  const { session, engine } = turn;
  const started = engine.clock.now();
  const began = performance.now();
  const tell = (label: string, details: Record<string, unknown>) => {
    const entry: TraceEntry = {
      category: "llm",
      label,
      started,
      duration_ms: Math.round((performance.now() - began) * 100) / 100,
      metadata: [judge.model, judge.provider],
      details,
    };
    turn.trace(entry);
  };
  const failed = (why: string, details: Record<string, unknown> = {}) => {
    tell("opt-out not judged", { ...details, error: why });
    turn.change((draft) =>
      draft.event({
        category: "suppression",
        type: "opt-out-not-judged",
        description: `Whether a message asks not to be contacted any more could not be judged: ${why}. The agent answered it.`,
      }),
    );
    return null;
  };
  const within = session.channel === "voice" ? VOICE_MS : WRITTEN_MS;
  try {
    const model = await engine.resolveModel(session.sub_organization_id, judge);
    const last = turn.history.findLast((entry) => entry.kind === "message" && entry.role === "agent");
    const { text: answer, usage } = await askForJson(model, {
      messages: optOutMessages(text, last?.kind === "message" ? last.text : null, session.channel),
      output_schema: OPT_OUT_SCHEMA,
      signal: AbortSignal.any([turn.signal, AbortSignal.timeout(within)]),
    });
    const { opt_out, why } = readOptOutAnswer(answer, text);
    if (why !== null) return failed(why, usage);
    tell("opt-out judged", { ...usage, is_opt_out: opt_out !== null, scope: opt_out?.scope ?? null });
    return opt_out;
  } catch (error) {
    turn.signal.throwIfAborted();
    if (!(error instanceof ModelError)) throw error;
    return failed(errorText(error));
  }
}

/** A text or a mail names the way back. */
function confirmation(turn: TurnDriver, { scope }: JudgedOptOut): string {
  const { channel, agent_name } = turn.session;
  const { language } = turn.memory;
  const words = wordsOf(language);
  if (scope !== "all") return words.opted_out_there;
  return channel === "voice" || channel === "chat" ? words.opted_out : stopReply(language, agent_name);
}
