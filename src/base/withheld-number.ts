/** Twilio's numbers of callers who withhold theirs: ANONYMOUS, RESTRICTED, BLOCKED, UNKNOWN, UNAVAILABLE. */
const NUMBERS = ["+266696687", "+7378742833", "+2562533", "+8656696", "+86282452253"];
/** What other carriers and exchanges write in its place. */
const WORDS = ["", "anonymous", "restricted", "blocked", "unknown", "unavailable", "private"];
const WITHHELD = new Set([...NUMBERS, ...WORDS]);

/** Whether a caller's address is what stands for all who withhold theirs: it tells nobody from anybody. Pure. */
export const isWithheld = (address: string): boolean =>
  WITHHELD.has(
    address
      .trim()
      .toLowerCase()
      .replace(/^sips?:([^@]*)(@.*)?$/, "$1"),
  );
