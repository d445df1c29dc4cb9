import { expect, it } from "vitest";
import type { Check, Diagnostic, LaunchReport, Report } from "./protocol.ts";
import { isPresentable } from "./verdict.ts";

const launch = { kernel: "k" } as LaunchReport;
const error = { severity: "error" } as Diagnostic;
const warning = { severity: "warning" } as Diagnostic;
const failed: Check = { result: "failed", text: "", note: "", line: 1 };
const report = (launches: readonly LaunchReport[], diagnostics: readonly Diagnostic[], checks: readonly Check[] = []): Report => ({
  version: 1,
  target: "trn3",
  mode: "simulate",
  stdout: "",
  launches,
  diagnostics,
  checks,
});

it("shows results with warnings and with failed checks, not those of a script in error", () => {
  expect(isPresentable(report([launch], []))).toBe(true);
  expect(isPresentable(report([launch], [warning]))).toBe(true);
  expect(isPresentable(report([launch], [error], [failed]))).toBe(true);
  expect(isPresentable(report([launch], [error]))).toBe(false);
  expect(isPresentable(report([], []))).toBe(false);
});
