// @ts-check
/** The page's microphone and loudspeaker for a call. What can't be had is told in a sentence (`NoAudio`). */
import { texts } from "./texts.js";

export class NoAudio extends Error {}

/** Named here, so that a bundler of somebody's page takes nothing in. */
const BESIDE = "call-worklet.js";
const SOUND_MS = 5_000;
const WANTED = { echoCancellation: true, noiseSuppression: true, autoGainControl: true, channelCount: 1 };

/**
 * @param {{ heard(frame: ArrayBuffer): void, marked(name: string): void, playing(on: boolean): void, lost(why: string): void,
 *   paused(on: boolean): void }} on
 * @param {string} worklet the address of `call-worklet.js`
 */
export async function openAudio(on, worklet = new URL(BESIDE, import.meta.url).href) {
  // Made while the click still counts: later the browser would keep it silent.
  const context = new AudioContext({ latencyHint: "interactive" });
  let stream;
  try {
    stream = await openMicrophone();
    await context.audioWorklet.addModule(worklet);
    await begin(context);
  } catch (error) {
    for (const track of stream?.getTracks() ?? []) track.stop();
    void context.close();
    throw error;
  }
  const track = /** @type {MediaStreamTrack} */ (stream.getAudioTracks()[0]);
  const microphone = new AudioWorkletNode(context, "microphone", { numberOfOutputs: 0 });
  const player = new AudioWorkletNode(context, "player", { numberOfInputs: 0, outputChannelCount: [1] });
  let closing = false;

  context.createMediaStreamSource(stream).connect(microphone);
  player.connect(context.destination);
  microphone.port.onmessage = ({ data }) => on.heard(data);
  player.port.onmessage = ({ data }) => {
    if ("mark" in data) on.marked(data.mark);
    else on.playing(data.playing);
  };
  track.onended = () => closing || on.lost(texts.mic_gone);
  const judge = () => closing || on.paused(track.muted || context.state !== "running");
  track.onmute = judge;
  track.onunmute = judge;
  context.onstatechange = judge;

  return {
    /** @param {ArrayBuffer | string} entry samples, a mark, or "clear" */
    play: (entry) => player.port.postMessage(entry),
    /** @param {boolean} muted */
    mute(muted) {
      track.enabled = !muted;
    },
    /** After the browser has paused the sound of a page in the background. */
    wake: () => void context.resume(),
    close() {
      closing = true;
      track.stop();
      void context.close();
    },
  };
}

/** Firefox waits for a loudspeaker that is not there without ever giving up. @param {AudioContext} context */
async function begin(context) {
  const late = new Promise((resolve) => setTimeout(resolve, SOUND_MS, "late"));
  if ((await Promise.race([context.resume(), late])) === "late") throw new NoAudio(texts.no_speaker);
}

async function openMicrophone() {
  if (!navigator.mediaDevices) {
    throw new NoAudio(
      "Browsers lend the microphone to https pages only. Open this page by its https address.",
    );
  }
  try {
    return await navigator.mediaDevices.getUserMedia({ audio: WANTED });
  } catch (error) {
    throw new NoAudio(REASONS[/** @type {Error} */ (error).name] ?? texts.mic_failed);
  }
}

/** @type {Record<string, string | undefined>} */
const REASONS = {
  NotAllowedError: texts.mic_refused,
  NotFoundError: texts.mic_none,
  NotReadableError: texts.mic_busy,
};
