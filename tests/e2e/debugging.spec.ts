import { expect, test, type Page } from '@playwright/test';
import { linkFor, open, settled } from './page.ts';

/** Loads, doubles three times in a loop of the device, stores. The multiplication is on line 14, its print on line 15. */
const LOOP = `import numpy as np
import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.ndarray((4, 6), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=x)
    print('traced', x.shape)
    for i in nl.dynamic_range(3):
        nisa.tensor_scalar(dst=tile, data=tile, op0=nl.multiply, operand0=2.0)
        nl.device_print('tile', tile[0:1, 0:2])
    nisa.dma_copy(dst=out, src=tile)
    return out


x = np.arange(24, dtype=np.float32).reshape(4, 6) + 1
y = kernel(x)
assert np.array_equal(y, x * 8)
`;

/** A loop of the device of many instructions. */
const LONG = `import numpy as np
import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.load(x)
    for i in nl.dynamic_range(COUNT):
        nisa.tensor_scalar(dst=tile, data=tile, op0=nl.add, operand0=1.0)
    nl.store(out, tile)
    return out


kernel(np.zeros((ROWS, COLUMNS), dtype=np.float32))
`;

const long = (count: number, rows: number, columns: number): string =>
  LONG.replace('COUNT', String(count)).replace('ROWS', String(rows)).replace('COLUMNS', String(columns));

function note(what: string): void {
  process.stdout.write(`    measured: ${what}\n`);
}

const point = (page: Page) => page.getByTestId('point');
const tile = (page: Page, name: string) => page.locator(`[data-tile="${name}"]`);

async function step(page: Page, key: string, text: RegExp): Promise<void> {
  await page.keyboard.press(key);
  await expect(point(page)).toContainText(text);
  await expect(page.locator('.sight')).toHaveAttribute('data-sight', 'seen');
}

test('the console shows print and device_print with line, core and execution', async ({ page }) => {
  await open(page, linkFor(LOOP));
  const lines = page.locator('.console-line');
  await expect(lines).toHaveCount(4);
  await expect(lines.nth(0)).toContainText('traced (4, 6)');
  await expect(lines.nth(0)).toContainText('core 0');
  await expect(lines.nth(2)).toContainText('tile [1, 2] float32 [4, 8]');
  await expect(lines.nth(2)).toContainText('execution 4');
  await lines.nth(2).getByRole('button', { name: 'line 15' }).click();
  await expect(page.locator('.cm-jump-line')).toContainText('device_print');
});

test('an estimate says that the device prints no values', async ({ page }) => {
  await open(page, linkFor(LOOP));
  await page.getByTestId('mode').selectOption('estimate');
  await settled(page);
  await expect(page.locator('.console-line.is-skipped')).toContainText('tile: values are not computed');
});

test('steps walk through iterations and show operands before and after', async ({ page }) => {
  await open(page, linkFor(LOOP));
  await step(page, 'F10', /dma_copy.*execution 0 of 8/);
  await expect(page.locator('.cm-point-line')).toContainText('dma_copy(dst=tile');
  await step(page, 'F10', /tensor_scalar.*execution 1 of 8/);
  await step(page, 'F10', /device_print.*execution 2/);
  await step(page, 'F10', /tensor_scalar.*execution 3/);
  const operand = page.locator('[data-operand="dst"]');
  await expect(operand).toContainText('float32');
  await expect(operand).toContainText('[4, 6]');
  await expect(operand).toContainText('sbuf');
  await expect(page.getByTestId('operands')).toContainText('loop of line 13: iteration 1, value 1');
  // Element [1, 2] of the input is 9: 18 before the second multiplication, 36 after it.
  for (const [name, value] of [['dst-before', '18'], ['dst-after', '36']] as const) {
    await tile(page, name).focus();
    for (const key of ['ArrowDown', 'ArrowDown', 'ArrowRight', 'ArrowRight']) await page.keyboard.press(key);
    await expect(tile(page, name).locator('xpath=following-sibling::*[1]')).toHaveText(`[1, 2] = ${value}`);
  }
  await step(page, 'F7', /device_print.*execution 2/);
});

test('breakpoints stop the run, forth and back', async ({ page }) => {
  await open(page, linkFor(LOOP));
  await page.locator('.cm-breakpoints .cm-gutterElement').nth(14).click();
  await expect(page.locator('.cm-breakpoints .cm-gutterElement .cm-breakpoint:visible')).toHaveCount(1);
  await step(page, 'F8', /execution 1 of 8/);
  await step(page, 'F8', /execution 3 of 8/);
  await step(page, 'Shift+F8', /execution 1 of 8/);
  await step(page, 'F8', /execution 3 of 8/);
  await step(page, 'F8', /execution 5 of 8/);
  await step(page, 'F8', /execution 7 of 8/);
  await page.keyboard.press('F8');
  await expect(point(page)).toContainText('This was the last instruction.');
});

test('a click on a bar shows its operands, and the list has every execution of a line', async ({ page }) => {
  await open(page, linkFor(LOOP));
  await page.getByTestId('timeline').focus();
  await page.keyboard.press('.');
  await expect(page.locator('.sight')).toHaveAttribute('data-sight', 'seen');
  await expect(page.locator('.operand').first()).toBeVisible();
  await page.locator('.cm-line').nth(13).click();
  await page.locator('.line-list summary').click();
  await expect(page.locator('.line-item')).toHaveCount(3);
  await page.locator('.line-item').nth(2).click();
  await expect(point(page)).toContainText('execution 5 of 8');
  await expect(page.locator('.line-item').nth(2)).toHaveAttribute('aria-current', 'true');
});

test('large tiles come sampled down, numbers on demand', async ({ page }) => {
  await open(page, linkFor(long(1, 128, 4096)));
  await step(page, 'F10', /execution 0/);
  await step(page, 'F10', /execution 1/);
  const readout = tile(page, 'dst-after').locator('xpath=following-sibling::*[1]');
  await expect(readout).toContainText('2×43');
  await tile(page, 'dst-after').focus();
  await page.keyboard.press('Enter');
  await page.keyboard.press('ArrowRight');
  await expect(readout).toHaveText('[0, 0] = 1');
});

test('a look into a kernel of 100,000 instructions, and its end by Stop', async ({ page }) => {
  await open(page, linkFor(long(100_000, 128, 512)));
  await page.getByTestId('run').click();
  await settled(page);
  await page.keyboard.press('F8');
  await expect(point(page)).toContainText(/of 100,?002|of 100003|of 100002/);
  await page.getByTestId('stop-looking').click();
  await expect(page.locator('.sight')).toHaveAttribute('data-sight', 'stopped', { timeout: 2_000 });
  await page.getByRole('button', { name: 'Look again' }).click();
  const started = Date.now();
  await expect(page.locator('.sight')).toHaveAttribute('data-sight', 'seen', { timeout: 50_000 });
  note(`looking at the last of 100,000 instructions on 128 x 512 values: ${String(Date.now() - started)} ms`);
  const again = Date.now();
  await page.keyboard.press('F7');
  await expect(page.locator('.sight')).toHaveAttribute('data-sight', 'seen', { timeout: 50_000 });
  note(`one step back: ${String(Date.now() - again)} ms`);
});
