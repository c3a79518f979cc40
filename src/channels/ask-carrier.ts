import { Fault } from "../base/errors.ts";
import { CarrierFault } from "./carrier.ts";

/** Asks a carrier on somebody's behalf: what it refuses or can't do now is told to them in its own words. */
export async function askCarrier<T>(question: Promise<T>): Promise<T> {
  try {
    return await question;
  } catch (error) {
    if (!(error instanceof CarrierFault)) throw error;
    const more = {
      cause: error,
      ...(error.retry_after_s !== null && { retry_after_s: error.retry_after_s }),
    };
    throw new Fault(error.fate === "refused" ? "refused" : "unavailable", error.message, more);
  }
}
