import { EVENT_TYPES } from "../src/events/event-types.ts";

/** What is written by hand ends with the head of the derived part. */
const HEAD = "\n## Types\n";

/** docs/events.md with the tables of its types as the catalogue has them. */
export function eventsPage(written: string): string {
  const by_hand = written.slice(0, written.indexOf(HEAD) + HEAD.length);
  const rows = Object.entries(EVENT_TYPES).flatMap(([type, { category, when, attributes }]) =>
    [category].flat().map((of) => ({
      of,
      row: `| \`${type}\` | ${when} | ${attributes.map((name) => `\`${name}\``).join(", ")} |`,
    })),
  );
  const tables = [...Map.groupBy(rows, ({ of }) => of)].map(
    ([of, its]) =>
      `\n### ${of}\n\n| type | recorded when | attributes |\n|---|---|---|\n${its.map(({ row }) => row).join("\n")}\n`,
  );
  return by_hand + tables.join("");
}
