const characters = new Intl.Segmenter(undefined, { granularity: "grapheme" });

/** The beginning of a text, of `most` UTF-16 units at most, not cut within what a reader takes for one character. */
export function cutTo(text: string, most: number): string {
  const at = characters.segment(text).containing(most)?.index;
  return at === undefined ? text : text.slice(0, at);
}

/** The same, with a sign where something is left out. */
export const shortened = (text: string, most: number): string =>
  text.length > most ? `${cutTo(text, most - 1)}…` : text;
