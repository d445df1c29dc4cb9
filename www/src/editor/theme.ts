import { HighlightStyle, syntaxHighlighting } from "@codemirror/language";
import { EditorView } from "@codemirror/view";
import { tags } from "@lezer/highlight";

/** All colours are custom properties of `tokens.css`, so one theme serves light and dark. */
const chrome = EditorView.theme({
  "&": { height: "100%", color: "var(--text)", backgroundColor: "var(--surface)", fontSize: "var(--code-size)" },
  "&.cm-focused": { outline: "none" },
  ".cm-scroller": { fontFamily: "var(--font-mono)", fontVariantLigatures: "none", lineHeight: "1.6", overflow: "auto" },
  ".cm-content": { padding: "8px 0 40px", caretColor: "var(--accent)" },
  ".cm-line": { padding: "0 12px 0 6px" },
  ".cm-gutters": { backgroundColor: "var(--surface)", color: "var(--text-faint)", border: "none" },
  ".cm-lineNumbers .cm-gutterElement": { padding: "0 4px 0 12px", minWidth: "36px", fontVariantNumeric: "tabular-nums" },
  ".cm-foldGutter .cm-gutterElement": { width: "12px", color: "var(--text-faint)" },
  ".cm-gutter-lint": { width: "10px" },
  ".cm-gutter-lint .cm-gutterElement": { padding: "0" },
  ".cm-lint-marker": { width: "10px", height: "10px" },
  ".cm-activeLine": { backgroundColor: "var(--line-active)" },
  ".cm-activeLineGutter": { backgroundColor: "var(--line-active)", color: "var(--text)" },
  ".cm-jump-line": { backgroundColor: "var(--line-jump)" },
  ".cm-point-line": { backgroundColor: "var(--point-soft)", boxShadow: "inset 3px 0 var(--point)" },
  ".cm-breakpoints": { width: "16px", cursor: "pointer" },
  ".cm-breakpoints .cm-gutterElement": { display: "grid", placeItems: "center" },
  ".cm-breakpoint": { width: "10px", height: "10px", borderRadius: "50%", backgroundColor: "var(--breakpoint)" },
  ".cm-cursor": { borderLeftColor: "var(--accent)", borderLeftWidth: "2px" },
  "&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground": { backgroundColor: "var(--selection)" },
  ".cm-matchingBracket": { backgroundColor: "var(--line-jump)", outline: "none" },
  ".cm-selectionMatch": { backgroundColor: "var(--line-jump)" },
  ".cm-tooltip": { backgroundColor: "var(--raised)", color: "var(--text)", border: "1px solid var(--border)", borderRadius: "8px", boxShadow: "var(--shadow)", overflow: "hidden" },
  ".cm-tooltip-autocomplete > ul": { fontFamily: "var(--font-mono)", fontSize: "12px", maxHeight: "16em" },
  ".cm-tooltip-autocomplete > ul > li": { padding: "3px 8px" },
  ".cm-tooltip-autocomplete > ul > li[aria-selected]": { backgroundColor: "var(--accent-soft)", color: "var(--text)" },
  ".cm-completionInfo": { padding: "0", maxWidth: "420px" },
  ".cm-diagnostic": { borderLeftWidth: "3px", padding: "6px 10px", whiteSpace: "pre-wrap", fontFamily: "var(--font-sans)", fontSize: "12.5px", maxWidth: "520px" },
  ".cm-diagnostic-error": { borderLeftColor: "var(--bad)" },
  ".cm-diagnostic-warning": { borderLeftColor: "var(--warn)" },
  ".cm-lintRange-error": { backgroundImage: "none", textDecoration: "underline wavy var(--bad) 1px", textUnderlineOffset: "3px" },
  ".cm-lintRange-warning": { backgroundImage: "none", textDecoration: "underline wavy var(--warn) 1px", textUnderlineOffset: "3px" },
  ".cm-lint-marker-error": { content: "none", borderRadius: "50%", backgroundColor: "var(--bad)", transform: "scale(0.7)" },
  ".cm-lint-marker-warning": { content: "none", borderRadius: "50%", backgroundColor: "var(--warn)", transform: "scale(0.7)" },
  ".cm-panels": { backgroundColor: "var(--raised)", color: "var(--text)" },
  ".cm-panels.cm-panels-top": { borderBottom: "1px solid var(--border)" },
});

const code = HighlightStyle.define([
  { tag: [tags.keyword, tags.operatorKeyword, tags.modifier, tags.controlKeyword], color: "var(--code-keyword)" },
  { tag: [tags.string, tags.special(tags.string)], color: "var(--code-string)" },
  { tag: [tags.number, tags.bool, tags.null], color: "var(--code-number)" },
  { tag: [tags.comment, tags.docComment], color: "var(--code-comment)" },
  { tag: [tags.function(tags.variableName), tags.function(tags.propertyName)], color: "var(--code-call)" },
  { tag: [tags.definition(tags.function(tags.variableName)), tags.definition(tags.className), tags.className], color: "var(--code-definition)", fontWeight: "600" },
  { tag: [tags.meta, tags.annotation], color: "var(--code-decorator)" },
  { tag: [tags.operator, tags.punctuation, tags.bracket], color: "var(--code-punctuation)" },
]);

/** Look of the editor. */
export const editorTheme = [chrome, syntaxHighlighting(code)];
