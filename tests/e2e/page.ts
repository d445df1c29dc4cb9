import { deflateRawSync } from 'node:zlib';
import { expect, type Locator, type Page } from '@playwright/test';

/** Opens the page and waits for its first values. */
export async function open(page: Page, address = ''): Promise<void> {
  await page.goto(`./${address}`);
  await settled(page);
}

/** Waits until nothing runs and no run is about to start. */
export async function settled(page: Page, state: 'ready' | 'error' = 'ready'): Promise<void> {
  await page.locator(`html[data-state="${state}"]`).waitFor({ timeout: 30_000 });
}

/** The hash of a link that carries `source`. */
export function linkFor(source: string): string {
  return `#code=${deflateRawSync(Buffer.from(source)).toString('base64url')}`;
}

export function metric(page: Page, name: string): Locator {
  return page.locator(`[data-metric="${name}"]`);
}

/** The unrounded number that the page shows. */
export async function valueOf(page: Page, name: string): Promise<number> {
  await expect(metric(page, name)).toHaveAttribute('data-value', /./);
  return Number(await metric(page, name).getAttribute('data-value'));
}

/** Puts the caret at the end of the text and types. */
export async function typeAtEnd(page: Page, text: string): Promise<void> {
  await page.locator('.cm-content').click();
  await page.keyboard.press('Control+End');
  await page.keyboard.type(text);
}
