import { useState } from "react";
import type { TestRunListed } from "../api-types.ts";
import { RUN_WORDS } from "./run-words.ts";

/** Tells a screen reader that what was running when the page was opened is over; the progress until then would be told every few seconds. */
export function Ended({ status, noun }: { status: TestRunListed["status"]; noun: string }) {
  const [first] = useState(status);
  return (
    <p className="sr-only" role="status">
      {first === "running" && status !== "running" && `The ${noun} is ${RUN_WORDS[status].word}.`}
    </p>
  );
}
