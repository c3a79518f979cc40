/** GSM 03.38: characters of one septet. */
const BASIC =
  "@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !\"#¤%&'()*+,-./0123456789:;<=>?¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà";
/** And those that an escape goes before, of two. */
const EXTENDED = "\f^{}\\[~]|€";

const septets = new Map([...BASIC].map((character) => [character, 1]));
for (const character of EXTENDED) septets.set(character, 2);

/** So many septets, or UTF-16 units, fit into one text, and into each part of a longer one, whose header takes room. */
const ROOM = { gsm: { whole: 160, part: 153 }, ucs2: { whole: 70, part: 67 } };

/**
 * How many segments an SMS becomes, by which carriers charge. No character is split. A carrier that replaces characters
 * first, such as curly quotes by straight ones, may make fewer of it. Pure.
 */
export const textSegments = (text: string): number => {
  const characters = [...text];
  return segmentsOf(
    characters,
    characters.every((character) => septets.has(character)),
  );
};

/**
 * Of the alphabet, but not of every carrier's: with one of these Telnyx sends the whole text in two bytes
 * (https://developers.telnyx.com/docs/messaging/messages/message-encoding).
 */
const NOT_EVERYWHERE = /[€¤ÇΔΦΓΛΩΠΨΣΘΞ\f]/u;

/** How many segments an SMS becomes at most, whichever carrier it goes by. Pure. */
export const mostSegments = (text: string): number =>
  NOT_EVERYWHERE.test(text) ? segmentsOf([...text], false) : textSegments(text);

function segmentsOf(characters: readonly string[], isGsm: boolean): number {
  const lengths = characters.map((character) =>
    isGsm ? (septets.get(character) as number) : character.length,
  );
  const { whole, part } = isGsm ? ROOM.gsm : ROOM.ucs2;
  if (lengths.reduce((sum, length) => sum + length, 0) <= whole) return 1;
  let segments = 1;
  let used = 0;
  for (const length of lengths) {
    if (used + length > part) {
      segments++;
      used = 0;
    }
    used += length;
  }
  return segments;
}
