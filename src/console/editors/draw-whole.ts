import type { EditorView } from "@codemirror/view";

/** A longer text fills its editor, which then scrolls inside and keeps its height. */
const MOST_CHARACTERS = 20_000;

/**
 * Draws all lines of an editor at once. By itself CodeMirror draws the lines near the visible part and estimates the height
 * of the others, so an editor grows or shrinks while somebody scrolls, and a button below it moves away from the pointer.
 * It has no option for this; `printing` is its own switch, which it sets while a page is printed.
 */
export function drawWhole(editor: EditorView): void {
  if (editor.state.doc.length > MOST_CHARACTERS) return;
  (editor as unknown as { viewState: { printing: boolean } }).viewState.printing = true;
  // Asking for coordinates makes it measure now instead of in the next frame.
  editor.coordsAtPos(0);
}
