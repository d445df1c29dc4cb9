import type { Report } from "./protocol.ts";

/** Whether anything in the script is in error. */
export function hasErrors(report: Report): boolean {
  return report.diagnostics.some(({ severity }) => severity === "error");
}

/**
 * Whether the numbers of a run may be shown as the present ones: it has launches, and its only error, if any, is a check that
 * did not hold. After any other error the launches may be half of what the script means.
 */
export function isPresentable(report: Report): boolean {
  const checkFailed = report.checks.some(({ result }) => result === "failed");
  return report.launches.length > 0 && (!hasErrors(report) || checkFailed);
}
