/*
 * What of our words the person has heard. Every sample that goes out belongs to a place in a piece of text: through the
 * voice's own alignment where it tells one, else in proportion. Positions are samples since the line was opened.
 *
 * For all orders of calls: heard ≤ sent ≤ written, what was heard only grows, and it is a prefix of what was said.
 */

/** The characters `from` to `to` of the text sound from sample `begins` to `ends` of the piece. */
export type Aligned = { from: number; to: number; begins: number; ends: number };

type Piece = {
  id: number;
  text: string;
  begins: number;
  length: number;
  /** All of its audio is here. */
  whole: boolean;
  /** How long it will be; null: not known yet. */
  expected: number | null;
  aligned: readonly Aligned[];
  /** Characters known to be heard; never taken back when a later length makes it seem less. */
  heard: number;
};

type HeardPiece = { id: number; text: string; whole: boolean };

export class Playout {
  /** A guess for a piece whose end is not here yet: 15 characters a second. */
  readonly #samples_per_character: number;
  #pieces: Piece[] = [];
  #written = 0;
  #sent = 0;
  #played = 0;

  constructor(rate: number) {
    this.#samples_per_character = rate / 15;
  }

  get written(): number {
    return this.#written;
  }

  get sent(): number {
    return this.#sent;
  }

  get played(): number {
    return this.#played;
  }

  /** Everything that was written is known to be played. */
  get isOver(): boolean {
    return this.#played === this.#written && this.#pieces.every(({ whole }) => whole);
  }

  /**
   * Pieces are spoken one after the other; a piece without words (a sound, keys) has an empty text. `aligned` counts from
   * the piece's own first sample, and may be added to while the piece is written.
   */
  begin(id: number, text: string, aligned: readonly Aligned[] = []): void {
    this.#pieces.push({
      id,
      text,
      begins: this.#written,
      length: 0,
      whole: false,
      expected: null,
      aligned,
      heard: 0,
    });
  }

  /** Audio of the piece begun last. */
  write(samples: number): void {
    const piece = this.#pieces.at(-1);
    if (!piece || piece.whole) throw new Error("audio of no piece");
    piece.length += samples;
    this.#written += samples;
  }

  /** The length that a piece will have is known before all of it is here. */
  expect(id: number, samples: number): void {
    const piece = this.#pieces.find((candidate) => candidate.id === id);
    if (piece) piece.expected = samples;
  }

  end(): void {
    const piece = this.#pieces.at(-1);
    if (piece) piece.whole = true;
  }

  send(samples: number): void {
    this.#sent = Math.min(this.#written, this.#sent + samples);
  }

  /** The line has played up to this sample, by a mark that came back or by the clock; late word of less is no news. */
  play(position: number): void {
    this.#played = Math.max(this.#played, Math.min(this.#sent, position));
    for (const piece of this.#pieces) {
      const characters = this.#characters(piece, this.#played - piece.begins);
      piece.heard = Math.max(piece.heard, characters);
    }
  }

  /** Nothing more is sent: what was written beyond it is forgotten. What is on its way may still be heard. */
  stop(): HeardPiece[] {
    const heard = this.heard();
    this.#pieces = [];
    this.#written = this.#sent;
    this.#played = this.#sent;
    return heard;
  }

  /** Pieces that were heard to their end are taken off, once the caller of this knows of them. */
  settle(): HeardPiece[] {
    const isDone = (piece: Piece) => piece.whole && this.#played >= piece.begins + piece.length;
    const done = this.heard().filter(({ whole }) => whole);
    this.#pieces = this.#pieces.filter((piece) => !isDone(piece));
    return done;
  }

  /** Up to whole words, in the order they were said. */
  heard(): HeardPiece[] {
    return this.#pieces.map((piece) => ({
      id: piece.id,
      text: piece.text.slice(0, piece.heard),
      whole: piece.whole && this.#played >= piece.begins + piece.length,
    }));
  }

  /**
   * Where to speak on after a cut: at the beginning of the first word that was not heard to its end, as a character of the
   * text and a sample of the piece.
   */
  cutOf(id: number): { character: number; sample: number } {
    const piece = this.#pieces.find((candidate) => candidate.id === id);
    if (!piece) return { character: 0, sample: 0 };
    const played = this.#played - piece.begins;
    for (const word of piece.text.matchAll(/\S+/g)) {
      const begins = this.#sampleAt(piece, word.index);
      if (this.#sampleAt(piece, word.index + word[0].length) <= played) continue;
      return { character: word.index, sample: Math.max(0, Math.floor(begins)) };
    }
    return { character: piece.text.length, sample: piece.length };
  }

  #characters(piece: Piece, played: number): number {
    if (played <= 0) return 0;
    if (piece.whole && played >= piece.length) return piece.text.length;
    let heard = 0;
    for (const word of piece.text.matchAll(/\S+\s*/g)) {
      const middle = word.index + word[0].trimEnd().length / 2;
      if (this.#sampleAt(piece, middle) > played) break;
      heard = word.index + word[0].trimEnd().length;
    }
    return heard;
  }

  /** Where in the piece's audio this character sounds. */
  #sampleAt(piece: Piece, character: number): number {
    const span = piece.aligned.find(({ from, to }) => character >= from && character <= to);
    if (span) {
      const share = span.to === span.from ? 1 : (character - span.from) / (span.to - span.from);
      return span.begins + share * (span.ends - span.begins);
    }
    const share = character / Math.max(1, piece.text.length);
    if (piece.whole) return share * piece.length;
    return (
      share * (piece.expected ?? Math.max(piece.length, piece.text.length * this.#samples_per_character))
    );
  }
}
