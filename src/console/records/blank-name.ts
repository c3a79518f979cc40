const NAMES = ["name", "campaign_name", "display_name"];

/**
 * The field of a name that holds nothing but blanks: the API takes it as its specification does, and nobody would see what
 * the record is called. Null: none does.
 */
export const blankName = (values: object): string | null =>
  NAMES.find((field) => /^\s+$/.test(String((values as Record<string, unknown>)[field] ?? ""))) ?? null;

export const BLANK_NAME = "Fill this in.";
