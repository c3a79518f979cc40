/** The choices of a campaign's form, in words. */

export const MODES = [
  { value: "voice", label: "Telephone" },
  { value: "sms", label: "Text message" },
  { value: "email", label: "E-mail" },
];

export const DAY_NAMES: Record<string, string> = {
  mon: "Monday",
  tue: "Tuesday",
  wed: "Wednesday",
  thu: "Thursday",
  fri: "Friday",
  sat: "Saturday",
  sun: "Sunday",
};

export const LINE_TYPES = [
  { value: "mobile", label: "mobile" },
  { value: "landline", label: "landline" },
  { value: "voip", label: "voice over IP" },
];

export const DETECTION_METHODS = [
  { value: "v1", label: "Version 1" },
  { value: "v2", label: "Version 2" },
];

export const MATCHES = [
  { value: "all", label: "every rule" },
  { value: "any", label: "one rule" },
];

export const UNKNOWN_VALUES = [
  { value: "include", label: "pass" },
  { value: "exclude", label: "fail" },
];

export const FILTER_OPS = [
  { value: "in", label: "is one of" },
  { value: "not_in", label: "is none of" },
  { value: "eq", label: "is" },
  { value: "neq", label: "is not" },
  { value: "exists", label: "is known" },
  { value: "not_exists", label: "is not known" },
];
