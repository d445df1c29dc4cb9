/** Undoes a subscription, a listener or a mount. */
export type Dispose = () => void;

/** What a reader of state needs: the present value and a call at each change. */
export interface Readable<T> {
  readonly value: T;
  subscribe(listener: (value: T) => void): Dispose;
}

/** One piece of page state. Setting an equal value does nothing. */
export class Atom<T> implements Readable<T> {
  #value: T;
  readonly #listeners = new Set<(value: T) => void>();

  constructor(initial: T) {
    this.#value = initial;
  }

  get value(): T {
    return this.#value;
  }

  set(value: T): void {
    if (Object.is(value, this.#value)) return;
    this.#value = value;
    for (const listener of [...this.#listeners]) listener(value);
  }

  subscribe(listener: (value: T) => void): Dispose {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}

/** Calls `run` now and whenever one of the sources changes. */
export function watch(sources: readonly Readable<unknown>[], run: () => void): Dispose {
  const disposers = sources.map((source) => source.subscribe(run));
  run();
  return () => {
    for (const dispose of disposers) dispose();
  };
}

/** Sets an atom of plain data only when the new value differs in content, so that equal data redraws nothing. */
export function setIfDifferent<T>(atom: Atom<T>, value: T): void {
  if (JSON.stringify(atom.value) !== JSON.stringify(value)) atom.set(value);
}

/** Collects disposers so that a panel can undo all it did with one call. */
export class Scope {
  readonly #disposers: Dispose[] = [];

  add(dispose: Dispose): void {
    this.#disposers.push(dispose);
  }

  watch(sources: readonly Readable<unknown>[], run: () => void): void {
    this.add(watch(sources, run));
  }

  /** Adds an event listener that ends with the scope. */
  listen<K extends keyof HTMLElementEventMap>(
    target: HTMLElement | Window | Document,
    type: K,
    handler: (event: HTMLElementEventMap[K]) => void,
    options?: AddEventListenerOptions,
  ): void {
    target.addEventListener(type, handler as EventListener, options);
    this.add(() => target.removeEventListener(type, handler as EventListener, options));
  }

  dispose(): void {
    for (const dispose of this.#disposers.splice(0).reverse()) dispose();
  }
}
