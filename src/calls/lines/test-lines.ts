import type { Snapshot } from "../../agents/snapshot.ts";
import { errorText, Fault } from "../../base/errors.ts";
import type { OpenTestLine, TestLine } from "../../evaluations/test-line.ts";
import { AudioCall } from "../../simulator/audio-call.ts";
import { spokenText } from "../../simulator/caller-audio.ts";
import { createLocalHearing } from "../../speech/local/local-hearing.ts";
import { createLocalSpeaking } from "../../speech/local/local-speaking.ts";
import { findSphinx, INSTALL_SPHINX, type SphinxFiles } from "../../speech/local/sphinx.ts";
import { expectedTexts } from "../call-voice.ts";

/** The model of `./parley speech-model` understands the offline voice worse, so tests don't hear by it. */
const NO_EAR_OF_TESTS = `Tests with sound need PocketSphinx. ${INSTALL_SPHINX}, then restart Parley.`;
/** Of the offline voices, none is the agent's own. */
const VOICES = ["rms", "awb", "kal16"] as const;
/** Silence after what the person said, in which a sentence may still go on. */
const AFTER_MS = 1_500;
/** The longest wait for the end of the person's turn, and for the end of the agent's words. */
const HEARD_MS = 25_000;
const PLAYED_MS = 300_000;
/** An empty line of a test: the person says nothing. */
const SILENT_MS = 2_000;
/** Nothing of the agent sounds any more. */
const QUIET_MS = 200;

/**
 * Calls of tests by the engines of this machine, on a clock of their own (`AudioCall`): the same case sounds and is heard
 * the same on every machine, however busy it is. Each call has engines of its own, which end with it.
 */
export const testLines =
  (sphinx: SphinxFiles | null = findSphinx()): OpenTestLine =>
  async ({ snapshot, lines, seed }) => {
    if (sphinx === null) return { missing: `Not run. ${NO_EAR_OF_TESTS}` };
    const language = languageOf(snapshot);
    if (!/^en\b/i.test(language))
      return {
        missing: `Not run: the voice and the ear of this machine know English only, not ${language}.`,
      };
    return openLine(sphinx, [...expectedTexts(snapshot), ...lines], VOICES[seed % VOICES.length] as string);
  };

const languageOf = ({ language_group }: Snapshot): string =>
  language_group?.language_configs[0]?.language_code ?? "en-US";

function openLine(sphinx: SphinxFiles, expected: readonly string[], voice: string): TestLine {
  const hearing = createLocalHearing({ sphinx });
  const speaking = createLocalSpeaking({ threads: 1 });
  const call = new AudioCall({ hearing, speaking, expected, answer: () => null });
  const since = <Type extends (typeof call.inputs)[number]["type"]>(from: number, type: Type) =>
    call.inputs
      .slice(from)
      .filter((input): input is Extract<typeof input, { type: Type }> => input.type === type);

  return {
    async agentSays(texts) {
      const spoken = texts.filter((text) => text.trim() !== "");
      if (spoken.length === 0) return;
      const from = call.inputs.length;
      for (const text of spoken) call.say(text);
      const isPlayed = () => since(from, "played").length > 0 && call.isQuietFor(QUIET_MS);
      if (!(await told(call.until(isPlayed, PLAYED_MS))))
        throw new Fault("unavailable", "The agent's words were not played to their end.");
    },
    async personSays(text) {
      if (text.trim() === "") {
        await told(call.wait(SILENT_MS));
        return "";
      }
      const from = call.inputs.length;
      await told(call.play(await spokenText(speaking, text, { voice })));
      await told(call.wait(AFTER_MS));
      await told(call.until(() => since(from, "speech").at(-1)?.final === true, HEARD_MS));
      const finals = since(from, "speech").filter(({ final }) => final);
      return finals.map((speech) => speech.text).join(" ");
    },
    async close() {
      call.close();
      await Promise.all([hearing.close(), speaking.close()]);
    },
  };
}

/** What an engine says of its failure is for the author, too. */
async function told<T>(step: Promise<T>): Promise<T> {
  try {
    return await step;
  } catch (error) {
    throw new Fault("unavailable", errorText(error));
  }
}
