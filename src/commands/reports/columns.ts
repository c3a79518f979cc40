import stringWidth from "string-width";

/**
 * Rows under each other in a terminal, where a character of Chinese or an emoji takes two places. The first and the last column
 * begin at the left; what stands between them begins there as words, and ends under each other as figures.
 */
export function columns(rows: readonly string[][], middle: "words" | "figures" = "figures"): string[] {
  const widths = (rows[0] ?? []).map((_, at) => Math.max(...rows.map((row) => stringWidth(row[at] ?? ""))));
  return rows.map((row) =>
    row
      .map((text, at) => {
        const room = " ".repeat((widths[at] ?? 0) - stringWidth(text));
        return middle === "words" || at === 0 || at === row.length - 1 ? text + room : room + text;
      })
      .join("  ")
      .trimEnd(),
  );
}
