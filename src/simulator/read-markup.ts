/**
 * Reads TwiML as far as this platform writes it: verbs in order, their attributes, and what stands inside. Comments,
 * CDATA and namespaces are not TwiML of ours.
 */
export type Verb = { name: string; attributes: Record<string, string>; text: string; nouns: Verb[] };

const TAG = /<(\/?)([A-Za-z]+)((?:\s+[A-Za-z:]+="[^"]*")*)\s*(\/?)>|([^<]+)/g;

/** Throws for what is no TwiML, as the carrier would end the call. */
export function readMarkup(xml: string): Verb[] {
  const root: Verb = { name: "", attributes: {}, text: "", nouns: [] };
  const open: Verb[] = [root];
  for (const [whole, closing, name = "", attributes = "", selfClosing, text] of xml
    .replace(/^\s*<\?xml[^>]*\?>/, "")
    .matchAll(TAG)) {
    const inside = open.at(-1)!;
    if (text !== undefined) inside.text += unescaped(text);
    else if (closing) {
      if (inside.name !== name) throw new Error(`${whole} closes nothing`);
      open.pop();
    } else {
      const verb: Verb = { name, attributes: attributesOf(attributes), text: "", nouns: [] };
      inside.nouns.push(verb);
      if (!selfClosing) open.push(verb);
    }
  }
  const [response] = root.nouns;
  if (open.length !== 1 || root.nouns.length !== 1 || response?.name !== "Response") {
    throw new Error("this is no <Response>");
  }
  return response.nouns;
}

const attributesOf = (text: string): Record<string, string> =>
  Object.fromEntries(
    [...text.matchAll(/([A-Za-z:]+)="([^"]*)"/g)].map(([, name = "", value = ""]) => [
      name,
      unescaped(value),
    ]),
  );

const ENTITIES: Record<string, string> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" };

const unescaped = (text: string): string =>
  text.replace(/&(#x[0-9a-f]+|#\d+|\w+);/gi, (whole, entity: string) => {
    if (entity.startsWith("#x")) return String.fromCodePoint(Number.parseInt(entity.slice(2), 16));
    if (entity.startsWith("#")) return String.fromCodePoint(Number(entity.slice(1)));
    return ENTITIES[entity] ?? whole;
  });
