import { autocompletion, closeBrackets, closeBracketsKeymap } from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { json, jsonParseLinter } from "@codemirror/lang-json";
import {
  bracketMatching,
  foldGutter,
  HighlightStyle,
  indentOnInput,
  syntaxHighlighting,
} from "@codemirror/language";
import { linter, lintKeymap } from "@codemirror/lint";
import { EditorState, type Extension } from "@codemirror/state";
import { EditorView, highlightActiveLine, keymap, lineNumbers } from "@codemirror/view";
import { tags } from "@lezer/highlight";
import { Input } from "@mantine/core";
import { type ReactNode, useEffect, useRef, useState } from "react";
import classes from "./json-editor.module.css";
import { nonce } from "./nonce.ts";
import { useUnreadable } from "./unreadable.ts";

type Props = {
  label: string;
  description?: ReactNode;
  value: unknown;
  /** Called whenever the text is valid JSON; an invalid text stays in the editor and is marked. */
  onChange(value: unknown): void;
  error?: ReactNode;
  readOnly?: boolean;
};

/** A JSON value as text. */
export function JsonEditor({ label, description, value, onChange, error, readOnly = false }: Props) {
  const place = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView | null>(null);
  const tell = useRef(onChange);
  tell.current = onChange;
  const [fault, setFault] = useState<string | null>(null);
  useUnreadable(fault !== null);
  const text = JSON.stringify(value, null, 2) ?? "";
  const latest = useRef(text);
  latest.current = text;

  useEffect(() => {
    const onEdit = EditorView.updateListener.of((update) => {
      if (!update.docChanged) return;
      const typed = update.state.doc.toString();
      try {
        const parsed: unknown = JSON.parse(typed);
        setFault(null);
        if (JSON.stringify(parsed, null, 2) !== latest.current) tell.current(parsed);
      } catch (cause) {
        setFault(`This is not JSON yet: ${(cause as Error).message}`);
      }
    });
    const created = new EditorView({
      parent: place.current as HTMLElement,
      state: EditorState.create({
        doc: latest.current,
        extensions: [
          ...EXTENSIONS,
          onEdit,
          EditorView.contentAttributes.of({ "aria-label": label, tabindex: "0" }),
          EditorState.readOnly.of(readOnly),
        ],
      }),
    });
    view.current = created;
    return () => created.destroy();
  }, [label, readOnly]);

  // Shows changes from outside, such as Discard, but never replaces what is being typed.
  useEffect(() => {
    const editor = view.current;
    if (!editor || sameJson(editor.state.doc.toString(), text)) return;
    editor.dispatch({ changes: { from: 0, to: editor.state.doc.length, insert: text } });
  }, [text]);

  return (
    <Input.Wrapper label={label} description={description} error={fault ?? error} labelElement="div">
      <div ref={place} className={classes.editor} dir="ltr" data-unreadable={fault !== null} />
    </Input.Wrapper>
  );
}

/** Contrast of 4.5 : 1 or more on the editor's background, in light and dark. */
const COLORS = HighlightStyle.define([
  { tag: tags.propertyName, color: "light-dark(#264592, #a9bef8)" },
  { tag: tags.string, color: "light-dark(#8a2a12, #f0b49b)" },
  { tag: tags.number, color: "light-dark(#14532b, #8fd3a8)" },
  { tag: [tags.bool, tags.null], color: "light-dark(#6b2a86, #d5a8ee)" },
]);

const EXTENSIONS: Extension[] = [
  EditorView.cspNonce.of(nonce),
  lineNumbers(),
  foldGutter(),
  history(),
  indentOnInput(),
  bracketMatching(),
  closeBrackets(),
  autocompletion(),
  highlightActiveLine(),
  syntaxHighlighting(COLORS),
  json(),
  linter(jsonParseLinter()),
  EditorView.lineWrapping,
  // Tab leaves the editor, so that keyboard users are not trapped in it.
  keymap.of([...closeBracketsKeymap, ...defaultKeymap, ...historyKeymap, ...lintKeymap]),
];

function sameJson(a: string, b: string): boolean {
  if (a === b) return true;
  try {
    return JSON.stringify(JSON.parse(a)) === JSON.stringify(JSON.parse(b));
  } catch {
    return false;
  }
}
