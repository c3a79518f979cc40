import { inspect, stripVTControlCharacters, styleText } from "node:util";

/** Of a line that pino wrote; what else it holds are the fields of the line. */
type Line = {
  level: number;
  time: number;
  msg?: string;
  err?: { message?: string; stack?: string };
} & Record<string, unknown>;

const LEVELS: [from: number, name: string, style: Parameters<typeof styleText>[0]][] = [
  [50, "error", "red"],
  [40, "warn", "yellow"],
  [30, "info", "green"],
  [0, "debug", "dim"],
];

/**
 * A line of the log as people read it on a terminal: the time, the level, the message, then the fields. What isn't such a
 * line stays as it is. No package for it: pino-pretty brings thirteen others for these lines. What a field holds comes from
 * anywhere, so control characters are taken out of it. Pure but for the zone of the clock.
 */
export function readableLine(line: string): string {
  const parsed = parse(line);
  if (parsed === null) return line;
  const { level, time, msg = "", err, ...fields } = parsed;
  const [, name, style] = LEVELS.find(([from]) => level >= from) ?? LEVELS[2]!;
  const at = new Date(time).toTimeString().slice(0, 8);
  const shown = Object.entries(fields).map(
    ([key, value]) => `${styleText("dim", `${plain(key)}=`)}${text(value)}`,
  );
  const stack = level >= 50 ? err?.stack : err?.message;
  const head = [styleText("dim", at), styleText(style, name.padEnd(5)), plain(msg), ...shown].join(" ");
  return `${head}${stack ? `\n${plain(stack).replace(/^/gm, "  ")}` : ""}\n`;
}

function parse(line: string): Line | null {
  try {
    const value: unknown = JSON.parse(line);
    const isLine = typeof value === "object" && value !== null && "level" in value && "time" in value;
    return isLine ? (value as Line) : null;
  } catch {
    return null;
  }
}

const text = (value: unknown): string =>
  plain(
    typeof value === "string" ? value : inspect(value, { breakLength: Number.POSITIVE_INFINITY, depth: 4 }),
  );

/** Without control characters but line breaks. */
const plain = (value: string): string => stripVTControlCharacters(value).replace(/[^\P{Cc}\n]/gu, " ");
