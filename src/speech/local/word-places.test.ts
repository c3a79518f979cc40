import { expect, test } from "vitest";
import { readPhones, wordPlaces } from "./word-places.ts";

const SAID = "We are open from eight in the morning to five in the afternoon, at 16:15.";
/** What flite prints for it (`-psdur`). */
const PRINTED = `pau:0.222 w:0.263 iy:0.369 aa:0.430 r:0.527 ow:0.648 p:0.729 ax:0.756 n:0.829 f:0.915 r:0.964 ah:0.994
  m:1.075 ey:1.249 t:1.279 ih:1.355 n:1.417 dh:1.458 ax:1.486 m:1.550 ao:1.649 r:1.712 n:1.757 ih:1.797 ng:1.877
  t:1.930 ax:1.967 f:2.070 ay:2.241 v:2.321 ih:2.359 n:2.413 dh:2.440 iy:2.579 ae:2.676 f:2.754 t:2.816 er:2.874
  n:2.951 uw:3.058 n:3.182 pau:3.304 ae:3.386 t:3.448 s:3.550 ih:3.594 k:3.651 s:3.723 t:3.779 iy:3.926 n:3.999
  f:4.105 ih:4.184 f:4.250 t:4.317 iy:4.556 n:4.668 pau:4.843`;

test("each word is found where it sounds, a number and a pause among them", () => {
  const places = wordPlaces(SAID, readPhones(PRINTED), 1000);
  const told = places.map(({ from, to, begins, ends }) => `${SAID.slice(from, to)} ${begins}–${ends}`);
  expect(told).toEqual([
    "We 222–369",
    "are 369–527",
    "open 527–829",
    "from 829–1075",
    "eight 1075–1279",
    "in 1279–1417",
    "the 1417–1486",
    "morning 1486–1877",
    "to 1877–1967",
    "five 1967–2321",
    "in 2321–2413",
    "the 2413–2579",
    "afternoon, 2579–3182",
    "at 3304–3448",
    "16:15. 3448–4668",
  ]);
});

test("fewer sounds than words, or none, say nothing", () => {
  expect(wordPlaces("one two", readPhones("pau:0.2 w:0.3 pau:0.5"), 1000)).toEqual([]);
  expect(wordPlaces("", readPhones(""), 1000)).toEqual([]);
});
