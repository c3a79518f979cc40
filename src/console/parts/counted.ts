/** "1 test", "1,234 tests", "1 entry is": a number with what it counts. */
export const counted = (count: number, one: string, many = `${one}s`): string =>
  `${count.toLocaleString("en")} ${count === 1 ? one : many}`;
