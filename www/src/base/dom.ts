type Child = Node | string | null | undefined | false;
type Value = string | number | boolean | null | undefined | ((event: never) => void);

/**
 * Builds an element. `class` sets the class, `on…` adds a listener, everything else is an attribute; `true` writes an empty
 * attribute, `false`, `null` and `undefined` write none. Never pass `style`: the content policy forbids style attributes.
 */
export function h<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  props: Readonly<Record<string, Value>> = {},
  ...children: readonly Child[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(props)) {
    if (value === null || value === undefined || value === false) continue;
    if (typeof value === "function") element.addEventListener(name.slice(2).toLowerCase(), value as EventListener);
    else element.setAttribute(name, value === true ? "" : String(value));
  }
  append(element, children);
  return element;
}

/** Appends the children that are present. */
export function append(element: Element, children: readonly Child[]): void {
  for (const child of children) if (child !== null && child !== undefined && child !== false) element.append(child);
}

/** Replaces all children. */
export function fill(element: Element, ...children: readonly Child[]): void {
  element.replaceChildren();
  append(element, children);
}

/** Writes text only when it differs, so that unchanged numbers cost no layout. */
export function setText(element: Element, text: string): void {
  if (element.textContent !== text) element.textContent = text;
}

/** Writes an attribute only when it differs; `null` removes it. */
export function setAttr(element: Element, name: string, value: string | null): void {
  if (value === null) element.removeAttribute(name);
  else if (element.getAttribute(name) !== value) element.setAttribute(name, value);
}

const ICONS = {
  run: "M5 3.5v9l7.5-4.5z",
  stop: "M4 4h8v8H4z",
  share: "M6.5 9.5l3-3M7 4.8l1.4-1.4a2.6 2.6 0 0 1 3.7 3.7L10.7 8.5M9 11.2l-1.4 1.4a2.6 2.6 0 0 1-3.7-3.7l1.4-1.4",
  fit: "M2.5 6V2.5H6M10 2.5h3.5V6M13.5 10v3.5H10M6 13.5H2.5V10",
  plus: "M8 3.5v9M3.5 8h9",
  minus: "M3.5 8h9",
  table: "M2.5 3.5h11v9h-11zM2.5 6.5h11M2.5 9.5h11M6.5 3.5v9",
  error: "M8 2.2a5.8 5.8 0 1 0 0 11.6A5.8 5.8 0 0 0 8 2.2zM8 5v3.6M8 10.6v.4",
  warning: "M8 2.5l6 11H2zM8 6.5v3.4M8 11.6v.3",
  check: "M3.2 8.4l3.1 3.1 6.5-7",
  cross: "M4 4l8 8M12 4l-8 8",
  skip: "M3.5 8h9",
  bulb: "M6 13.5h4M6.3 11.5h3.4M5.9 9.9A3.8 3.8 0 1 1 10.1 9.9c-.4.4-.5.9-.5 1.6H6.4c0-.7-.1-1.2-.5-1.6z",
} as const;

/** Name of a line icon. */
export type IconName = keyof typeof ICONS;

/** A 16 px line icon in the current text colour, hidden from assistive technology. */
export function icon(name: IconName): SVGSVGElement {
  const space = "http://www.w3.org/2000/svg";
  const svg = document.createElementNS(space, "svg");
  const path = document.createElementNS(space, "path");
  for (const [key, value] of [["viewBox", "0 0 16 16"], ["aria-hidden", "true"], ["class", `icon icon-${name}`]] as const) {
    svg.setAttribute(key, value);
  }
  path.setAttribute("d", ICONS[name]);
  svg.append(path);
  return svg;
}

/** Resolves once the next frame is on its way to the screen; work that may come later waits for it. */
export function afterFrame(): Promise<void> {
  return new Promise((resolve) => {
    requestAnimationFrame(() => setTimeout(resolve, 0));
  });
}

/** Calls `run` at most once a frame, however often it is requested. */
export function perFrame(run: () => void): () => void {
  let pending = 0;
  return () => {
    if (pending !== 0) return;
    pending = requestAnimationFrame(() => {
      pending = 0;
      run();
    });
  };
}
