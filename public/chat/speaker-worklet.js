// @ts-check
/**
 * Runs where audio is made: plays 16-bit samples at 16 kHz in the order they came, and tells when it comes to a mark.
 * Told `clear`, it forgets what it has not played, with a fade so short that no click is heard.
 */
const RATE = 16_000;
const FADE_S = 0.005;

class Speaker extends AudioWorkletProcessor {
  /** @type {(Int16Array | string)[]} */
  #queue = [];
  /** Where in the first of the queue we are, in samples of 16 kHz. */
  #at = 0;
  #last = 0;

  constructor() {
    super();
    this.port.onmessage = ({ data }) => {
      if (data === "clear") {
        this.#queue = [];
        this.#at = 0;
      } else if (typeof data === "string") this.#queue.push(data);
      else this.#queue.push(new Int16Array(data));
    };
  }

  /** @param {Float32Array[][]} _inputs @param {Float32Array[][]} outputs */
  process(_inputs, outputs) {
    const channels = outputs[0] ?? [];
    const length = channels[0]?.length ?? 0;
    for (let index = 0; index < length; index++) {
      const value = this.#next();
      for (const channel of channels) channel[index] = value;
    }
    return true;
  }

  #next() {
    for (;;) {
      const [first] = this.#queue;
      if (first === undefined) {
        this.#last *= 1 - 1 / (FADE_S * sampleRate);
        return this.#last;
      }
      if (typeof first === "string") {
        this.port.postMessage(first);
        this.#queue.shift();
        continue;
      }
      if (this.#at >= first.length) {
        this.#at -= first.length;
        this.#queue.shift();
        continue;
      }
      const whole = Math.floor(this.#at);
      const here = first[whole] ?? 0;
      const following = first[whole + 1] ?? here;
      this.#last = (here + (following - here) * (this.#at - whole)) / 32_768;
      this.#at += RATE / sampleRate;
      return this.#last;
    }
  }
}

registerProcessor("speaker", Speaker);
