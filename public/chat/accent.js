// @ts-check
/** The colour a site asked for (`?accent=0f766e`), and black or white on it, whichever is easier to read. */
export function applyAccent(/** @type {string | null} */ wanted) {
  if (!wanted || !/^[0-9a-f]{6}$/i.test(wanted)) return;
  const [red, green, blue] = [0, 2, 4].map((at) =>
    linear(Number.parseInt(wanted.slice(at, at + 2), 16) / 255),
  );
  const luminance = 0.2126 * Number(red) + 0.7152 * Number(green) + 0.0722 * Number(blue);
  const { style } = document.documentElement;
  style.setProperty("--accent", `#${wanted}`);
  // At this luminance both have the same contrast (WCAG 2).
  style.setProperty("--on-accent", luminance > 0.179 ? "#111418" : "#ffffff");
}

/** @param {number} part of sRGB, 0 to 1 */
const linear = (part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4);
