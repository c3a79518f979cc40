import type { CallInput, CallOutput } from "../../channels/call-socket.ts";
import { heardOf, type SpokenWords, splitAtMeasure } from "../spoken-text.ts";

export type Caption =
  /** `final` false: the next text of this role replaces it; empty: it was no word after all. */
  | { type: "words"; role: "user" | "agent"; text: string; final: boolean }
  /** The end of the agent's words so far, which an interruption kept from being heard. */
  | { type: "unheard"; text: string };

/** What a page shows of a call beside its sound, in the words of both sides. */
export class CallCaptions {
  readonly #show: (caption: Caption) => void;
  /** The agent's, since everything was last heard to its end. */
  #said: SpokenWords[] = [];
  /** Keys that are an input once the agent answers. */
  #keys = "";

  constructor(show: (caption: Caption) => void) {
    this.#show = show;
  }

  hears(input: CallInput): void {
    switch (input.type) {
      case "speech":
        this.#endKeys();
        this.#user(input.text, input.final);
        break;
      case "digit":
        this.#keys += input.digit;
        this.#user(this.#keys, false);
        break;
      case "interrupted":
        this.#cut(input.heard);
        break;
      case "played":
        this.#said = [];
    }
  }

  says(output: CallOutput): void {
    if (output.type !== "say" || output.text === "") return;
    this.#endKeys();
    this.#said.push(output);
    this.#show({ type: "words", role: "agent", text: output.text, final: true });
  }

  #cut(heard: string): void {
    const measured = heardOf(this.#said, heard).reduce((sum, each) => sum + each, 0);
    const { unheard } = splitAtMeasure(this.#said.map(({ text }) => text).join(" "), measured);
    this.#said = [];
    if (unheard !== "") this.#show({ type: "unheard", text: unheard });
  }

  #endKeys(): void {
    if (this.#keys !== "") this.#user(this.#keys, true);
    this.#keys = "";
  }

  #user(text: string, final: boolean): void {
    this.#show({ type: "words", role: "user", text, final });
  }
}
