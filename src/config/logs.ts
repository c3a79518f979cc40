import { type OtlpConfig, readOtlp } from "./otlp.ts";
import type { Setting, SettingReader } from "./setting-reader.ts";

/** What the program tells of itself, and where. */
export type LogConfig = {
  log_level: string;
  /** null: as the standard error is a terminal or not. */
  log_format: "json" | "readable" | null;
  otlp: OtlpConfig | null;
};

export type LogSecrets = { otlp_headers: Record<string, string> };

export const LOG_SETTINGS: Setting[] = [
  {
    name: "OTEL_EXPORTER_OTLP_ENDPOINT",
    example: "",
    about:
      "Address of an OpenTelemetry collector, such as http://127.0.0.1:4318; spans of conversations go to its /v1/traces. Empty: none are sent.",
  },
  {
    name: "OTEL_EXPORTER_OTLP_HEADERS",
    example: "",
    about: "Headers for the collector, such as a key: name=value,name=value",
  },
  {
    name: "OTEL_SERVICE_NAME",
    example: "parley",
    about: "What this program is called in the tracing system.",
  },
  {
    name: "OTEL_CONTENT",
    example: "off",
    about: "on: spans hold what was said, and arguments and results of tools. off: they don't.",
  },
  { name: "LOG_LEVEL", example: "info", about: "trace, debug, info, warn, error or silent." },
  {
    name: "LOG_FORMAT",
    example: "json",
    about: "json (a line for programs) or readable. Left out: readable on a terminal, json elsewhere.",
  },
];

const LOG_LEVELS = ["trace", "debug", "info", "warn", "error", "silent"];

export function readLogs(read: SettingReader): { config: LogConfig; secrets: LogSecrets } {
  const { otlp, headers } = readOtlp(read);
  return {
    config: {
      log_level: read.oneOf("LOG_LEVEL", LOG_LEVELS, "info", `one of ${LOG_LEVELS.join(", ")}`),
      log_format: read.oneOf("LOG_FORMAT", ["json", "readable"], null),
      otlp,
    },
    secrets: { otlp_headers: headers },
  };
}
