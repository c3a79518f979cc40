import { useEffect, useRef, useState } from "react";
import { call } from "../../server/api.ts";
import { type LivePart, withAgentWords, withCaption } from "../../sessions/live/live-parts.ts";
import { startFields, type TalkStart } from "./start-with.tsx";

/** What the chat pages' own call (`public/chat/call-line.js`) takes and tells. */
type PageCall = { hangUp(): void; mute(muted: boolean): void };
type StartCall = (
  ask: () => Promise<{ call_id: string; token: string }>,
  on: {
    connecting(): void;
    connected(): void;
    speaking(on: boolean): void;
    words(words: { role: "user" | "agent"; text: string; final: boolean }): void;
    cut(unheard: string): void;
    notice(text: string): void;
    over(why: string): void;
  },
) => PageCall;

type CallLine = {
  startCall: StartCall;
  withoutUnheard(texts: readonly string[], unheard: string): string[];
};

/** The page's files are asked for under any version. */
const CALL_LINE = "/chat/assets/console/call-line.js";

/** A call with the saved draft from this page: the caller speaks, and both sides' words are shown. */
export function useVoiceTalk(agent_id: number, begin: TalkStart, onOver: (session_id: number) => void) {
  const [status, setStatus] = useState<string | null>(null);
  const [notice, setNotice] = useState("");
  const [parts, setParts] = useState<readonly LivePart[]>([]);
  const [isMuted, setMuted] = useState(false);
  /** The call that runs, also while its code is still on the way. */
  const line = useRef<PageCall | null>(null);
  useEffect(() => () => line.current?.hangUp(), []);

  async function start(): Promise<void> {
    setParts([]);
    setNotice("");
    setMuted(false);
    setStatus("Allow the microphone…");
    let session_id: number | null = null;
    let refusal = "";
    const ask = async () => {
      const { variables, language } = startFields(begin);
      try {
        const opened = await call("POST /api/v1/agents/{agent_id}/test/calls", {
          path: { agent_id },
          body: {
            source: begin.caller.trim() || null,
            variables: variables ?? null,
            language: language ?? null,
          },
        });
        session_id = opened.session_id;
        return opened;
      } catch (error) {
        refusal = (error as Error).message;
        throw error;
      }
    };
    let isOver = false;
    let isMutedYet = false;
    const over = (why: string) => {
      isOver = true;
      line.current = null;
      setStatus(null);
      setNotice(refusal || why);
      if (session_id !== null) onOver(session_id);
    };
    line.current = {
      hangUp: () => over(""),
      mute(muted) {
        isMutedYet = muted;
      },
    };
    try {
      const { startCall, withoutUnheard } = (await import(/* @vite-ignore */ CALL_LINE)) as CallLine;
      // Who left, or hung up, meanwhile has no call.
      if (isOver) return;
      line.current = startCall(ask, {
        connecting: () => setStatus("Connecting…"),
        connected: () => setStatus("Connected. Speak now."),
        speaking: (on) => setStatus(on ? "Speaking…" : "Listening…"),
        words: (words) => setParts((now) => withCaption(now, words)),
        cut: (unheard) => setParts((now) => withAgentWords(now, (texts) => withoutUnheard(texts, unheard))),
        notice: setNotice,
        over,
      });
      line.current.mute(isMutedYet);
    } catch {
      if (!isOver) over("The call can't be started. Reload this page and try again.");
    }
  }

  return {
    /** Null: no call runs. */
    status,
    notice,
    parts,
    isMuted,
    start: () => void start(),
    hangUp: () => line.current?.hangUp(),
    mute() {
      line.current?.mute(!isMuted);
      setMuted(!isMuted);
    },
  };
}
