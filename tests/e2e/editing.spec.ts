import { expect, test } from '@playwright/test';
import { linkFor, metric, open, settled, typeAtEnd, valueOf } from './page.ts';

test('an error shows at its line and keeps the last result, marked as old', async ({ page }) => {
  await open(page);
  const before = await valueOf(page, 'latency_ns');
  const lines = await page.locator('.cm-content').evaluate((content) => content.textContent.length);
  expect(lines).toBeGreaterThan(0);
  await typeAtEnd(page, '\nundefined_name');
  await settled(page, 'error');
  const row = page.getByTestId('diagnostics').locator('.problem-row').first();
  await expect(row).toContainText('undefined_name');
  await expect(page.locator('.cm-lintRange-error')).toHaveText('undefined_name');
  const line = Number(await row.getAttribute('data-line'));
  await expect(page.locator('.cm-activeLineGutter.cm-gutterElement').filter({ hasText: /\d/ })).toHaveText(String(line));
  await expect(row).toHaveAttribute('data-column', '1');
  expect(await valueOf(page, 'latency_ns')).toBe(before);
  await expect(page.locator('.chip-stale')).toBeVisible();
});

test('a check that does not hold is told beside the new numbers', async ({ page }) => {
  await open(page, '?kernel=softmax');
  await typeAtEnd(page, '\nassert 1 > 2, "one is not above two"');
  await settled(page, 'error');
  await expect(page.getByTestId('check')).toHaveAttribute('data-check', 'failed');
  await expect(page.getByTestId('diagnostics')).toContainText('one is not above two');
  await expect(page.locator('.chip-stale')).toBeHidden();
});

test('mending the error brings the result back', async ({ page }) => {
  await open(page);
  await typeAtEnd(page, '\n1 +');
  await settled(page, 'error');
  for (const key of ['Backspace', 'Backspace', 'Backspace']) await page.keyboard.press(key);
  await settled(page);
  await expect(page.locator('.chip-stale')).toBeHidden();
  await expect(page.getByTestId('check')).toHaveAttribute('data-check', 'passed');
});

test('the precision control changes values, time and bytes together', async ({ page }) => {
  await open(page);
  const seen = new Map<string, readonly [number, number, string]>();
  for (const precision of ['fp32', 'bf16', 'mxfp8', 'mxfp4']) {
    await page.getByTestId('precision').selectOption(precision);
    await expect(page.locator('.cm-content')).toContainText(`precision = "${precision}"`);
    await settled(page);
    await expect(page.getByTestId('check')).toHaveAttribute('data-check', 'passed');
    seen.set(precision, [await valueOf(page, 'latency_ns'), await valueOf(page, 'hbm_read_bytes'), await page.getByTestId('console').innerText()]);
  }
  const latencies = [...seen.values()].map(([latency]) => latency);
  const bytes = [...seen.values()].map(([, read]) => read);
  expect(new Set(latencies.slice(0, 3)).size, 'time changes').toBe(3);
  expect(bytes, 'each narrower format moves fewer bytes').toEqual([...new Set(bytes)].sort((a, b) => b - a));
  expect(new Set([...seen.values()].map(([, , printed]) => printed)).size, 'and has another error').toBe(4);
});

test('a slider rewrites the literal in the source', async ({ page }) => {
  await open(page);
  const before = await valueOf(page, 'latency_ns');
  await page.locator('input[type="range"][data-param="M"]').focus();
  await page.keyboard.press('ArrowRight');
  await expect(page.locator('.cm-content')).toContainText(/M = 640 +#@param/);
  await settled(page);
  expect(await valueOf(page, 'latency_ns')).toBeGreaterThan(before);
});

test('the target changes the chip', async ({ page }) => {
  await open(page, '?kernel=softmax');
  const trn3 = await valueOf(page, 'latency_ns');
  await page.getByTestId('target').selectOption('trn2');
  await expect.poll(() => valueOf(page, 'latency_ns')).not.toBe(trn3);
});

test('precisions that a kernel does not offer cannot be chosen', async ({ page }) => {
  await open(page, '?kernel=rmsnorm');
  await expect(page.getByTestId('precision').locator('option[value="mxfp4"]')).toBeDisabled();
  await expect(page.getByTestId('precision').locator('option[value="fp32"]')).toBeEnabled();
});

test('a shared link carries the source', async ({ page, context }) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  await open(page);
  await typeAtEnd(page, '\nprint("한국어, 中文")');
  await settled(page);
  await page.getByTestId('share').click();
  await expect(page.locator('.toast.is-shown')).toBeVisible();
  const link = await page.evaluate(() => navigator.clipboard.readText());
  expect(link).toContain('#code=');
  const other = await context.newPage();
  await other.goto(link);
  await settled(other);
  await expect(other.getByTestId('console')).toContainText('한국어, 中文');
  expect(await valueOf(other, 'latency_ns')).toBe(await valueOf(page, 'latency_ns'));
});

test('a link to an unchanged kernel stays short and readable', async ({ page, context }) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  await open(page, '?kernel=softmax&target=trn2');
  await page.getByTestId('share').click();
  expect(await page.evaluate(() => navigator.clipboard.readText())).toMatch(/\/some\/folder\/\?kernel=softmax&target=trn2$/);
});

test('a damaged link gives a notice and the default kernel', async ({ page }) => {
  await page.goto('./#code=AAAA_not_deflate');
  await expect(page.locator('.toast.is-shown')).toBeVisible();
  await expect(page.locator('.cm-content')).toContainText('Tiled matmul');
});

test('a link only ever gives text to the editor', async ({ page }) => {
  const source = '<img src=x onerror="document.title=\'owned\'">\n"""</script><script>document.title=\'owned\'</script>"""\n';
  await page.goto(`./${linkFor(source)}`);
  await settled(page, 'error');
  await expect(page.locator('.cm-content')).toContainText('onerror=');
  await expect(page).toHaveTitle('Trn3 Playground');
  await expect(metric(page, 'latency_ns')).not.toHaveAttribute('data-value', /./);
});
