/** A primitive that carries its meaning in its type: `Brand<number, "ps">` cannot be mixed up with pixels. */
export type Brand<T, Name extends string> = T & { readonly __brand: Name };
