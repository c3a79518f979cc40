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
  type Common = { tokens: string; numThreads: number; provider: string; debug: 0 | 1 };
  type Transducer = { encoder: string; decoder: string; joiner: string };
  type Features = { sampleRate: number; featureDim: number };
  type Stream = { acceptWaveform(sound: { samples: Float32Array; sampleRate: number }): void };

  export type OnlineConfig = {
    featConfig: Features;
    modelConfig: Common & { transducer: Transducer };
    decodingMethod: string;
    enableEndpoint: boolean;
  };
  class OnlineRecognizer {
    constructor(config: OnlineConfig);
    createStream(): Stream;
    isReady(stream: Stream): boolean;
    decode(stream: Stream): void;
    getResult(stream: Stream): { text: string };
  }

  export type OfflineConfig = {
    featConfig: Features;
    modelConfig: Common & {
      transducer?: Transducer;
      modelType?: string;
      whisper?: { encoder: string; decoder: string; language: string; task: string };
      moonshine?: { encoder: string; mergedDecoder: string };
    };
  };
  class OfflineRecognizer {
    constructor(config: OfflineConfig);
    createStream(): Stream;
    decode(stream: Stream): void;
    /** In a thread of its own. */
    decodeAsync(stream: Stream): Promise<{ text: string }>;
    getResult(stream: Stream): { text: string };
  }

  export type TtsConfig = {
    model: {
      vits?: { model: string; tokens: string; dataDir: string };
      kokoro?: { model: string; voices: string; tokens: string; dataDir: string };
      numThreads: number;
      provider: string;
      debug: 0 | 1;
    };
    maxNumSentences: number;
  };
  class OfflineTts {
    constructor(config: TtsConfig);
    generate(asked: { text: string; sid: number; speed: number }): {
      samples: Float32Array;
      sampleRate: number;
    };
  }

  const sherpa: {
    Vad: typeof Vad;
    OnlineRecognizer: typeof OnlineRecognizer;
    OfflineRecognizer: typeof OfflineRecognizer;
    OfflineTts: typeof OfflineTts;
  };
  export default sherpa;
}
