/** What is used of the package, which brings no types. https://k2-fsa.github.io/sherpa/onnx/vad/index.html */
declare module "sherpa-onnx-node" {
  class Vad {
    constructor(
      config: {
        sileroVad: {
          model: string;
          threshold: number;
          minSpeechDuration: number;
          minSilenceDuration: number;
          maxSpeechDuration: number;
          windowSize: number;
        };
        sampleRate: number;
        numThreads: number;
        debug: 0 | 1;
      },
      buffer_s: number,
    );
    acceptWaveform(samples: Float32Array): void;
    isDetected(): boolean;
    isEmpty(): boolean;
    pop(): void;
    reset(): void;
  }
  const sherpa: { Vad: typeof Vad };
  export default sherpa;
}
