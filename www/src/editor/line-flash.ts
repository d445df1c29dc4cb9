import { StateEffect, StateField } from "@codemirror/state";
import { Decoration, type DecorationSet, EditorView } from "@codemirror/view";

/** Marks the line at an offset until the next edit or jump. */
export const flashLine = StateEffect.define<number>();

const mark = Decoration.line({ class: "cm-jump-line" });

/** The line that was last jumped to. */
export const lineFlash = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update: (marks, change) => {
    let next = change.docChanged ? Decoration.none : marks;
    for (const effect of change.effects) {
      if (effect.is(flashLine)) next = Decoration.set([mark.range(change.state.doc.lineAt(effect.value).from)]);
    }
    return next;
  },
  provide: (field) => EditorView.decorations.from(field),
});
