import { startCall, withoutUnheard } from "../../public/chat/call-line.js";
import type { Server, Visit } from "../../public/chat/server.js";

/**
 * What is said in a call. A caption that is not final is replaced by the next of its speaker, under the same `key`, or goes
 * where it was no word after all.
 */
export type Caption = { key: string; role: "user" | "agent"; text: string; is_final: boolean };

export type VoiceState = {
  /** "asking": the browser asks the visitor for the microphone. */
  status: "idle" | "asking" | "connecting" | "connected";
  isSpeaking: boolean;
  isMuted: boolean;
  /** Of the call that runs, or of the last one. */
  captions: readonly Caption[];
  /** What the visitor should know while the call goes on, such as that the connection is being tried again. */
  notice: string | null;
  /** Why the call could not begin or has ended against their will, in a sentence: the microphone was refused, calls are not allowed, … */
  error: string | null;
};

const AT_REST: VoiceState = {
  status: "idle",
  isSpeaking: false,
  isMuted: false,
  captions: [],
  notice: null,
  error: null,
};

/** A visitor's call with the agent, without React. */
export class VoiceCall {
  #state = AT_REST;
  #line: ReturnType<typeof startCall> | null = null;
  #said = 0;
  readonly #server: Server;
  readonly #worklet: string;
  readonly #visit: () => Visit;
  readonly #changed: () => void;

  constructor(server: Server, base: string, visit: () => Visit, changed: () => void) {
    this.#server = server;
    this.#worklet = new URL("/chat/call-worklet.js", base).href;
    this.#visit = visit;
    this.#changed = changed;
  }

  get state(): VoiceState {
    return this.#state;
  }

  /** From a click: browsers let no page begin to sound by itself. */
  readonly call = (): void => {
    if (this.#line) return;
    this.#state = AT_REST;
    this.#change({ status: "asking" });
    const on = {
      connecting: () => this.#change({ status: "connecting" }),
      connected: () => this.#change({ status: "connected" }),
      speaking: (isSpeaking: boolean) => this.#change({ isSpeaking }),
      words: (words: { role: "user" | "agent"; text: string; final: boolean }) =>
        this.#change({ captions: this.#withWords(words) }),
      cut: (unheard: string) => this.#change({ captions: this.#withoutUnheard(unheard) }),
      notice: (text: string) => this.#change({ notice: text || null }),
      over: (why: string) => {
        this.#line = null;
        const captions = this.#state.captions.filter(({ is_final }) => is_final);
        this.#change({ ...AT_REST, captions, error: why || null });
      },
    };
    const { callSocket } = this.#server;
    const ask = () => this.#server.openCall(this.#visit());
    this.#line = startCall(ask, on, { callSocket, worklet: this.#worklet });
  };

  readonly hangUp = (): void => this.#line?.hangUp();

  readonly mute = (isMuted: boolean): void => {
    if (!this.#line) return;
    this.#line.mute(isMuted);
    this.#change({ isMuted });
  };

  /** A key of the telephone: 0 to 9, * or #. */
  readonly press = (digit: string): void => this.#line?.press(digit);

  #withWords({ role, text, final }: { role: "user" | "agent"; text: string; final: boolean }): Caption[] {
    const { captions } = this.#state;
    const at = captions.findIndex((caption) => caption.role === role && !caption.is_final);
    if (text === "") return captions.filter((_, index) => index !== at);
    const key = captions[at]?.key ?? `c${++this.#said}`;
    const caption = { key, role, text, is_final: final };
    return at < 0 ? [...captions, caption] : captions.with(at, caption);
  }

  #withoutUnheard(unheard: string): Caption[] {
    const { captions } = this.#state;
    const agents = captions.filter(({ role }) => role === "agent");
    const texts = withoutUnheard(
      agents.map(({ text }) => text),
      unheard,
    );
    const heard = new Map(agents.map(({ key }, index) => [key, texts[index] ?? ""]));
    return captions
      .map((caption) => ({ ...caption, text: heard.get(caption.key) ?? caption.text }))
      .filter(({ key }) => heard.get(key) !== "");
  }

  #change(change: Partial<VoiceState>): void {
    this.#state = { ...this.#state, ...change };
    this.#changed();
  }
}
