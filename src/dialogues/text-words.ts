import type { StoredText } from "./text-store.ts";

/** What the agent reads of a message with nothing in it: no words at all would mean that the person is silent. */
export const NO_TEXT = "[message without text]";

/** The words, and by name what came with them: the agent can't look at it, but can say so. */
export function wordsOf({ text, media }: Pick<StoredText, "text" | "media">): string {
  const attached = media.map(({ type, url }) =>
    `[attached: ${type || "file"} ${url.split("/").at(-1) ?? ""}]`.replace(" ]", "]"),
  );
  return [text, ...attached].filter((part) => part !== "").join("\n");
}
