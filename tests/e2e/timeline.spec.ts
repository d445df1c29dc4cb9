import { expect, test } from '@playwright/test';
import { open } from './page.ts';

test('zooms and pans with the keys of Perfetto, and fits again', async ({ page }) => {
  await open(page);
  const timeline = page.getByTestId('timeline');
  await timeline.focus();
  const range = (): Promise<string | null> => timeline.getAttribute('data-range');
  const whole = await range();
  for (let at = 0; at < 5; at += 1) await page.keyboard.press('w');
  const closer = await range();
  expect(closer).not.toBe(whole);
  await page.keyboard.press('d');
  expect(await range()).not.toBe(closer);
  await page.keyboard.press('f');
  expect(await range()).toBe(whole);
});

test('the wheel zooms around the pointer', async ({ page }) => {
  await open(page);
  const timeline = page.getByTestId('timeline');
  const whole = await timeline.getAttribute('data-range');
  await timeline.hover();
  await page.mouse.wheel(0, -240);
  await expect(timeline).not.toHaveAttribute('data-range', whole ?? '');
});

test('stepping selects an instruction, tells its operands and leads to its line', async ({ page }) => {
  await open(page);
  await page.getByTestId('timeline').focus();
  for (let at = 0; at < 8; at += 1) await page.keyboard.press('w');
  await page.keyboard.press('.');
  await expect(page.locator('.details .operands dt').first()).toBeVisible();
  await page.keyboard.press('Enter');
  await expect(page.locator('.cm-jump-line')).toBeVisible();
  await expect(page.locator('.cm-content')).toBeFocused();
});

test('has a table for those who cannot see the canvas', async ({ page }) => {
  await open(page);
  await page.getByRole('button', { name: 'As a table' }).click();
  await expect(page.locator('.timeline-table tbody tr').first()).toContainText(/\d/);
  await page.locator('.timeline-table tbody .link').first().click();
  await expect(page.locator('.cm-jump-line')).toBeVisible();
});
