import type { WebSocket } from "@fastify/websocket";
import type { Clock } from "../../base/clock.ts";
import type { Log } from "../../base/log.ts";
import type { CallInput, CallOutput } from "../../channels/call-socket.ts";
import type { AudioLine } from "../../media/audio-line.ts";
import { enginesOfCall } from "../../media/call-engines.ts";
import { type MediaReport, traceOfLine } from "../../media/line-report.ts";
import { MediaLine, type MediaLineParts } from "../../media/media-line.ts";
import type { VoiceEngines } from "../../media/voice-engines.ts";
import type { OpenCall, VoiceCalls } from "../voice-calls.ts";

export type LineParts = {
  calls: VoiceCalls;
  engines: VoiceEngines;
  clock: Clock;
  log: Log;
  soundAt: MediaLineParts["soundAt"];
};

type Wanted = {
  call_id: string;
  token: string;
  line: AudioLine;
  ended: MediaLineParts["ended"];
  /** Beside the call: what the caller said, and what is said to them. */
  hears?(input: CallInput): void;
  says?(output: CallOutput): void;
};

type OpenedLine = {
  media: MediaLine;
  call: OpenCall;
  /** Begins the conversation. `sid`: the carrier's name of the call. */
  begin(sid: string): void;
};

/**
 * Opens a call on a socket whose audio we hear and speak ourselves. Null: there is no such call, or its line is open already.
 * Its engines are closed with the socket, which may happen while this is under way.
 */
export async function openMediaLine(
  { calls, engines, clock, log, soundAt }: LineParts,
  socket: WebSocket,
  { call_id, token, line, ended, hears, says }: Wanted,
): Promise<OpenedLine | null> {
  const voice = await calls.voiceOf(call_id, token);
  if (!voice) return null;
  let call: OpenCall | null = null;
  const early: CallInput[] = [];
  const reports: MediaReport[] = [];
  const report = (given: MediaReport) => {
    if (call) call.observe(...traceOfLine(given, clock.now()));
    else reports.push(given);
  };
  const own = await enginesOfCall(engines, voice, (message) => {
    log.warn({ call_id, message }, "a speech service failed on a call");
    report({ type: "engine", message });
  });
  socket.once("close", () => own.close());
  if (socket.readyState !== socket.OPEN) own.close();
  const media = new MediaLine({
    clock,
    line,
    hearing: own.hearing,
    speaking: own.speaking,
    detection: own.detection,
    voice,
    soundAt,
    // Pages and carriers tell of keys themselves.
    findsKeys: false,
    tell: (input) => {
      hears?.(input);
      if (call) call.input(input);
      else early.push(input);
    },
    report,
    ended,
  });
  const opening = calls.open(call_id, token, {
    send: (output) => {
      says?.(output);
      media.send(output);
    },
    close: () => media.close(),
    silence: () => media.silence(),
    awaits: (awaited) => media.awaits(awaited),
    use: own.use,
  });
  call = await opening.catch((error) => {
    media.closed();
    throw error;
  });
  if (!call) {
    // The socket is the caller's to close.
    media.closed();
    return null;
  }
  const opened = call;
  for (const given of reports.splice(0)) report(given);
  const recorder = await opened.record(line.rate);
  if (recorder) media.record(recorder);
  const begin = (sid: string) => {
    opened.input({ type: "open", sid });
    for (const input of early.splice(0)) opened.input(input);
  };
  return { media, call: opened, begin };
}
