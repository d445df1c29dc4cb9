/** The kernels of the gallery. They are files in `kernels/`, built into the page; what the page says of them stands in them. */

export interface Kernel {
  readonly id: string;
  readonly title: string;
  readonly description: string;
  readonly group: string;
  readonly order: number;
  readonly text: string;
}

/** What the page opens on. */
export const DEFAULT_KERNEL = "matmul";

/** Reads the first docstring line (`Title. One line.`) and the `#@gallery order=NN group="…"` comment. */
export function describe(id: string, text: string): Kernel {
  const headline = /^\s*(?:#.*\n\s*)*"""([^\n]*)/.exec(text)?.[1]?.replace(/"""\s*$/, "").trim() ?? "";
  const stop = headline.indexOf(". ");
  const title = (stop < 0 ? headline : headline.slice(0, stop)).replace(/\.$/, "");
  const marker = /^#@gallery\b(.*)$/m.exec(text)?.[1] ?? "";
  return {
    id,
    title: title === "" ? id : title,
    description: stop < 0 ? "" : headline.slice(stop + 2),
    group: /group="([^"]*)"/.exec(marker)?.[1] ?? "",
    order: Number(/order=(\d+)/.exec(marker)?.[1] ?? 999),
    text,
  };
}

/** All kernels in gallery order. */
export function loadGallery(files: Readonly<Record<string, string>>): readonly Kernel[] {
  return Object.entries(files)
    .map(([path, text]) => describe(path.replace(/^.*\/|\.py$/g, ""), text))
    .sort((a, b) => a.order - b.order || a.id.localeCompare(b.id));
}
