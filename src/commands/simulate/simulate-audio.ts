import { join } from "../../audio/level.ts";
import { Fault } from "../../base/errors.ts";
import { silentLog } from "../../base/log.ts";
import { DEMO_TARGET } from "../../demo/seed.ts";
import { startJobs } from "../../jobs/runner.ts";
import { createLocalEngines } from "../../media/local-engines.ts";
import { spokenText } from "../../simulator/caller-audio.ts";
import { isLoud, wordsHeard } from "../../simulator/caller-ear.ts";
import { PEOPLE } from "../../simulator/people.ts";
import { type Person, replyTo } from "../../simulator/person.ts";
import { createLocalHearing } from "../../speech/local/local-hearing.ts";
import { findSphinx, INSTALL_SPHINX, type SphinxFiles } from "../../speech/local/sphinx.ts";
import { type CallWords, SocketCaller } from "../call-socket.ts";
import { openDemoProgram } from "../demo-program.ts";
import { INTERRUPTED, readerGone, stopSignal } from "../stop-signal.ts";

const BEGINNING = "A simulated person calls the demo's agent by voice. Nobody is really called.";
const NO_ENGINES_HERE = `Simulated people need PocketSphinx to hear with. ${INSTALL_SPHINX}`;
/** Silence after which the agent's answer is over for the caller, and the longest wait for an answer. */
const QUIET_MS = 1_200;
const ANSWER_MS = 20_000;
const FRAME_MS = 20;
/** None is the agent's own. */
const VOICES = ["rms", "awb", "kal16"];

export type AudioTurn = {
  /** What the caller said, and what was recognized of it; null: the greeting, before they said anything. */
  person: { said: string; recognized: string } | null;
  /** What the agent wrote, and what the caller's ear made of the sound. */
  written: string;
  heard: string;
  /** From the caller's last sound to the agent's first; null: none came, or nobody had spoken. */
  latency_ms: number | null;
};

/**
 * Starts a platform of its own in a temporary folder and has a simulated person call the demo's agent by voice: they speak
 * with the offline voice, and answer what they hear with the offline recognizer. Resolves with the exit code.
 */
export async function simulateAudio({ json, seed }: { json: boolean; seed: number }): Promise<number> {
  const sphinx = findSphinx();
  if (!sphinx) throw new Fault("unavailable", NO_ENGINES_HERE);
  const interrupt = stopSignal();
  const stop = AbortSignal.any([interrupt, readerGone()]);
  const show = (turn: AudioTurn) => process.stdout.write(json ? `${JSON.stringify(turn)}\n` : readable(turn));
  let turns: AudioTurn[] = [];
  try {
    if (!json) process.stdout.write(`${BEGINNING}\n`);
    ({ turns } = await callDemo({ seed, sphinx }, stop, show));
  } catch (error) {
    if (!stop.aborted) throw error;
  }
  if (interrupt.aborted) return INTERRUPTED;
  return turns.some(({ person, written }) => person !== null && written !== "") ? 0 : 1;
}

/** The call, turn by turn, and the sound of both sides at 16 kHz. */
export async function callDemo(
  { seed, sphinx }: { seed: number; sphinx: SphinxFiles },
  stop: AbortSignal,
  show: (turn: AudioTurn) => void,
): Promise<{ turns: AudioTurn[]; person: Int16Array; agent: Int16Array }> {
  await using open = new AsyncDisposableStack();
  const engines = createLocalEngines({ sphinx });
  open.defer(() => engines.close());
  const { app, database, url } = await openDemoProgram(open, { stop, voiceEngines: engines });
  const jobs = await startJobs({ pool: database.pool, log: silentLog, handlers: app.jobs });
  open.defer(() => jobs.stop());
  // The caller's ear is a thread of its own: it must not wait for the agent's.
  const ear = createLocalHearing({ sphinx });
  open.defer(() => ear.close());

  const answer = await fetch(`${url}/chat/v1/calls`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ client_id: DEMO_TARGET, user_id: "simulated" }),
  });
  if (!answer.ok) throw new Fault("unavailable", `The call was refused: ${await answer.text()}`);
  const opened = (await answer.json()) as { call_id: string; token: string };
  const words: CallWords[] = [];
  const line = new SocketCaller(url, opened, (said) => {
    if (said.final) words.push(said);
  });
  open.defer(() => line.hangUp());
  await line.connected();
  const voice = VOICES[seed % VOICES.length] as string;
  const speak = async (text: string) => line.say(await spokenText(engines.speaking, text, { voice }));
  const turns = await talk({ line, words, who: PEOPLE["01"] as Person, speak, ear, stop }, show);
  return { turns, person: join(line.sent), agent: join(line.heard) };
}

type Talk = {
  line: SocketCaller;
  words: CallWords[];
  who: Person;
  speak(text: string): Promise<void>;
  ear: ReturnType<typeof createLocalHearing>;
  stop: AbortSignal;
};

/** To its end: the person leaves, or the call is over. What they answer depends on what they heard, not on what was written. */
async function talk({ line, words, who, speak, ear, stop }: Talk, show: (turn: AudioTurn) => void) {
  const turns: AudioTurn[] = [];
  let said: string | null = null;
  let leaves = false;
  while (!stop.aborted && !line.isOver) {
    const [from, told] = [line.sent.length, words.length];
    if (said !== null) await speak(said);
    const last = line.sent.findLastIndex((frame, at) => at >= from && isLoud(frame));
    const firstSound = () => line.heard.findIndex((frame, at) => at > Math.max(last, from) && isLoud(frame));
    await line.until(() => firstSound() >= 0 || stop.aborted, ANSWER_MS);
    await line.until(() => isQuiet(line) || stop.aborted, ANSWER_MS);
    const first = firstSound();
    const written = textOf(words.slice(told), "agent");
    // Everything the agent wrote in this call may be heard: the ear knows no English, and picks among these.
    const expected = words.filter(({ role }) => role === "agent").map(({ text }) => text);
    const heard = await wordsHeard(ear, join(line.heard.slice(from)), expected);
    const turn: AudioTurn = {
      person: said === null ? null : { said, recognized: textOf(words.slice(told), "user") },
      written,
      heard,
      latency_ms: said === null || first < 0 || last < 0 ? null : (first - last) * FRAME_MS,
    };
    turns.push(turn);
    show(turn);
    if (leaves) break;
    const reply = replyTo(who, heard, turns.length - 1);
    if (!reply) break;
    said = reply.say;
    leaves = reply.then_leaves;
  }
  return turns;
}

const isQuiet = ({ heard, isHearing }: SocketCaller): boolean =>
  !isHearing && !heard.slice(-QUIET_MS / FRAME_MS).some(isLoud);

const textOf = (words: CallWords[], role: CallWords["role"]): string =>
  words
    .filter((one) => one.role === role)
    .map(({ text }) => text)
    .join(" ");

function readable({ person, written, heard, latency_ms }: AudioTurn): string {
  const lines = [
    ...(person ? [`person  › ${person.said}`, `  heard › ${person.recognized}`] : []),
    `agent   › ${written}`,
    `  heard › ${heard}`,
    ...(latency_ms === null ? [] : [`          ${latency_ms} ms`]),
  ];
  return `\n${lines.join("\n")}\n`;
}
