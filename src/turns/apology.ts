import { renderTemplate } from "../expressions/template.ts";
import { languagePhrases } from "./choose-phrases.ts";
import { wordsOf } from "./language/language-words.ts";
import { phraseSources } from "./phrase-sources.ts";
import type { TurnDriver } from "./turn-driver.ts";

/** Said in place of an answer when the model failed. */
export async function apologize(turn: TurnDriver, why: string): Promise<void> {
  const apology = await apologyFor(turn);
  const { id: session_id, sub_organization_id, snapshot } = turn.session;
  const { provider, model } = snapshot.prompt.llm_config;
  // Why is in the session's trace: a provider's words may repeat what was said.
  turn.engine.log.warn({ session_id, sub_organization_id, provider, model }, "a model gave no answer");
  turn.change((draft) => {
    draft.apologize(apology);
    draft.note(`the person heard an apology: ${why}`);
    draft.event({ category: "conversation", type: "llm-error", description: why });
  });
}

/**
 * The apology after a failure of the model: that of the agent's bridge phrases in the session's language, else the
 * program's own. Read only when needed, which is seldom.
 */
async function apologyFor(turn: TurnDriver): Promise<string> {
  const { snapshot, sub_organization_id } = turn.session;
  const { language } = turn.memory;
  const { named } = await phraseSources(turn.engine.db, sub_organization_id, snapshot.agent);
  const [written] = languagePhrases(named?.apology, language) ?? [];
  const text = written && renderTemplate(written, turn.context().lookup).trim();
  return text || wordsOf(language).apology;
}
