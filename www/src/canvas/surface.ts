import { perFrame } from "../base/dom.ts";

/** A canvas that follows the size of its host and the screen's pixel ratio, and redraws at most once a frame. */
export class Surface {
  readonly redraw: () => void;
  readonly canvas: HTMLCanvasElement;
  widthPx = 0;
  heightPx = 0;
  readonly #observer: ResizeObserver;

  constructor(
    private readonly host: HTMLElement,
    draw: (pen: CanvasRenderingContext2D, surface: Surface) => void,
  ) {
    this.canvas = document.createElement("canvas");
    this.canvas.className = "surface";
    host.append(this.canvas);
    this.redraw = perFrame(() => this.paint(draw));
    this.#observer = new ResizeObserver(() => {
      this.measure();
      this.redraw();
    });
    this.measure();
    this.#observer.observe(host);
  }

  /** The value of a custom property, so that canvases and style sheets share their colours. */
  token(name: string): string {
    return getComputedStyle(this.host).getPropertyValue(name).trim();
  }

  dispose(): void {
    this.#observer.disconnect();
    this.canvas.remove();
  }

  /** Reading the size forces a layout, so it happens when the size changed and not in every frame. */
  private measure(): void {
    this.widthPx = this.host.clientWidth;
    this.heightPx = this.host.clientHeight;
  }

  private paint(draw: (pen: CanvasRenderingContext2D, surface: Surface) => void): void {
    const ratio = window.devicePixelRatio;
    const width = Math.round(this.widthPx * ratio);
    const height = Math.round(this.heightPx * ratio);
    if (this.canvas.width !== width || this.canvas.height !== height) {
      this.canvas.width = width;
      this.canvas.height = height;
    }
    const pen = this.canvas.getContext("2d");
    if (pen === null || width === 0 || height === 0) return;
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    pen.clearRect(0, 0, this.widthPx, this.heightPx);
    draw(pen, this);
  }
}
