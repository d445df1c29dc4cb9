// What a static host and a careful visitor rely on: nothing leaves the origin, the Content-Security-Policy holds,
// and the download stays within its budget. The server of these tests puts the site below a sub-path.

import { readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { brotliCompressSync } from 'node:zlib';
import { expect, test } from '@playwright/test';

test('opens under its own policy and asks no other origin', async ({ page, baseURL }) => {
  const complaints: string[] = [];
  const requests: string[] = [];
  page.on('console', (message) => {
    if (/Content.Security.Policy/i.test(message.text())) complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('request', (request) => requests.push(request.url()));
  const response = await page.goto('./');
  await expect(page.locator('.cm-content')).toBeVisible();
  await expect(page.locator('html')).not.toHaveAttribute('data-state', 'loading');

  // CodeMirror's own rules reached the page, so the nonce of its style element is the policy's.
  await expect(page.locator('.cm-scroller')).toHaveCSS('display', 'flex');
  expect(complaints).toEqual([]);
  expect(requests.filter((url) => !url.startsWith(baseURL ?? '') && !url.startsWith('data:'))).toEqual([]);
  expect(Object.keys(response?.headers() ?? {})).not.toContain('cross-origin-opener-policy');
});

/** Bytes after brotli of the files of the build with this ending. */
function compressed(ending: string): number {
  const folder = path.join('dist', 'assets');
  const names = readdirSync(folder).filter((name) => name.endsWith(ending));
  return names.reduce((sum, name) => sum + brotliCompressSync(readFileSync(path.join(folder, name))).length, 0);
}

test('stays within its download budget', () => {
  // Brotli at its best quality takes some seconds a megabyte.
  test.setTimeout(180_000);
  expect(compressed('.js')).toBeGreaterThan(0);
  expect(compressed('.js')).toBeLessThan(400_000);
  expect(compressed('.wasm')).toBeLessThan(1_500_000);
});
