/** One thing the doctor looked at: fine, or a sentence that says what to do. */
export type Finding = { check: string; status: "ok" | "warning" | "problem"; message: string };
