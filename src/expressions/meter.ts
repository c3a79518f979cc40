import { PublicError } from "../base/errors.ts";
/**
 * What one evaluation may cost. Steps are counted, not timed, so that the same expression over the same data always gives
 * the same answer, however busy the machine: one step is a node visited, an element read or 16 characters made;
 * a member's name listed is two, and taking a text apart costs four times what making it does.
 *
 * Most steps take 0.02 µs and the dearest we could find (characters taken apart, members of CEL maps) 0.2, so that an
 * evaluation ends within 50 ms and holds some megabytes. A filter over 1,000 records with four conditions takes 20,000.
 */
export const MAX_STEPS = 200_000;

const CHARACTERS_A_STEP = 16;

/** Why an expression has no value: said to whoever wrote it, never a reason to stop the turn. */
export class EvaluationError extends PublicError {
  override readonly name = "EvaluationError";
}

export class Meter {
  #left = MAX_STEPS;
  readonly #costOfItem: number;

  /** `costOfItem` is what an expression may do with each item of a list it goes through. */
  constructor(costOfItem = 1) {
    this.#costOfItem = costOfItem;
  }

  spend(steps = 1): void {
    this.#left -= steps;
    if (this.#left < 0) throw new EvaluationError(`the expression needs more than ${MAX_STEPS} steps`);
  }

  /** To be asked before a text of this length is made: afterwards the memory is gone. */
  spendText(length: number): void {
    this.spend(1 + length / CHARACTERS_A_STEP);
  }

  /** A list, before it is gone through. */
  spendItems(items: readonly unknown[]): void {
    this.spend(0);
    let steps = items.length;
    for (const item of items) if (typeof item === "string") steps += item.length / CHARACTERS_A_STEP;
    this.spend(steps * this.#costOfItem);
  }
}
