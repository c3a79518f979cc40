/** What a backup or a restore tells of itself while it runs. */
export type ArchiveProgress = {
  begin(expected_bytes: number): void;
  /** A table or file begins of about this size. */
  at(name: string, expected_bytes: number): void;
  moved(bytes: number): void;
};

/** The same bytes, told of as they pass. What the source returns at its end is returned. */
export async function* counted<End>(
  source: AsyncIterable<Buffer, End>,
  progress: ArchiveProgress,
): AsyncGenerator<Buffer, End> {
  const pieces = source[Symbol.asyncIterator]();
  for (;;) {
    const next = await pieces.next();
    if (next.done) return next.value;
    progress.moved(next.value.length);
    yield next.value;
  }
}
