import type { SettingReader } from "./setting-reader.ts";

/** Where spans are sent. The headers may hold a key, so they are a secret. */
export type OtlpConfig = { endpoint: string; service_name: string; content: boolean };

/** By the names that OpenTelemetry gives them; null: no spans. */
export function readOtlp({ given, url, isOn, faults }: SettingReader): {
  otlp: OtlpConfig | null;
  headers: Record<string, string>;
} {
  const endpoint = url("OTEL_EXPORTER_OTLP_ENDPOINT", ["http:", "https:"]);
  const content = isOn("OTEL_CONTENT", "off");
  const headers: Record<string, string> = {};
  for (const pair of given("OTEL_EXPORTER_OTLP_HEADERS")?.split(",") ?? []) {
    const [, name, value] = /^\s*([\w-]+)\s*=\s*(.*?)\s*$/.exec(pair) ?? [];
    if (name === undefined || value === undefined)
      faults.push("OTEL_EXPORTER_OTLP_HEADERS has a part without a name; write name=value,name=value.");
    else headers[name] = decoded(value);
  }
  const service_name = given("OTEL_SERVICE_NAME") ?? "parley";
  if (endpoint === null) return { otlp: null, headers: {} };
  return { otlp: { endpoint, service_name, content }, headers };
}

/** Values may be percent-encoded. */
function decoded(value: string): string {
  try {
    return decodeURIComponent(value);
  } catch {
    return value;
  }
}
