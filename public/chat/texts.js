// @ts-check
/** The page's own words in the language that its server chose; in a page of somebody else's they are English. */
import { ENGLISH } from "./english.js";

const given = globalThis.document?.documentElement?.dataset.chatTexts;

/** @type {typeof ENGLISH} */
export const texts = given ? { ...ENGLISH, ...JSON.parse(given) } : ENGLISH;

/** @param {string} text @param {Record<string, string | number>} values */
export const filled = (text, values) =>
  text.replaceAll(/\{(\w+)\}/g, (_, name) => String(values[name] ?? ""));
