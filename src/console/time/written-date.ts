/** `2026-11-20` out of what somebody typed; null: not a day, or not yet. */
export function writtenDay(text: string): string | null {
  const day = text.trim();
  return /^\d{4}-\d{2}-\d{2}$/.test(day) && exists(`${day}T00:00`) ? day : null;
}

/** `2026-11-20 14:30`, also with a T between, as `2026-11-20 14:30:00`; null: no such minute, or not yet. */
export function writtenMinute(text: string): string | null {
  const minute = text.trim().replace("T", " ");
  return /^\d{4}-\d{2}-\d{2} \d{2}:\d{2}$/.test(minute) && exists(minute.replace(" ", "T"))
    ? `${minute}:00`
    : null;
}

/** The 31st of February is read as a day of March. */
function exists(minute: string): boolean {
  const at = new Date(`${minute}Z`);
  return !Number.isNaN(at.getTime()) && at.toISOString().startsWith(minute);
}

/** What a field of dates asks for, where what stands in it is none; null: it is right, or empty. */
export function wantedDate(field: { value: string; written: string | undefined }): string | null {
  const { value, written } = field;
  if (written === undefined || value.trim() === "") return null;
  if (written === "day")
    return writtenDay(value) ? null : "Write the date as YYYY-MM-DD, such as 2026-11-20.";
  return writtenMinute(value)
    ? null
    : "Write the date and time as YYYY-MM-DD HH:MM, such as 2026-11-20 14:30.";
}
