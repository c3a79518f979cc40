import { expect } from "vitest";

/*
 * Whose numbers are: when people agreed to be called, when their number was given to somebody else, and what carriers said of
 * it. Read as plainly as can be, without the program's own code.
 */

/** What a carrier is asked and says: the truth, that it doesn't know, or nothing. */
export type LookUp = "truth" | "unknown" | "unreachable";

type Said = { at: Date; since: string; answer: "yes" | "no" | "unknown" | "failed" };

const DAY_ms = 86_400_000;
/** When everybody agreed, unless they did again. */
export const AGREED_ON = "2026-01-02";

const dayOf = (at: Date): string => at.toISOString().slice(0, 10);

export class NumberOwners {
  readonly #agreed = new Map<string, string>();
  readonly #given = new Map<string, string>();
  readonly said = new Map<string, Said[]>();

  agreedOn(number: string): string {
    return this.#agreed.get(number) ?? AGREED_ON;
  }

  /** Whoever has the number now agrees to be called. */
  agree(number: string, at: Date): void {
    this.#agreed.set(number, dayOf(at));
  }

  /** The number is given to somebody else. */
  give(number: string, at: Date): void {
    this.#given.set(number, dayOf(at));
  }

  /** As a carrier knows it: by days. */
  wasGivenSince(number: string, since: string): boolean {
    return (this.#given.get(number) ?? "") > since;
  }

  /** A carrier is asked; what it says. */
  ask(number: string, since: string, how: LookUp, at: Date): Said {
    const truth = this.wasGivenSince(number, since) ? "yes" : "no";
    const answer = how === "truth" ? truth : how === "unknown" ? "unknown" : "failed";
    const said: Said = { at, since, answer };
    this.said.set(number, [...(this.said.get(number) ?? []), said]);
    return said;
  }

  /**
   * Before the first attempt to a number, within a day, a carrier had said what it knows. Nobody is called, at any attempt or
   * step, whose number it had last said within a month to be somebody else's since they agreed.
   */
  checkStart(number: string, at: Date, is_first: boolean): void {
    const all = this.said.get(number) ?? [];
    const answers = all.filter(({ answer }) => answer !== "failed");
    const recent = answers.filter((said) => at.getTime() - said.at.getTime() < DAY_ms);
    const last = all.at(-1);
    const isSomebodyElses =
      last?.answer === "yes" &&
      last.since >= this.agreedOn(number) &&
      at.getTime() - last.at.getTime() < 30 * DAY_ms;
    expect(isSomebodyElses, "a number was called that is somebody else's").toBe(false);
    if (is_first)
      expect(recent.length, "a number was called without an answer of the carrier").toBeGreaterThan(0);
  }
}
