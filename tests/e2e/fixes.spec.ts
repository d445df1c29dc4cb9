import { expect, test } from '@playwright/test';
import { linkFor, settled } from './page.ts';

const HEAD = 'import numpy as np\nimport nki\nimport nki.isa as nisa\nimport nki.language as nl\n\n\n';

const PRODUCT = `${HEAD}@nki.jit
def kernel(a, b):
    out = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
    left, right = nl.load(a), nl.load(b)
    product = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.sbuf)
    nisa.nc_matmul(dst=product, stationary=left, moving=right)
    result = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.sbuf)
    nisa.tensor_copy(dst=result, src=product)
    nisa.dma_copy(dst=out, src=result)
    return out


kernel(np.ones((128, 128), np.float32), np.ones((128, 512), np.float32))
`;

const SWAPPED = `${HEAD}@nki.jit
def kernel(x):
    out = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
    tile = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_copy(dst=x, src=tile)
    nisa.dma_copy(dst=out, src=tile)
    return out


kernel(np.ones((128, 512), np.float32))
`;

test('the underlined argument offers a fix that mends the allocation', async ({ page }) => {
  await page.goto(`./${linkFor(PRODUCT)}`);
  await settled(page, 'error');
  const underlined = page.locator('.cm-lintRange-error').first();
  await expect(underlined).toHaveText('product');
  await underlined.hover();
  const action = page.locator('.cm-tooltip .cm-diagnosticAction').first();
  await expect(action).toContainText("allocate 'product' in psum");
  await action.click();
  await expect(page.locator('.cm-content')).toContainText('product = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.psum)');
  await settled(page);
  await expect(page.getByTestId('diagnostics').locator('.problem-row')).toHaveCount(0);
});

test('the problem list offers the exchange of two operands', async ({ page }) => {
  await page.goto(`./${linkFor(SWAPPED)}`);
  await settled(page, 'error');
  const problem = page.getByTestId('diagnostics').locator('.problem-row').first();
  await expect(problem).toContainText('was never written');
  await problem.getByRole('button', { name: 'exchange dst and src' }).click();
  await expect(page.locator('.cm-content')).toContainText('nisa.dma_copy(dst=tile, src=x)');
  await settled(page);
  await expect(page.getByTestId('diagnostics').locator('.problem-row')).toHaveCount(0);
});

test('a misspelt name is written as it is meant', async ({ page }) => {
  await page.goto(`./${linkFor(`${HEAD}print(np.zeroes(4))\n`)}`);
  await settled(page, 'error');
  await page.getByTestId('diagnostics').getByRole('button', { name: 'write zeros' }).click();
  await expect(page.locator('.cm-content')).toContainText('np.zeros(4)');
  await settled(page);
});
