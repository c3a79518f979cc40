import type { LanguageModel, ModelRequest } from "../../llm/model.ts";
import { operatorNotes } from "../../sessions/operator-notes.ts";
import { buildMessages } from "../build-prompt.ts";
import { fitHistory, historyBudget, lastResults } from "../fit-history.ts";
import type { Offering } from "../offered-tools.ts";
import type { TurnDriver } from "../turn-driver.ts";
import type { Workflows } from "../workflow-turn.ts";
import { answererNotes } from "./answerer-notes.ts";

/** How the model is asked, and how that changed after a failure. */
export type AskedModel = {
  model: LanguageModel;
  /** A note to the model about its failed answer. */
  notes: string[];
  /** Tokens for the conversation, when the model accepted less than its catalogued window. */
  most_tokens: number;
  /** The estimated tokens of the last request. */
  asked_tokens?: number;
  /** Once in a turn, an answer that broke off is gone on with. */
  broke_off?: boolean;
  /** What was said before the answer broke off; only while the model is asked to go on from there. */
  said?: string;
  halved?: number;
};

/** What the model is asked, as of `at`; `trimmed`: what of the history was left out. */
export function modelRequest(
  turn: TurnDriver,
  workflows: Workflows,
  { model, notes, most_tokens }: AskedModel,
  { tools, choice }: Pick<Offering, "tools" | "choice">,
  at: Date,
) {
  const { snapshot } = turn.session;
  const { memory } = turn;
  const language = { code: memory.language, changed: memory.language !== turn.start_language };
  const told = [...answererNotes(memory, tools), ...operatorNotes(turn.session.notes), ...notes];
  const built = buildMessages(snapshot, turn.history, turn.context(at).lookup, language, told);
  const most = historyBudget(model.context_window, tools, most_tokens);
  const { messages, tokens, trimmed } = fitHistory(built, most, lastResults(built, workflows.openStepTools));
  const request: Omit<ModelRequest, "signal"> = {
    messages,
    tools,
    tool_choice: choice,
    temperature: snapshot.prompt.llm_config.temperature ?? null,
    seed: snapshot.prompt.llm_config.seed ?? null,
  };
  return { request, trimmed, tokens };
}
