/** An IANA time zone as it is properly written, whatever the case it was sent in; null when there is none of that name. */
export function canonicalTimezone(text: string): string | null {
  try {
    const { timeZoneId } = Temporal.Instant.fromEpochMilliseconds(0).toZonedDateTimeISO(text);
    // Temporal also takes "+05:00" and whole timestamps, which name an offset and no zone.
    return /^[A-Z]/i.test(text) && timeZoneId.toLowerCase() === text.toLowerCase() ? timeZoneId : null;
  } catch {
    return null;
  }
}
