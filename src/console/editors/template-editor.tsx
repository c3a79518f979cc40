import { autocompletion, type CompletionContext, type CompletionResult } from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { Compartment, EditorState, type Extension } from "@codemirror/state";
import {
  Decoration,
  type DecorationSet,
  EditorView,
  keymap,
  MatchDecorator,
  ViewPlugin,
  type ViewUpdate,
} from "@codemirror/view";
import { Input } from "@mantine/core";
import { type ReactNode, useEffect, useLayoutEffect, useRef } from "react";
import { drawWhole } from "./draw-whole.ts";
import classes from "./json-editor.module.css";
import { nonce } from "./nonce.ts";
import { isKnown, TEMPLATE, type Variable } from "./template-variables.ts";

type Props = {
  label: string;
  /** What a screen reader says, where the label is not enough among others. */
  name?: string;
  description?: ReactNode;
  value: string;
  onChange(value: string): void;
  /** The known variables: completed while typing; any other is marked. */
  variables: readonly Variable[];
  error?: ReactNode;
  readOnly?: boolean;
  /** A line that grows. What surrounds it undoes what is typed in it. */
  size?: "line";
};

/** A text with variables: typing `{{` completes their names, and a variable that nothing sets is underlined. */
export function TemplateEditor(props: Props) {
  const { label, description, value, onChange, variables, error, readOnly = false, size } = props;
  const { name = label } = props;
  const place = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView | null>(null);
  const latest = useRef({ value, onChange });
  latest.current = { value, onChange };
  const known = useRef(new Compartment());
  const names = variables.map(({ name }) => name).join("\n");
  const latestVariables = useRef(variables);
  latestVariables.current = variables;

  // Before the page is painted: what stands below does not move away from a pointer.
  useLayoutEffect(() => {
    const created = new EditorView({
      parent: place.current as HTMLElement,
      state: EditorState.create({
        doc: latest.current.value,
        extensions: [
          EditorView.cspNonce.of(nonce),
          EditorView.lineWrapping,
          ...(size === "line" ? [] : [history(), keymap.of(historyKeymap)]),
          known.current.of(aboutVariables(latestVariables.current)),
          keymap.of(defaultKeymap),
          EditorView.updateListener.of((update) => {
            if (!update.docChanged) return;
            const typed = update.state.doc.toString();
            if (typed !== latest.current.value) latest.current.onChange(typed);
          }),
          EditorView.contentAttributes.of({
            "aria-label": name,
            tabindex: "0",
            dir: "auto",
            spellcheck: "true",
          }),
          EditorState.readOnly.of(readOnly),
        ],
      }),
    });
    drawWhole(created);
    view.current = created;
    return () => created.destroy();
  }, [name, readOnly, size]);

  // When the variables arrive late, completion and marks are updated without touching the text.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the names identify the variables
  useEffect(() => {
    view.current?.dispatch({ effects: known.current.reconfigure(aboutVariables(latestVariables.current)) });
  }, [names]);

  useEffect(() => {
    const editor = view.current;
    if (!editor || editor.state.doc.toString() === value) return;
    editor.dispatch({ changes: { from: 0, to: editor.state.doc.length, insert: value } });
  }, [value]);

  return (
    <Input.Wrapper label={label} description={description} error={error} labelElement="div">
      <div ref={place} className={`${classes.editor} ${classes.prose}`} data-size={size} />
    </Input.Wrapper>
  );
}

const aboutVariables = (variables: readonly Variable[]): Extension => [
  autocompletion({ override: [completions(variables)], icons: false }),
  marks(variables),
];

const completions =
  (variables: readonly Variable[]) =>
  (context: CompletionContext): CompletionResult | null => {
    const opened = context.matchBefore(/\{\{\s*[\w.]*/);
    if (!opened) return null;
    const typed = opened.text.replace(/^\{\{\s*/, "");
    return {
      from: opened.to - typed.length,
      options: variables.map(({ name, about }) => ({
        label: name,
        detail: about,
        apply: (editor, _, from, to) => {
          const after = editor.state.sliceDoc(to, to + 3);
          const insert = /^\s?\}\}/.test(after) ? name : `${name} }}`;
          editor.dispatch({ changes: { from, to, insert }, selection: { anchor: from + insert.length } });
        },
      })),
      // Asked anew in the same moment as a key: while a list is waited for, a click on the one that is shown would be lost.
      update: (_shown, _from, _to, context) => completions(variables)(context),
    };
  };

function marks(variables: readonly Variable[]): Extension {
  const matcher = new MatchDecorator({
    regexp: TEMPLATE,
    decoration: (match) => {
      const name = match[1] ?? "";
      const known = isKnown(name, variables);
      return Decoration.mark({
        class: (known ? classes.variable : classes.unknown) as string,
        attributes: known ? {} : { title: `Nothing sets ${name} when a session starts` },
      });
    },
  });
  return ViewPlugin.fromClass(
    class {
      decorations: DecorationSet;
      constructor(editor: EditorView) {
        this.decorations = matcher.createDeco(editor);
      }
      update(update: ViewUpdate) {
        this.decorations = matcher.updateDeco(update, this.decorations);
      }
    },
    { decorations: (plugin) => plugin.decorations },
  );
}
