import { patternInWords } from "./pattern-words.ts";

export const missingPermission = (name: string): string =>
  `This needs the permission ${name}. Ask an administrator for it.`;

/**
 * What the API says of an input is worded as its specification words it: "String should have at least 1 character". On a
 * page it is a sentence that says what to enter, and of a permission that is missing, what to do about it.
 */
const RULES: [found: RegExp, says: (...parts: string[]) => string][] = [
  [/^Missing permission: (.+)$/, (name) => missingPermission(name)],

  [/^Field required: (.+)$/s, (why) => why],
  [/^Field required$/, () => "Fill this in"],
  [/^Extra inputs are not permitted$/, () => "There is no such field"],
  [/^Input does not match any of the allowed shapes$/, () => "This fits none of the possible forms"],

  [/^String should have at least 1 character$/, () => "Fill this in"],
  [/^String should have at least (.+) characters$/, (least) => `Enter at least ${least} characters`],
  [/^String should have at most (.+) characters?$/, (most) => `Use at most ${most} characters`],
  [/^String should match pattern '(.*)'$/s, (pattern) => patternInWords(pattern)],
  [/^String should not contain /, () => "Remove characters that can't be stored"],
  [/^(?:List|Dictionary) should have at least 1 item\b/, () => "Add at least one"],
  [/^(?:List|Dictionary) should have at least (.+) items\b/, (least) => `Add at least ${least}`],
  [/^(?:List|Dictionary) should have at most (.+) items?\b/, (most) => `Use at most ${most} entries`],

  [/^Input should be greater than or equal to (.+)$/, (least) => `Enter ${least} or more`],
  [/^Input should be less than or equal to (.+)$/, (most) => `Enter ${most} or less`],
  [/^Input should be greater than (.+)$/, (bound) => `Enter more than ${bound}`],
  [/^Input should be less than (.+)$/, (bound) => `Enter less than ${bound}`],
  [/^Input should not lie in the future$/, () => "Choose a time that is not in the future"],
  [/^Input should not be less than (.+)$/, (field) => `Enter no less than ${spaced(field)}`],
  [/^Input should not be before (.+)$/, (field) => `Choose a time that is not before ${spaced(field)}`],

  [/^Input should be a valid integer\b/, () => "Enter a whole number"],
  [/^Input should be a valid (?:datetime|date or datetime)\b/, () => "Enter a date and time"],
  [/^Input should be (?:true or false|a valid bool(?:ean)?)\b/, () => "Choose yes or no"],
  [/^Input should be a valid (?:dictionary|list)\b/, () => "Enter JSON of the form that the field asks for"],
  [/^Input should be a valid string\b/, () => "Enter a text"],
  [/^Input should be a valid number\b/, () => "Enter a number"],
  [/^Input should be (?:one of )?('.+)$/s, (choices) => `Choose ${choices.replaceAll("'", "")}`],
  [/^Input should be one of (.+)$/s, (choices) => `Choose one of ${choices}`],
  [/^Input should be (.+)$/s, (what) => `Enter ${what}`],
  [/^Input should decode to (.+)$/, (what) => `Enter a text that decodes to ${what}`],
];

const spaced = (field: string): string => field.replaceAll("_", " ");

/** The same as a sentence of the page. What is one already stays as it is. */
export function inPlainWords(message: string): string {
  for (const [found, says] of RULES) {
    const parts = found.exec(message);
    if (parts) return sentence(says(...parts.slice(1)));
  }
  return message;
}

const sentence = (text: string): string =>
  `${text.charAt(0).toUpperCase()}${text.slice(1)}${/[.!?]$/.test(text) ? "" : "."}`;
