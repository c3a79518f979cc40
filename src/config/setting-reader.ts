/** What was set, by name. */
export type Environment = Record<string, string | undefined>;

/** One setting: its name in the environment, what it means to a person, and what it is when nothing is said. */
export type Setting = { name: string; example: string; about: string };

export type SettingReader = ReturnType<typeof settingReader>;

/** Reads single settings. What is wrong with them is gathered, each fault a sentence that says the fix. */
export function settingReader(env: Environment) {
  const faults: string[] = [];

  /** Null: left out, or blank, as an unset line of .env is. */
  const given = (name: string): string | null => env[name]?.trim() || null;

  const url = (name: string, protocols: string[], text = given(name)): string | null => {
    if (!text) return null;
    const parsed = URL.canParse(text) ? new URL(text) : null;
    // What follows a # is never sent: it was meant as a part of what stands before.
    if (parsed && protocols.includes(parsed.protocol) && !parsed.hash) return text.replace(/\/+$/, "");
    const starts = protocols.map((protocol) => `${protocol}//`);
    faults.push(
      starts.some((start) => text.startsWith(start))
        ? `${name} is "${withoutPassword(text)}", which is not a usable URL. In a user name or password, write # as %23, / as %2F, ? as %3F and @ as %40.`
        : `${name} is "${withoutPassword(text)}", not a URL starting with ${starts.join(" or ")}.`,
    );
    return null;
  };

  const wholeNumber = (name: string, otherwise: number, [least, most]: [number, number]): number => {
    const value = Number(given(name) ?? otherwise);
    if (Number.isInteger(value) && value >= least && value <= most) return value;
    faults.push(`${name} is "${given(name)}"; use a whole number from ${least} to ${most}.`);
    return otherwise;
  };

  /** One of the known words, in any case. */
  const oneOf = <const Word extends string, Otherwise extends Word | null>(
    name: string,
    known: readonly Word[],
    otherwise: Otherwise,
    words = known.join(" or "),
  ): Word | Otherwise => {
    const text = given(name);
    if (text === null) return otherwise;
    const found = known.find((word) => word === text.toLowerCase());
    if (found === undefined) faults.push(`${name} is "${text}"; use ${words}.`);
    return found ?? otherwise;
  };

  const isOn = (name: string, otherwise: "on" | "off"): boolean =>
    oneOf(name, ["on", "off"], otherwise) === "on";

  /** What stands between commas. */
  const list = (name: string): string[] =>
    (given(name) ?? "")
      .split(",")
      .map((part) => part.trim())
      .filter(Boolean);

  /** Some of the known words, in the order they are given in. */
  const someOf = <Word extends string>(name: string, known: readonly Word[], otherwise: Word[]): Word[] => {
    const text = given(name);
    if (text === null) return otherwise;
    const asked = text.split(",").map((part) => part.trim().toLowerCase());
    const found = known.filter((word) => asked.includes(word));
    if (found.length === asked.length && asked.length > 0)
      return asked.map((part) => known.find((word) => word === part) as Word);
    faults.push(`${name} is "${text}"; use names out of ${known.join(", ")}, each once, with commas.`);
    return otherwise;
  };

  /** Two settings that mean something together. */
  const both = (first: string, second: string): [string, string] | null => {
    const [one, other] = [given(first), given(second)];
    if (one !== null && other !== null) return [one, other];
    if (one !== other)
      faults.push(
        `${one === null ? first : second} is missing; set both ${first} and ${second}, or neither.`,
      );
    return null;
  };

  return { faults, given, url, wholeNumber, oneOf, isOn, list, someOf, both };
}

/**
 * A fault is printed, and kept by whatever keeps what is printed. In a file .env a # ends the value: then what stands where
 * a port would be is the beginning of a password.
 */
export const withoutPassword = (text: string): string =>
  text
    .replace(/^([\w+.-]+:\/\/)?(?:.*@|[^/@:[]*:(?!\d*(?:\/|$)).*)/s, "$1…@")
    .replace(/(password\s*=\s*)(?:'.*'|[^&\s]+)/gis, "$1…");
