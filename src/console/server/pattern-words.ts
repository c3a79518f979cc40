/** What a text may hold or looks like, by the pattern that the API has for it. */
const WORDS: [says: string, ...patterns: string[]][] = [
  ["Use no spaces", "^\\S*$", "^\\S+$"],
  ["Use 1 to 64 letters (a to z), digits, underscores and hyphens, no spaces", "^[a-zA-Z0-9_-]{1,64}$"],
  [
    "Use up to 40 letters (a to z), digits and underscores, beginning with a letter",
    "^[A-Za-z][A-Za-z0-9_]{0,39}$",
  ],
  [
    "Use up to 30 small letters (a to z), digits, spaces, underscores and hyphens, beginning with a letter",
    "^[a-z][a-z\\d _-]{0,29}$",
  ],
  [
    "Use up to 64 letters (a to z), digits and underscores, beginning with a letter or underscore",
    "^[A-Za-z_]\\w{0,63}$",
  ],
  [
    "Use up to 63 small letters (a to z), digits and hyphens, with no hyphen at either end",
    "^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$",
  ],
  ["Use letters (a to z), digits and hyphens, no spaces", "^[A-Za-z0-9!#$%&'*+.^_`|~-]+$"],
  ["Write it in one line", "^[^\\u0000-\\u0008\\u000a-\\u001f\\u007f]*$"],
  [
    "Enter a time such as 08:30",
    "^([01]\\d|2[0-3]):[0-5]\\d$",
    "^(?:[01]\\d|2[0-3]):[0-5]\\d$",
    "^(?:[01]\\d|2[0-3]):[0-5]\\d(?::[0-5]\\d)?$",
    "^(?:(?:[01]\\d|2[0-3]):[0-5]\\d|24:00)$",
  ],
  [
    "Enter a date such as 2026-11-24",
    "^(19|20)\\d{2}-\\d{2}-\\d{2}$",
    "^(19|20)\\d{2}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])$",
    "^\\d{4}-\\d{2}-\\d{2}$",
  ],
  ["Enter a date and time such as 2026-11-24T10:00:00", "^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}$"],
  ["Enter a number and a unit, such as 10m, 4h or 1d", "^[1-9]\\d{0,3}[smhdw]$"],
  ["Enter a whole number from 1 to 999", "^[1-9]\\d{0,2}$"],
  ["Enter a language code such as de or de-DE", "^[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})*$"],
  ["Enter a phone number or a SIP address", "^([Ss][Ii][Pp][Ss]?:\\S+|\\+?\\(?[0-9*#][0-9*#().\\s-]*)$"],
  [
    "Enter uri_parameters, to_parameters, from_parameters, or sip_header: and a header's name",
    "^(uri_parameters|to_parameters|from_parameters|sip_header:[A-Za-z0-9-]+)$",
  ],
  [
    "Enter an address that begins with http:// or https://, without spaces",
    "^https?:\\/\\/[^\\s@/?#]+(?:[/?#]\\S*)?$",
  ],
];

const SAID = new Map(WORDS.flatMap(([says, ...patterns]) => patterns.map((pattern) => [pattern, says])));

export const patternInWords = (pattern: string): string =>
  SAID.get(pattern) ?? "Use the form that the field asks for";
