import type { DirectoryMember, DirectoryMemberCreate } from "../api-types.ts";
import { DAYS } from "../messages/message-fields.ts";
import { type FieldLabels, worded } from "../server/field-labels.ts";

/** When a number is reached; every key is a text of the API, and one that is empty is left out. */
export type Rule = Record<string, string>;
export type NumberValues = { number: string; rules: Rule[] };
export type ExtensionValues = { name: string; numbers: NumberValues[] };

export type MemberValues = {
  name: string;
  type: string;
  extensions: ExtensionValues[];
  /** Each tag's values as one text, with commas between. */
  contact_tags: Record<string, string>;
  comments: string;
};

type Stored = Pick<DirectoryMember, "name" | "type" | "extensions" | "contact_tags">;

export const MEMBER_LABELS: FieldLabels = {
  type: "Kind",
  contact_tags: "Tags",
  comments: "Version note",
  "extensions.*.numbers.*.rules.*.days": worded("Days", Object.fromEntries(DAYS)),
  "extensions.*.numbers.*.rules.*.invert": worded("Invert", { true: "outside these hours", false: "" }),
  "extensions.*.numbers.*.rules.*.date": "On the date",
  "extensions.*.numbers.*.rules.*.start_time": "From",
  "extensions.*.numbers.*.rules.*.end_time": "To",
  "extensions.*.numbers.*.rules.*.timezone": "Time zone",
};

export const valuesOf = (member: Stored | null): MemberValues => ({
  name: member?.name ?? "",
  type: member?.type ?? "",
  extensions: (member?.extensions ?? []).map(({ name, numbers }) => ({
    name,
    numbers: (numbers ?? []).map(({ number, rules }) => ({ number, rules: rules ?? [] })),
  })),
  contact_tags: Object.fromEntries(
    Object.entries(member?.contact_tags ?? {}).map(([tag, values]) => [tag, values.join(", ")]),
  ),
  comments: "",
});

export const sentMember = (values: MemberValues): DirectoryMemberCreate => ({
  ...values,
  extensions: values.extensions.map(({ name, numbers }) => ({
    name,
    numbers: numbers.map(({ number, rules }) => ({ number: number.trim(), rules: rules.map(filled) })),
  })),
  contact_tags: Object.fromEntries(
    Object.entries(values.contact_tags).map(([tag, text]) => [
      tag,
      text
        .split(",")
        .map((each) => each.trim())
        .filter((each) => each !== ""),
    ]),
  ),
  comments: values.comments || null,
});

const filled = (rule: Rule): Rule =>
  Object.fromEntries(Object.entries(rule).filter(([, text]) => text !== ""));

const DAY_NAMES: Record<string, string> = Object.fromEntries(DAYS);

/** A rule in words: "in es, Mon, Tue, 09:00 to 17:00". */
export function ruleWords(rule: Rule): string {
  const { language, days, date, start_time, end_time, invert, timezone } = rule;
  const dayText = days
    ?.split(",")
    .map((day) => DAY_NAMES[day] ?? day)
    .join(", ");
  const hours = start_time && end_time ? `${start_time} to ${end_time}` : "";
  const times = [date, dayText, hours].filter((part) => part).join(", ");
  return (
    [
      language && `in ${language}`,
      times && (invert === "true" ? `outside ${times}` : times),
      timezone && `by the clock of ${timezone}`,
    ]
      .filter((part) => part)
      .join("; ") || "always"
  );
}
