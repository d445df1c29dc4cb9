/** The column of breakpoints, and the line of the instruction that a step stands on. */
import { type EditorState, type Extension, MapMode, RangeSet, StateEffect, StateField } from "@codemirror/state";
import { Decoration, type DecorationSet, EditorView, gutter, GutterMarker, keymap } from "@codemirror/view";

/** Sets or takes away the breakpoint of the line at an offset. */
const toggle = StateEffect.define<number>();

/** Line starts with a breakpoint, ascending; a deleted line takes its breakpoint along. */
const field = StateField.define<readonly number[]>({
  create: () => [],
  update: (before, change) => {
    let next = before;
    if (change.docChanged) {
      const moved = before.map((at) => change.changes.mapPos(at, 1, MapMode.TrackDel)).filter((at) => at !== null);
      next = [...new Set(moved.map((at) => change.state.doc.lineAt(at).from))];
    }
    for (const effect of change.effects) {
      if (!effect.is(toggle)) continue;
      const at = change.state.doc.lineAt(effect.value).from;
      next = next.includes(at) ? next.filter((other) => other !== at) : [...next, at].sort((a, b) => a - b);
    }
    return next;
  },
});

class Dot extends GutterMarker {
  override toDOM(): HTMLElement {
    const dot = document.createElement("span");
    dot.className = "cm-breakpoint";
    return dot;
  }
}

const dot = new Dot();
const here = StateEffect.define<number | null>();
const hereMark = Decoration.line({ class: "cm-point-line" });

/** The line of the present instruction, until the next edit. */
const hereField = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update: (marks, change) => {
    let next = change.docChanged ? Decoration.none : marks;
    for (const effect of change.effects) {
      if (effect.is(here)) next = effect.value === null ? Decoration.none : Decoration.set([hereMark.range(change.state.doc.lineAt(effect.value).from)]);
    }
    return next;
  },
  provide: (marks) => EditorView.decorations.from(marks),
});

function linesOf(state: EditorState): readonly number[] {
  return state.field(field).map((at) => state.doc.lineAt(at).number);
}

/** Sets or takes away the breakpoint of a line; without one, of the line with the caret. */
export function toggleBreakpoint(view: EditorView, line: number | null = null): void {
  const { doc, selection } = view.state;
  const at = line === null ? selection.main.head : doc.line(Math.min(Math.max(1, line), doc.lines)).from;
  view.dispatch({ effects: toggle.of(at) });
}

/** Marks the line of the present instruction and shows it; `null` takes the mark away. */
export function showPoint(view: EditorView, line: number | null): void {
  const { doc } = view.state;
  const at = line === null || line < 1 || line > doc.lines ? null : doc.line(line).from;
  view.dispatch({ effects: at === null ? here.of(null) : [here.of(at), EditorView.scrollIntoView(at, { y: "nearest", yMargin: 60 })] });
}

/** The column; `changed` gets the lines with a breakpoint, from 1. */
export function breakpoints(changed: (lines: readonly number[]) => void): Extension {
  return [
    field,
    hereField,
    gutter({
      class: "cm-breakpoints",
      // Or there would be nothing to click on.
      renderEmptyElements: true,
      markers: (view) => RangeSet.of(view.state.field(field).map((at) => dot.range(at))),
      initialSpacer: () => dot,
      domEventHandlers: {
        mousedown: (view, line) => {
          view.dispatch({ effects: toggle.of(line.from) });
          return true;
        },
      },
    }),
    keymap.of([{ key: "F9", run: (view) => (toggleBreakpoint(view), true), preventDefault: true }]),
    EditorView.updateListener.of((update) => {
      if (update.startState.field(field) !== update.state.field(field) || update.docChanged) changed(linesOf(update.state));
    }),
  ];
}
