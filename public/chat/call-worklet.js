// @ts-check
/**
 * The two ends of a call's sound, on the browser's audio thread: what the microphone hears becomes frames of 16-bit
 * samples at 16 kHz, and frames that came are played in their order. The browser's own rate may be any.
 */
const LINE_RATE = 16_000;
const FRAME = 320;
/** Of 20 ms: sound that is cut off at once is heard as a click. */
const FADE = 0.02;
const HALF_TAPS = 16;
const PHASES = 128;

/** A windowed sinc: keeps what both rates can hold, and goes on from call to call without a seam. */
class Resampler {
  /** @param {number} from @param {number} to */
  constructor(from, to) {
    this.step = from / to;
    // Going down, the filter grows by as much as the rate shrinks.
    const narrow = Math.max(1, this.step);
    this.half = Math.ceil(HALF_TAPS * narrow);
    /** @type {Float32Array[]} */
    this.filters = [];
    for (let phase = 0; phase < PHASES; phase++) {
      const filter = new Float32Array(2 * this.half);
      let sum = 0;
      for (let tap = 0; tap < filter.length; tap++) {
        const x = tap - this.half + 1 - phase / PHASES;
        const y = (Math.PI * x * 0.92) / narrow;
        const window = 0.5 + 0.5 * Math.cos(Math.min(Math.PI, Math.abs((Math.PI * x) / this.half)));
        filter[tap] = window * (y === 0 ? 1 : Math.sin(y) / y);
        sum += filter[tap];
      }
      this.filters.push(filter.map((weight) => weight / sum));
    }
    this.known = new Float32Array(2 * this.half);
    this.at = 0;
  }

  /** @param {Float32Array} samples */
  push(samples) {
    if (this.step === 1) return samples;
    const all = new Float32Array(this.known.length + samples.length);
    all.set(this.known);
    all.set(samples, this.known.length);
    const made = [];
    while (Math.floor(this.at) + 2 * this.half <= all.length) {
      const first = Math.floor(this.at);
      const filter = /** @type {Float32Array} */ (this.filters[Math.floor((this.at - first) * PHASES)]);
      let sum = 0;
      for (let tap = 0; tap < filter.length; tap++) sum += filter[tap] * all[first + tap];
      made.push(sum);
      this.at += this.step;
    }
    const done = Math.floor(this.at);
    this.known = all.slice(done);
    this.at -= done;
    return Float32Array.from(made);
  }
}

class Microphone extends AudioWorkletProcessor {
  constructor() {
    super();
    this.resampler = new Resampler(sampleRate, LINE_RATE);
    this.frame = new Int16Array(FRAME);
    this.filled = 0;
  }

  /** @param {Float32Array[][]} inputs */
  process([input]) {
    const heard = input?.[0];
    if (!heard) return true;
    for (const sample of this.resampler.push(heard)) {
      this.frame[this.filled++] = Math.max(-1, Math.min(1, sample)) * 32_767;
      if (this.filled < FRAME) continue;
      const { buffer } = this.frame.slice();
      this.port.postMessage(buffer, [buffer]);
      this.filled = 0;
    }
    return true;
  }
}

class Player extends AudioWorkletProcessor {
  constructor() {
    super();
    this.resampler = new Resampler(LINE_RATE, sampleRate);
    /** What is still to be played, and between it the marks to be told of. @type {(Float32Array | string)[]} */
    this.queue = [];
    this.at = 0;
    this.isPlaying = false;
    this.port.onmessage = ({ data }) => {
      if (data === "clear") this.clear();
      else if (typeof data === "string") this.queue.push(data);
      else {
        const samples = Float32Array.from(new Int16Array(data), (sample) => sample / 32_768);
        this.queue.push(this.resampler.push(samples));
      }
    };
  }

  /** Fades out what was about to be heard; marks of what is not heard are not told. */
  clear() {
    const rest = new Float32Array(Math.round(FADE * sampleRate));
    let filled = 0;
    for (const entry of this.queue) {
      if (typeof entry === "string") continue;
      for (let at = filled === 0 ? this.at : 0; at < entry.length && filled < rest.length; at++, filled++)
        rest[filled] = entry[at] * (1 - filled / rest.length);
    }
    this.queue = filled === 0 ? [] : [rest];
    this.at = 0;
    this.resampler = new Resampler(LINE_RATE, sampleRate);
  }

  /** @param {Float32Array[][]} _inputs @param {Float32Array[][]} outputs */
  process(_inputs, [output]) {
    const played = output?.[0];
    if (!played) return true;
    let filled = 0;
    while (this.queue.length > 0) {
      const [next] = this.queue;
      if (typeof next === "string") {
        this.port.postMessage({ mark: next });
        this.queue.shift();
        continue;
      }
      if (filled === played.length) break;
      const part = next.subarray(this.at, this.at + played.length - filled);
      played.set(part, filled);
      filled += part.length;
      this.at += part.length;
      if (this.at < next.length) break;
      this.queue.shift();
      this.at = 0;
    }
    if (filled > 0 !== this.isPlaying) {
      this.isPlaying = filled > 0;
      this.port.postMessage({ playing: this.isPlaying });
    }
    return true;
  }
}

registerProcessor("microphone", Microphone);
registerProcessor("player", Player);
