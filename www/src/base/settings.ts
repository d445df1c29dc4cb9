/** Choices of the reader that outlive the page. Storage may be forbidden, full or hold anything. */

/** The stored value when it is one of the allowed ones. */
export function recall<T extends string>(name: string, allowed: readonly T[]): T | null {
  try {
    const stored = localStorage.getItem(`trn3.${name}`);
    return allowed.find((value) => value === stored) ?? null;
  } catch {
    return null;
  }
}

/** Stores a choice; without storage it lasts as long as the page. */
export function remember(name: string, value: string): void {
  try {
    localStorage.setItem(`trn3.${name}`, value);
  } catch {
    return;
  }
}
