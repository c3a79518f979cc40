import { cutText, type Simulated, type TalkLine } from "./simulated-talk.ts";

export type HeardTalk = Pick<Simulated, "lines" | "cut">;

/**
 * Reads a conversation every `look_ms` until it is over, or for `longest_ms`: then it says that it was cut. Throws once
 * `stop` is aborted.
 */
export async function hearToTheEnd(how: {
  read(): Promise<TalkLine[]>;
  isOver(lines: TalkLine[]): boolean | Promise<boolean>;
  stop: AbortSignal;
  look_ms: number;
  longest_ms: number;
}): Promise<HeardTalk> {
  const { stop, look_ms, longest_ms } = how;
  const until = performance.now() + longest_ms;
  for (;;) {
    const lines = await how.read();
    if (await how.isOver(lines)) return { lines, cut: null };
    if (performance.now() >= until) return { lines, cut: cutText(longest_ms) };
    stop.throwIfAborted();
    await new Promise((resolve) => setTimeout(resolve, look_ms));
  }
}
