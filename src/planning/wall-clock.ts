/**
 * What the clock on the wall shows in a time zone. Asking Temporal for it costs microseconds and a dialer asks per
 * tick and request, so the stretches over which a zone keeps one offset are remembered: from then on it is an addition.
 */
type WallClock = {
  /** Days since 1970-01-01, of the local calendar. */
  day: number;
  /** Seconds since the local midnight as the clock shows them: 02:30 is 9,000 on every day of the year. */
  second: number;
};

/** [from, until) in milliseconds since the epoch; the clock shows UTC + offset all through it. */
type OffsetSpan = { from_ms: number; until_ms: number; offset_ms: number };

export const DAY_ms = 86_400_000;
export const DAY_s = 86_400;

/**
 * Timestamps have years of four digits, in PostgreSQL and in the API. What lists name for "never" is moved to the beginning
 * of the last such year, so that the next opening after it is a timestamp, too.
 */
export const LAST_MOMENT_ms = Date.UTC(9999, 0, 1);
/** What would open later never does. */
export const LAST_OPENING_ms = Date.UTC(9999, 11, 31);

/** Every zone has a name or two (600 in all); more than this many are not times of ours. */
const MAX_ZONES = 1_000;
/** Now and the next change of the clocks, and a look back. */
const MAX_SPANS = 4;

/** By zone, the most lately found first. */
const known = new Map<string, OffsetSpan[]>();

export function wallClock(zone: string, at_ms: number): WallClock {
  const local_ms = at_ms + spanAt(zone, at_ms).offset_ms;
  const day = Math.floor(local_ms / DAY_ms);
  return { day, second: Math.floor((local_ms - day * DAY_ms) / 1000) };
}

/** Throws a RangeError for a zone that doesn't exist. */
export function spanAt(zone: string, at_ms: number): OffsetSpan {
  const spans = known.get(zone);
  if (spans) {
    for (const span of spans) if (span.from_ms <= at_ms && at_ms < span.until_ms) return span;
  }
  const found = findSpan(zone, at_ms);
  if (spans) {
    if (spans.unshift(found) > MAX_SPANS) spans.pop();
  } else {
    if (known.size >= MAX_ZONES) known.clear();
    known.set(zone, [found]);
  }
  return found;
}

function findSpan(zone: string, at_ms: number): OffsetSpan {
  const at = (ms: number) => Temporal.Instant.fromEpochMilliseconds(ms).toZonedDateTimeISO(zone);
  // "previous" means strictly before: a millisecond later, a change at this very instant counts as past.
  const from = at(at_ms + 1).getTimeZoneTransition("previous");
  const until = at(at_ms).getTimeZoneTransition("next");
  return {
    from_ms: from?.epochMilliseconds ?? Number.NEGATIVE_INFINITY,
    until_ms: until?.epochMilliseconds ?? Number.POSITIVE_INFINITY,
    offset_ms: at(at_ms).offsetNanoseconds / 1e6,
  };
}
