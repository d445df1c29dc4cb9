import { expect, it } from "vitest";
import { keysOf, motionOf, STEPS } from "./steps.ts";

const press = (key: string, held: Partial<Record<"shiftKey" | "ctrlKey" | "metaKey" | "altKey", boolean>> = {}) =>
  motionOf({ key, shiftKey: false, ctrlKey: false, metaKey: false, altKey: false, ...held });

it("every step has a key of its own", () => {
  expect(press("F10")).toBe("next");
  expect(press("F7")).toBe("previous");
  expect(press("F10", { ctrlKey: true })).toBe("line");
  expect(press("F10", { metaKey: true })).toBe("line");
  expect(press("F8")).toBe("continue");
  expect(press("F8", { shiftKey: true })).toBe("reverse");
  expect(press("F10", { altKey: true })).toBeNull();
  expect(press("F5")).toBeNull();
  expect(new Set(STEPS.map(keysOf)).size).toBe(STEPS.length);
});
