import { expect, test } from "vitest";
import { count, durationText, showProgress, sizeText } from "./show-progress.ts";

/** A terminal of forty columns that keeps what is written, or a file. */
function stream(isTTY: boolean) {
  const written: string[] = [];
  const write = (text: string) => written.push(text);
  return { written, stream: { isTTY, columns: 40, write } as unknown as NodeJS.WriteStream };
}

test("progress is one line of a terminal, and is gone at the end", () => {
  const { written, stream: terminal } = stream(true);
  const progress = showProgress("Backing up", terminal);
  progress.begin(2_000_000);
  progress.at("sessions", 1_000_000);
  progress.moved(500_000);
  progress.at("a_table_whose_name_is_longer_than_the_line_has_room", 1_000_000);
  progress.end();
  expect(written[0]).toMatch(/Backing up 0 % {2}0 B {2}\S+ B\/s {2}sessions$/);
  for (const line of written) {
    expect(line).not.toContain("\n");
    expect(line.replace("\r\x1b[K", "").length).toBeLessThan(40);
  }
  expect(written.at(-1)).toBe("\r\x1b[K");
});

test("nothing is written where no person looks", () => {
  const { written, stream: file } = stream(false);
  const progress = showProgress("Backing up", file);
  progress.begin(10);
  progress.at("sessions", 10);
  progress.moved(10);
  progress.end();
  expect(written).toEqual([]);
});

test("sizes, counts and durations read as a person writes them", () => {
  expect([0, 999, 1_000, 9_949, 9_950, 317_311, 999_499, 999_500, 8.1e9].map(sizeText)).toEqual([
    "0 B",
    "999 B",
    "1.0 kB",
    "9.9 kB",
    "10 kB",
    "317 kB",
    "999 kB",
    "1.0 MB",
    "8.1 GB",
  ]);
  expect([count(1, "file"), count(48_213, "row")]).toEqual(["1 file", "48,213 rows"]);
  expect([0.84, 12, 754].map(durationText)).toEqual(["0.8 s", "12.0 s", "12 min 34 s"]);
});
