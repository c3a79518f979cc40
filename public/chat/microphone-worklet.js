// @ts-check
/** Runs where audio is made: gives what the microphone hears in frames of 20 ms, 16-bit samples at 16 kHz. */
const RATE = 16_000;
const FRAME = RATE / 50;

class Microphone extends AudioWorkletProcessor {
  #frame = new Int16Array(FRAME);
  #filled = 0;
  /** Of the next sample: what of the input belongs to it so far, and how much input that is. */
  #sum = 0;
  #width = 0;

  /** @param {Float32Array[][]} inputs */
  process(inputs) {
    const samples = inputs[0]?.[0];
    if (!samples) return true;
    const span = sampleRate / RATE;
    for (const sample of samples) {
      // Each sample of ours is the mean of the input it stands for: what 16 kHz can't carry is mostly gone with it.
      let left = 1;
      while (left > 0) {
        const part = Math.min(left, span - this.#width);
        this.#sum += sample * part;
        this.#width += part;
        left -= part;
        if (this.#width < span - 1e-9) continue;
        this.#put(this.#sum / this.#width);
        this.#sum = 0;
        this.#width = 0;
      }
    }
    return true;
  }

  /** @param {number} value */
  #put(value) {
    this.#frame[this.#filled++] = Math.max(-32_768, Math.min(32_767, Math.round(value * 32_767)));
    if (this.#filled < FRAME) return;
    this.port.postMessage(this.#frame.buffer, [this.#frame.buffer]);
    this.#frame = new Int16Array(FRAME);
    this.#filled = 0;
  }
}

registerProcessor("microphone", Microphone);
