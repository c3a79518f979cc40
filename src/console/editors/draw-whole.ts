import type { EditorView } from "@codemirror/view";

/** A longer text is higher than its editor may be, and too much to draw at once. */
const MOST_CHARACTERS = 50_000;

/**
 * Draws all lines of an editor at once, as for printing, which CodeMirror has no option for. It draws those near what is
 * seen and guesses the height of the others, so that an editor grew or shrank as somebody scrolled, and a button below it
 * moved away from the pointer that was pressing it.
 */
export function drawWhole(editor: EditorView): void {
  if (editor.state.doc.length > MOST_CHARACTERS) return;
  (editor as unknown as { viewState: { printing: boolean } }).viewState.printing = true;
  // Whoever asks for a place is answered by what was measured, so it is measured now and not with the next frame.
  editor.coordsAtPos(0);
}
