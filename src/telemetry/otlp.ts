import type { Attributes, HrTime } from "@opentelemetry/api";
import type { ReadableSpan } from "@opentelemetry/sdk-trace-base";
import type { Log } from "../base/log.ts";
import type { EndedSession, StoredTurn } from "../sessions/engine.ts";
import { sessionSpan, type TraceSpan, turnSpans } from "./turn-spans.ts";

export type OtlpSettings = {
  /** Of the collector; `/v1/traces` follows it. */
  endpoint: string;
  headers: Record<string, string>;
  service_name: string;
  content: boolean;
};

/** Told of what is stored; never waits, never throws. */
export type Telemetry = {
  turnStored(turn: StoredTurn): void;
  sessionEnded(session: EndedSession): void;
  /** Sends what waits, for a few seconds at the most. */
  close(): Promise<void>;
};

/** Spans that wait for the collector; beyond them new ones are dropped, so that one that hangs costs no memory. */
const MOST_WAITING = 4096;
const SEND_TIMEOUT_MS = 5_000;
const TOLD_EVERY_MS = 60_000;

/** Sends spans by OTLP over http (JSON), in batches beside the work: https://opentelemetry.io/docs/specs/otlp/ */
export async function createTelemetry(
  settings: OtlpSettings,
  { log, installation, version }: { log: Log; installation: string; version: string },
): Promise<Telemetry> {
  // Loaded by those who use it.
  const [
    { BatchSpanProcessor },
    { OTLPTraceExporter },
    { resourceFromAttributes },
    { SpanKind, SpanStatusCode },
  ] = await Promise.all([
    import("@opentelemetry/sdk-trace-base"),
    import("@opentelemetry/exporter-trace-otlp-http"),
    import("@opentelemetry/resources"),
    import("@opentelemetry/api"),
  ]);
  const exporter = new OTLPTraceExporter({
    url: `${settings.endpoint}/v1/traces`,
    headers: settings.headers,
    timeoutMillis: SEND_TIMEOUT_MS,
  });
  const send = exporter.export.bind(exporter);
  let toldAt = Number.NEGATIVE_INFINITY;
  exporter.export = (spans, done) =>
    send(spans, (result) => {
      if (result.error && performance.now() - toldAt > TOLD_EVERY_MS) {
        toldAt = performance.now();
        log.warn(
          { reason: result.error.message, spans: spans.length },
          "the OpenTelemetry collector took no spans",
        );
      }
      done(result);
    });
  const processor = new BatchSpanProcessor(exporter, {
    maxQueueSize: MOST_WAITING,
    exportTimeoutMillis: SEND_TIMEOUT_MS,
  });
  const resource = resourceFromAttributes({
    "service.name": settings.service_name,
    "service.version": version,
  });
  const options = { installation, content: settings.content };

  const readable = (span: TraceSpan): ReadableSpan => {
    const startTime = hrTime(span.started.getTime());
    const contextOf = (spanId: string) => ({ traceId: span.trace_id, spanId, traceFlags: 1 });
    return {
      name: span.name,
      kind: span.kind === "client" ? SpanKind.CLIENT : SpanKind.INTERNAL,
      spanContext: () => contextOf(span.span_id),
      ...(span.parent_id !== null && { parentSpanContext: contextOf(span.parent_id) }),
      startTime,
      endTime: hrTime(span.started.getTime() + span.duration_ms),
      duration: hrTime(span.duration_ms),
      ended: true,
      status:
        span.error === null
          ? { code: SpanStatusCode.UNSET }
          : { code: SpanStatusCode.ERROR, message: span.error.slice(0, 500) },
      attributes: {
        ...span.attributes,
        ...(span.error !== null && { "error.type": "_OTHER" }),
      } as Attributes,
      links: [],
      events: span.events.map(({ name, at, attributes }) => ({
        name,
        time: hrTime(at.getTime()),
        attributes,
      })),
      resource,
      instrumentationScope: { name: "parley", version },
      droppedAttributesCount: 0,
      droppedEventsCount: 0,
      droppedLinksCount: 0,
    };
  };
  const tell = (spans: TraceSpan[]) => {
    for (const span of spans) processor.onEnd(readable(span));
  };
  const quietly = (work: () => void) => {
    try {
      work();
    } catch (error) {
      log.warn({ err: error }, "spans of a turn could not be made");
    }
  };
  return {
    turnStored: (turn) => quietly(() => tell(turnSpans(turn, options))),
    sessionEnded: (session) => quietly(() => tell([sessionSpan(session, options)])),
    close: () => processor.shutdown().catch(() => {}),
  };
}

/** Seconds and nanoseconds, of which there are never a whole second's. */
export const hrTime = (ms: number): HrTime => {
  const whole = Math.floor(ms);
  const seconds = Math.floor(whole / 1000);
  return [
    seconds,
    (whole - seconds * 1000) * 1_000_000 + Math.min(Math.round((ms - whole) * 1_000_000), 999_999),
  ];
};
