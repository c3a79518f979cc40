import { autocompletion, closeBrackets, closeBracketsKeymap } from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { json, jsonParseLinter } from "@codemirror/lang-json";
import {
  bracketMatching,
  ensureSyntaxTree,
  foldGutter,
  HighlightStyle,
  indentOnInput,
  syntaxHighlighting,
} from "@codemirror/language";
import { type Diagnostic, forceLinting, linter, lintKeymap } from "@codemirror/lint";
import { EditorState, type Extension } from "@codemirror/state";
import { EditorView, highlightActiveLine, keymap, lineNumbers } from "@codemirror/view";
import { tags } from "@lezer/highlight";
import { Input } from "@mantine/core";
import { type ReactNode, useEffect, useLayoutEffect, useRef, useState } from "react";
import { drawWhole } from "./draw-whole.ts";
import classes from "./json-editor.module.css";
import { placeInJson } from "./json-place.ts";
import { nonce } from "./nonce.ts";
import { useUnreadable } from "./unreadable.ts";

/** What is found at a place of the value. */
export type JsonMark = {
  path: readonly (string | number)[];
  message: string;
  severity: "error" | "warning" | "info";
};

type Props = {
  label: string;
  description?: ReactNode;
  value: unknown;
  /** Called whenever the text is valid JSON; an invalid text stays in the editor and is marked. */
  onChange(value: unknown): void;
  error?: ReactNode;
  readOnly?: boolean;
  /** What has another shape is marked at its place and treated like invalid JSON. */
  check?(value: unknown): { path: readonly (string | number)[]; message: string } | null;
  /** Findings, marked at their places. */
  marks?: readonly JsonMark[];
  /** Keeps a text that can't be applied yet while the editor is not shown. */
  kept?: { text: string | null; keep(text: string | null): void };
};

/** A JSON value as text. */
export function JsonEditor(props: Props) {
  const { label, description, value, onChange, error, readOnly = false, check, marks = [], kept } = props;
  const place = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView | null>(null);
  const tell = useRef({ onChange, check, marks, kept });
  tell.current = { onChange, check, marks, kept };
  const [fault, setFault] = useState<string | null>(() => faultOf(kept?.text ?? null, check));
  useUnreadable(fault !== null);
  const text = JSON.stringify(value, null, 2) ?? "";
  const latest = useRef(text);
  latest.current = text;
  // A kept text is shown at first, while the value is still the last that could be applied.
  const isKept = useRef(kept?.text != null);

  // Before the page is painted: what stands below does not move away from a pointer.
  useLayoutEffect(() => {
    const onEdit = EditorView.updateListener.of((update) => {
      if (!update.docChanged) return;
      const typed = update.state.doc.toString();
      // What is stored is no fault, though nothing is no JSON.
      const found = typed === latest.current ? null : faultOf(typed, tell.current.check);
      setFault(found);
      tell.current.kept?.keep(found === null ? null : typed);
      if (found !== null || typed === latest.current) return;
      const parsed: unknown = JSON.parse(typed);
      if (JSON.stringify(parsed, null, 2) !== latest.current) tell.current.onChange(parsed);
    });
    const created = new EditorView({
      parent: place.current as HTMLElement,
      state: EditorState.create({
        doc: tell.current.kept?.text ?? latest.current,
        extensions: [
          ...EXTENSIONS,
          linter((editor) => diagnosticsOf(editor, tell.current)),
          onEdit,
          EditorView.contentAttributes.of({ "aria-label": label, tabindex: "0" }),
          EditorState.readOnly.of(readOnly),
        ],
      }),
    });
    drawWhole(created);
    view.current = created;
    return () => created.destroy();
  }, [label, readOnly]);

  // Shows changes from outside, such as Discard, but never replaces what is being typed.
  useEffect(() => {
    const editor = view.current;
    const isFirst = isKept.current;
    isKept.current = false;
    if (!editor || isFirst || sameJson(editor.state.doc.toString(), text)) return;
    editor.dispatch({ changes: { from: 0, to: editor.state.doc.length, insert: text } });
  }, [text]);

  const marked = JSON.stringify(marks);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the marks are read when they have changed
  useEffect(() => {
    if (view.current) forceLinting(view.current);
  }, [marked]);

  return (
    <Input.Wrapper label={label} description={description} error={fault ?? error} labelElement="div">
      <div
        ref={place}
        className={classes.editor}
        dir="ltr"
        data-unreadable={fault !== null}
        // Its own history undoes what is typed in it.
        data-own-undo
      />
    </Input.Wrapper>
  );
}

function faultOf(text: string | null, check: Props["check"]): string | null {
  if (text === null) return null;
  try {
    const value: unknown = JSON.parse(text);
    const fault = check?.(value);
    if (!fault) return null;
    return fault.path.length > 0 ? `${fault.path.join(".")}: ${fault.message}` : fault.message;
  } catch (cause) {
    return `Invalid JSON: ${(cause as Error).message}`;
  }
}

/** What is wrong with the text, at its place: no JSON, another shape, or a finding. */
function diagnosticsOf(editor: EditorView, { check, marks }: Pick<Props, "check" | "marks">): Diagnostic[] {
  const { state } = editor;
  const text = state.doc.toString();
  const broken = jsonParseLinter()(editor);
  if (broken.length > 0 || text.trim() === "") return broken;
  const tree = ensureSyntaxTree(state, state.doc.length, 200);
  if (!tree) return [];
  const fault = check?.(JSON.parse(text));
  const found = fault ? [{ ...fault, severity: "error" as const }] : (marks ?? []);
  return found.map(({ path, message, severity }) => ({
    ...placeInJson(tree, text, path),
    message,
    severity,
  }));
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
