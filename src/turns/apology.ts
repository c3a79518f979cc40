import { renderTemplate } from "../expressions/template.ts";
import { languagePhrases } from "./choose-phrases.ts";
import { wordsOf } from "./language-words.ts";
import { phraseSources } from "./phrase-sources.ts";
import type { TurnRecord } from "./turn-record.ts";

/**
 * What the person hears where the model gave no answer: the apology of the agent's bridge phrases, in the session's
 * language, else the program's own in that language. Read when it is needed, which is seldom.
 */
export async function apologyFor(record: TurnRecord): Promise<string> {
  const { snapshot, state, sub_organization_id } = record.session;
  const { named } = await phraseSources(record.engine.db, sub_organization_id, snapshot.agent);
  const [written] = languagePhrases(named?.apology, state.language) ?? [];
  const text = written && renderTemplate(written, record.context().lookup).trim();
  return text || wordsOf(state.language).apology;
}
