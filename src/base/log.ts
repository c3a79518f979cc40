import { type Logger, pino } from "pino";

export type Log = Logger;

/** Names whose values never reach a log line, at any of the depths we log. */
const SECRET_NAMES = [
  "authorization",
  "cookie",
  "password",
  "token",
  "secret",
  "auth_values",
  "service-api-key",
];

export function createLog(options: { level: string; destination?: NodeJS.WritableStream }): Log {
  const paths = SECRET_NAMES.flatMap((name) => [`["${name}"]`, `*["${name}"]`, `*.*["${name}"]`]);
  return pino(
    { level: options.level, base: undefined, redact: { paths, censor: "[redacted]" } },
    options.destination ?? process.stderr,
  );
}

export const silentLog: Log = pino({ level: "silent" });
