import type { Atom, Dispose, Readable } from "../base/atom.ts";
import type { Translate } from "../base/i18n/i18n.ts";
import type { Ps, TimeRange } from "../base/units.ts";
import type { Param } from "../base/params.ts";
import type { Activity, Client } from "../sim/client.ts";
import type { Debugger } from "../sim/debugger.ts";
import type { Live, Result } from "../sim/live.ts";
import type { Fix, LaunchInfo, LaunchReport } from "../sim/protocol.ts";

/** One launch of the result on display. */
export interface Shown {
  readonly result: Result;
  readonly index: number;
  readonly report: LaunchReport;
  readonly info: LaunchInfo;
}

/** An executed instruction that is selected. */
export interface Selection {
  readonly inst: number;
  readonly line: number;
}

/** What a panel gets: data, selection, words, and calls back into the page. */
export interface PanelContext {
  readonly t: Translate;
  readonly live: Live;
  readonly client: Client;
  readonly activity: Readable<Activity>;
  readonly shown: Readable<Shown | null>;
  readonly launch: Atom<number>;
  readonly viewport: Atom<TimeRange | null>;
  readonly selection: Atom<Selection | null>;
  readonly debug: Debugger;
  /** The file that breakpoints and the caret are in. */
  readonly file: string;
  /** Sets or takes away the breakpoint of the line with the caret. */
  readonly toggleBreakpoint: () => void;
  readonly pointerTime: Atom<Ps | null>;
  readonly caretLine: Readable<number>;
  readonly params: Readable<readonly Param[]>;
  /** Changes when the colours do. */
  readonly appearance: Readable<string>;
  /** Puts the caret at a place and the focus into the editor. */
  readonly goTo: (line: number, column: number) => void;
  /** Shows a line in the editor and leaves the focus where it is. */
  readonly reveal: (line: number) => void;
  readonly applyFix: (fix: Fix) => void;
  readonly setParam: (name: string, literal: string) => void;
}

/** A part of the page that can be put anywhere. */
export interface Panel {
  readonly id: string;
  readonly mount: (host: HTMLElement, context: PanelContext) => Dispose;
}
