/**
 * How long an answer asks us to wait: milliseconds from `retry-after-ms` (OpenAI, Azure) or `retry-after`. A date there is
 * taken relative to the answer's own `date`, so that our clock plays no part. Null: it doesn't ask. Pure.
 */
export function askedWait(headers: Record<string, string>): number | null {
  const ms = Number.parseFloat(headers["retry-after-ms"] ?? "");
  if (ms >= 0) return ms;
  const after = headers["retry-after"] ?? "";
  if (/^\d+(\.\d+)?$/.test(after)) return Number.parseFloat(after) * 1000;
  const wait = Date.parse(after) - Date.parse(headers.date ?? "");
  return Number.isNaN(wait) ? null : Math.max(0, wait);
}
