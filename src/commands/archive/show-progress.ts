import type { ArchiveProgress } from "../../backup/progress.ts";

/** A line is written again no more often than this. */
const REDRAW_ms = 100;

type ShownProgress = ArchiveProgress & {
  /** Takes the line away. */
  end(): void;
};

/** One line on a terminal that is drawn again and again, and nothing where no person looks: cron mails what is printed. */
export function showProgress(verb: string, stream: NodeJS.WriteStream = process.stderr): ShownProgress {
  let [whole, before, moved] = [0, 0, 0];
  let [name, current, inCurrent] = ["", 0, 0];
  let drawn_at = 0;
  const begun = performance.now();
  const draw = () => {
    if (!stream.isTTY || performance.now() - drawn_at < REDRAW_ms) return;
    drawn_at = performance.now();
    // Rows take less room in an archive than on disk, so a table counts by its size there.
    const part = whole > 0 ? ` ${Math.floor((99 * (before + Math.min(current, inCurrent))) / whole)} %` : "";
    const pace = sizeText((1000 * moved) / (drawn_at - begun));
    const line = `${verb}${part}  ${sizeText(moved)}  ${pace}/s  ${name}`;
    stream.write(`\r\x1b[K${line.slice(0, (stream.columns ?? 80) - 1)}`);
  };
  return {
    begin(bytes) {
      whole = bytes;
    },
    at(next, bytes) {
      before += current;
      [name, current, inCurrent] = [next, bytes, 0];
      draw();
    },
    moved(bytes) {
      moved += bytes;
      inCurrent += bytes;
      draw();
    },
    end() {
      if (stream.isTTY) stream.write("\r\x1b[K");
    },
  };
}

/** 1.5 GB; three digits at most. */
export function sizeText(bytes: number): string {
  const units = ["B", "kB", "MB", "GB", "TB"];
  let [value, unit] = [bytes, 0];
  while (value >= 999.5 && unit < units.length - 1) [value, unit] = [value / 1000, unit + 1];
  return `${unit > 0 && value < 9.95 ? value.toFixed(1) : Math.round(value)} ${units[unit]}`;
}

export const countText = (count: number): string => count.toLocaleString("en-US");

export const count = (number: number, noun: string): string =>
  `${countText(number)} ${noun}${number === 1 ? "" : "s"}`;

/** 2026-11-23 11:40:02 UTC */
export const momentText = (iso: string): string => `${iso.slice(0, 19).replace("T", " ")} UTC`;

export const durationText = (seconds: number): string =>
  seconds < 90 ? `${seconds.toFixed(1)} s` : `${Math.floor(seconds / 60)} min ${Math.round(seconds % 60)} s`;
