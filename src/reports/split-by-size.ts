/** Cuts a list, in its order, into parts of at most `max` bytes; what alone is larger stands alone. */
export function splitBySize<Item extends { bytes: number }>(items: Item[], max: number): Item[][] {
  const parts: Item[][] = [];
  let room = 0;
  for (const item of items) {
    if (item.bytes > room || parts.length === 0) {
      parts.push([]);
      room = max;
    }
    parts.at(-1)?.push(item);
    room -= item.bytes;
  }
  return parts;
}
