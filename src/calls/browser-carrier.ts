/** The "carrier" of a call from a page: nobody stands between us and it. As `calls.carrier` has it. */
export const BROWSER = "browser";
