import { CANADIAN_POSTAL_AREAS, US_ZIP_AREAS } from "./postal-areas.ts";

/** Where the addresses of a postal code are: "US-TX", and the zones they may be in. */
export type PostalArea = { region: string; zones: readonly string[] };

/** By the beginning of a code: 3 or 5 digits, or 1 to 3 characters of a Canadian one. */
const areas = new Map<string, PostalArea>(
  [...US_ZIP_AREAS, ...CANADIAN_POSTAL_AREAS].flatMap(([region, zones, beginnings]) => {
    const area = { region, zones: zones.split(" ") };
    return beginnings.split(" ").flatMap((part) => everyBeginning(part).map((each) => [each, area] as const));
  }),
);

function everyBeginning(part: string): string[] {
  const [first = "", last] = part.split("-");
  if (last === undefined) return [first];
  const [from, to] = [Number(first), Number(last)];
  return Array.from({ length: to - from + 1 }, (_, n) => String(from + n).padStart(first.length, "0"));
}

export const POSTAL_REGIONS: ReadonlySet<string> = new Set([...areas.values()].map(({ region }) => region));

/** Countries whose numbers' owners write ZIP codes or Canadian ones; "+1": a number of the plan that is of no country. */
const COUNTRIES: ReadonlySet<string> = new Set(["US", "CA", "PR", "VI", "GU", "AS", "MP", "+1"]);

const ZIP = /^\d{5}(-?\d{4})?$/;
/** No other country writes its codes so. The letters are those that Canada Post uses. */
const CANADIAN = /^[ABCEGHJ-NPRSTVXY]\d[ABCEGHJ-NPRSTV-Z][ -]?\d[ABCEGHJ-NPRSTV-Z]\d$/;

/**
 * Where a postal code is. `country`: of the person's number; null where they have none. Five digits may be a code of many
 * countries, so they count only beside a number of the US or Canada. Null: the code tells nothing. Pure.
 */
export function postalArea(code: string, country: string | null): PostalArea | null {
  if (country !== null && !COUNTRIES.has(country)) return null;
  const text = code.trim().toUpperCase();
  if (CANADIAN.test(text)) return areaOf(text, [3, 2, 1]);
  return country !== null && ZIP.test(text) ? areaOf(text, [5, 3]) : null;
}

function areaOf(code: string, lengths: readonly number[]): PostalArea | null {
  for (const length of lengths) {
    const area = areas.get(code.slice(0, length));
    if (area) return area;
  }
  return null;
}

/** Where all codes of one person are; what is no code is passed over. Null: they tell nothing, or contradict each other. Pure. */
export function commonPostalArea(codes: readonly string[], country: string | null): PostalArea | null {
  const found = new Set(codes.map((code) => postalArea(code, country)).filter((area) => area !== null));
  return found.size === 1 ? ([...found][0] as PostalArea) : null;
}
