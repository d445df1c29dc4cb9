import { expect, test } from '@playwright/test';
import { metric, open, valueOf } from './page.ts';

const ENGINES = ['tensor', 'vector', 'scalar', 'gpsimd', 'sync', 'dma'];

test('opens on a checked result, without a click', async ({ page }) => {
  await open(page);
  for (const name of ['latency_ns', 'mfu_estimated_percent', 'mbu_estimated_percent', 'hbm_read_bytes', 'sbuf_peak_bytes_per_partition', 'psum_peak_banks']) {
    expect(await valueOf(page, name), name).toBeGreaterThan(0);
  }
  await expect(metric(page, 'bound_by')).toHaveAttribute('data-value', /\w/);
  for (const engine of ENGINES) await expect(metric(page, `engines.${engine}.active_percent`)).toHaveAttribute('data-value', /\d/);
  await expect(page.getByTestId('check')).toHaveAttribute('data-check', 'passed');
  await expect(page.getByTestId('diagnostics')).toBeHidden();
});

test('draws the timeline and the three charts', async ({ page }) => {
  await open(page);
  const inked = (selector: string): Promise<number> =>
    page.locator(selector).evaluate((canvas: HTMLCanvasElement) => {
      const pixels = canvas.getContext('2d')?.getImageData(0, 0, canvas.width, canvas.height).data ?? [];
      return pixels.filter((value, at) => at % 4 === 3 && value > 0).length;
    });
  await expect.poll(() => inked('[data-testid="timeline"] canvas')).toBeGreaterThan(10_000);
  for (const chart of ['hbm', 'sbuf', 'psum']) await expect.poll(() => inked(`[data-testid="chart-${chart}"] canvas`)).toBeGreaterThan(1000);
});

test('leaves no request to another origin', async ({ page, baseURL }) => {
  const requests: string[] = [];
  page.on('request', (request) => requests.push(request.url()));
  await open(page);
  await page.getByTestId('gallery').selectOption('softmax');
  await expect(page.locator('html')).toHaveAttribute('data-state', 'ready');
  expect(requests.length).toBeGreaterThan(2);
  const { origin } = new URL(baseURL ?? '');
  expect(requests.filter((url) => !url.startsWith(origin) && !url.startsWith('data:'))).toEqual([]);
});

test('is silent: no error and no warning in the console, no policy violation', async ({ page }) => {
  const said: string[] = [];
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) said.push(message.text());
  });
  page.on('pageerror', (error) => said.push(error.message));
  await open(page);
  expect(said).toEqual([]);
});

test('speaks English, Chinese and Korean', async ({ page }) => {
  await open(page, '?lang=zh');
  await expect(page.getByTestId('run')).toHaveText('运行');
  await page.getByTestId('language').selectOption('ko');
  await expect(page.getByTestId('run')).toHaveText('실행');
  await expect(page.locator('html')).toHaveAttribute('lang', 'ko');
  expect(await valueOf(page, 'latency_ns')).toBeGreaterThan(0);
});

test('follows the system theme and the choice', async ({ page }) => {
  await page.emulateMedia({ colorScheme: 'dark' });
  await open(page);
  await expect(page.locator('html')).toHaveAttribute('data-theme', 'dark');
  await page.getByTestId('theme').selectOption('light');
  await expect(page.locator('html')).toHaveAttribute('data-theme', 'light');
});

test('embedded, it shows nothing but editor and results', async ({ page }) => {
  await open(page, '?embed=1&kernel=softmax');
  await expect(page.locator('.cm-content')).toContainText('Softmax');
  await expect(page.getByTestId('run')).toBeHidden();
  expect(await valueOf(page, 'latency_ns')).toBeGreaterThan(0);
});

test('the link out of an embedded page carries its kernel', async ({ page }) => {
  await open(page, '?embed=1&kernel=softmax&target=trn2');
  await page.locator('.open-full').hover();
  await expect(page.locator('.open-full')).toHaveAttribute('href', /kernel=softmax/);
  await expect(page.locator('.open-full')).toHaveAttribute('href', /target=trn2/);
});

test('fits a phone without scrolling sideways', async ({ page }) => {
  await page.setViewportSize({ width: 390, height: 844 });
  await open(page);
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
});

test('no control of the toolbar lies over another, from a narrow laptop to a wide one', async ({ page }) => {
  for (const lang of ['en', 'zh', 'ko']) {
    await open(page, `?lang=${lang}`);
    for (const width of [1180, 1240, 1280, 1340, 1366, 1400, 1440]) {
      await page.setViewportSize({ width, height: 900 });
      const overlaps = await page.evaluate(() => {
        const boxes = [...document.querySelectorAll('.toolbar .field-label, .toolbar .control, .toolbar .button')].map((element) => element.getBoundingClientRect());
        const apart = (a: DOMRect, b: DOMRect): boolean => a.right <= b.left + 0.5 || b.right <= a.left + 0.5 || a.bottom <= b.top + 0.5 || b.bottom <= a.top + 0.5;
        return boxes.flatMap((a, at) => boxes.slice(at + 1).filter((b) => a.width > 0 && b.width > 0 && !apart(a, b))).length;
      });
      expect(overlaps, `${lang} at ${String(width)} px`).toBe(0);
    }
  }
});
