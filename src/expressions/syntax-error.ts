import { PublicError } from "../base/errors.ts";

/** An expression that can never run, as whoever wrote it should hear it. */
export class ExpressionSyntaxError extends PublicError {
  override readonly name = "ExpressionSyntaxError";
  /** Index of the character where it went wrong, when that can be told. */
  readonly position: number | null;

  constructor(message: string, position: number | null) {
    super(message);
    this.position = position;
  }
}
