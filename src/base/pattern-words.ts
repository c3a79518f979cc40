/** What RE2JS finds wrong with a pattern, in our words: an author reads what to mend, and no library's name or spelling. */
const FAULTS: [start: string, words: string][] = [
  ["missing closing )", "a ( is never closed"],
  ["missing closing ]", "a [ is never closed"],
  ["unexpected )", "a ) closes nothing"],
  ["missing argument to repetition operator", "a repetition has nothing before it"],
  ["invalid nested repetition operator", "a repetition follows another one"],
  ["invalid repeat count", "a count runs from a lower to a higher number, up to 1000"],
  ["invalid character class range", "a range or class of characters doesn't exist"],
  [
    "invalid escape sequence",
    "a backslash is followed by what has no meaning; references to groups are not supported",
  ],
  ["trailing backslash", "a backslash ends it"],
  [
    "invalid or unsupported Perl syntax",
    "this kind of group is not supported, such as look-ahead and look-behind",
  ],
  ["invalid named capture", "a group's name consists of letters, digits and underscores"],
  ["duplicate capture group name", "two groups have the same name"],
];

/** `description` as the library gives it; `at` is the part of the pattern it means, where it says so. */
export function patternWords(description: string, at: string | null): string {
  const found = FAULTS.find(([start]) => description.startsWith(start));
  const words = found?.[1] ?? "it can't be read as a regular expression (RE2)";
  return at ? `${words}: ${at.length > 60 ? `${at.slice(0, 60)}…` : at}` : words;
}
