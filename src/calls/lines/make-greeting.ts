import type { CallVoice } from "../../channels/call-socket.ts";
import { makeBeforehand } from "../../media/call-engines.ts";
import type { EngineWish, VoiceEngines } from "../../media/voice-engines.ts";
import type { Engine } from "../../sessions/engine.ts";
import { readForTurn } from "../../sessions/leased-session.ts";
import { sessionFacts } from "../../sessions/session-facts.ts";
import { dictionaryOf } from "../../speech/dictionary.ts";
import { spokenForm } from "../../speech/spoken-form.ts";
import { announcementParts, greetingParts } from "../../turns/greeting.ts";
import { speakersOf } from "../call-voice.ts";

/** Longer greetings are rare; the rest is made while the first parts are played. */
const MOST_PARTS = 4;

/** Of a call that was answered and whose line is about to open: makes the audio of its greeting. */
export async function makeGreeting(
  engine: Engine,
  engines: VoiceEngines,
  session_id: number,
  voice: CallVoice & { wish: EngineWish },
): Promise<void> {
  const session = await readForTurn(engine, session_id);
  if (!session) return;
  const { snapshot, state } = session;
  const parts = [
    ...announcementParts(state.announcements ?? [], snapshot, state.language),
    ...greetingParts(snapshot, state, sessionFacts(session), engine.clock.now()),
  ];
  const pronunciations = await dictionaryOf(engine.db, session.sub_organization_id);
  const how = { pronunciations, speakers: speakersOf(session) };
  const texts = parts.slice(0, MOST_PARTS).map((part) => {
    const language = part.language ?? state.language;
    return {
      text: spokenForm(part.text.trim(), how, language).text,
      language,
    };
  });
  await makeBeforehand(engines, voice, texts);
}
