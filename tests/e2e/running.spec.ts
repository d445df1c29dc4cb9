import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { expect, type Page, test } from '@playwright/test';
import { linkFor, metric, open, settled, typeAtEnd, valueOf } from './page.ts';

const ENDLESS = 'while True:\n    pass\n';

/** Every kernel of the gallery with its precisions, from the list that the native tests keep; `-` is one without a choice. */
const PRECISIONS = new Map<string, string[]>();
for (const [, kernel = '', precision = ''] of readFileSync('crate/tests/golden/digests.txt', 'utf8').matchAll(/^(\S+) (\S+):/gm)) {
  PRECISIONS.set(kernel, [...(PRECISIONS.get(kernel) ?? []), precision]);
}

interface Launch {
  readonly bound_by: string;
  readonly outputs: readonly { readonly digest: string }[];
  readonly summary: Record<string, number>;
  readonly memory: Record<string, number>;
  readonly engines: Record<string, Record<string, number>>;
  readonly [metric: string]: unknown;
}

/** The command line as the native tests or a release build left it, whichever is newer. */
function commandLine(): string {
  const built = ['target/debug/trn3', 'target/release/trn3'].filter((file) => existsSync(file));
  const newest = built.sort((a, b) => statSync(b).mtimeMs - statSync(a).mtimeMs)[0];
  if (newest === undefined) throw new Error('the command line is not built: cargo build --bin trn3');
  return newest;
}

/** Milliseconds from pressing Stop until the page is idle, measured in the page. */
function stopTime(page: Page): Promise<number> {
  return page.evaluate(
    () =>
      new Promise<number>((resolve) => {
        const button = document.querySelector<HTMLButtonElement>('[data-testid="stop"]');
        const started = performance.now();
        new MutationObserver(() => {
          if (button?.disabled === true) resolve(performance.now() - started);
        }).observe(document.body, { attributes: true, subtree: true });
        button?.click();
      }),
  );
}

test('Stop ends an endless loop within 200 ms, and the page goes on', { tag: '@alone' }, async ({ page }) => {
  await page.goto(`./${linkFor(ENDLESS)}`);
  await expect(page.getByTestId('stop')).toBeEnabled();
  await page.waitForTimeout(300);
  expect(await stopTime(page)).toBeLessThan(200);
  await page.getByTestId('gallery').selectOption('softmax');
  await settled(page);
  expect(await valueOf(page, 'latency_ns')).toBeGreaterThan(0);
});

test('Stop forgets what an earlier text had wrong, and says that the run was stopped', async ({ page }) => {
  await page.goto(`./${linkFor('x = (')}`);
  await settled(page, 'error');
  await page.locator('.cm-content').click();
  await page.keyboard.press('Control+A');
  await page.keyboard.type(ENDLESS);
  await expect(page.getByTestId('stop')).toBeEnabled();
  await page.getByTestId('stop').click();
  await settled(page);
  await expect(page.getByTestId('diagnostics')).toBeHidden();
  await expect(page.locator('.problems-title')).toContainText('Stopped');
});

test('typing over an endless loop needs no Stop', async ({ page }) => {
  await open(page, '?kernel=softmax');
  await typeAtEnd(page, '\nwhile True: pass');
  await expect(page.locator('html')).toHaveAttribute('data-state', 'running');
  await page.keyboard.press('Shift+Home');
  await page.keyboard.press('Backspace');
  await settled(page);
  await expect(page.locator('.chip-stale')).toBeHidden();
});

test('Ctrl+Enter computes values', async ({ page }) => {
  await open(page);
  await page.locator('.cm-content').click();
  await page.keyboard.press('Control+Enter');
  await settled(page);
  await expect(page.getByTestId('check')).toHaveAttribute('data-check', 'passed');
});

test('estimate mode skips the check and says so', async ({ page }) => {
  await open(page);
  const simulated = await valueOf(page, 'latency_ns');
  await page.getByTestId('mode').selectOption('estimate');
  await expect(page.getByTestId('check')).toHaveAttribute('data-check', 'skipped');
  expect(await valueOf(page, 'latency_ns')).toBe(simulated);
});

/** What the command line says of a kernel's first launch. */
function launchOf(kernel: string, precision: string): Launch {
  const choice = precision === '-' ? [] : ['--set', `precision=${precision}`];
  const output = execFileSync(commandLine(), ['run', `kernels/${kernel}.py`, '--json', '-', ...choice], { encoding: 'utf8' });
  const [launch] = (JSON.parse(output) as { readonly launches: readonly Launch[] }).launches;
  if (launch === undefined) throw new Error(`${kernel} made no launch`);
  return launch;
}

for (const [kernel, precisions] of PRECISIONS) {
  test(`the page and the command line agree on ${kernel}, to the bit`, async ({ page }) => {
    await open(page, `?kernel=${kernel}`);
    for (const precision of precisions) {
      const launch = launchOf(kernel, precision);
      if (precision !== '-') await page.getByTestId('precision').selectOption(precision);
      const digests = launch.outputs.map(({ digest }) => digest).join(' ');
      await expect(metric(page, 'output_digests'), precision).toHaveAttribute('data-value', digests);
      await expect(page.getByTestId('check'), precision).toHaveAttribute('data-check', 'passed');

      const expected: Record<string, number> = { ...launch.summary, ...launch.memory };
      for (const name of ['latency_ns', 'kernel_ns', 'instructions']) expected[name] = Number(launch[name]);
      for (const [engine, values] of Object.entries(launch.engines)) {
        for (const [name, value] of Object.entries(values)) expected[`engines.${engine}.${name}`] = value;
      }
      const shown: Record<string, number> = {};
      for (const name of Object.keys(expected)) shown[name] = await valueOf(page, name);
      expect(shown, precision).toEqual(expected);
      await expect(metric(page, 'bound_by'), precision).toHaveAttribute('data-value', launch.bound_by);
    }
  });
}

test('the gallery lists the kernels that are tested here, and no others', async ({ page }) => {
  await open(page);
  const offered = await page.getByTestId('gallery').locator('option').evaluateAll((options: HTMLOptionElement[]) => options.map(({ value }) => value));
  expect(offered.filter((id) => id !== '').toSorted()).toEqual([...PRECISIONS.keys()].toSorted());
});

for (const [what, source] of Object.entries({
  'memory without end': 'x = []\nwhile True:\n    x.append("a" * 100_000)\n',
  'data nested without end': 'x = []\nwhile True:\n    x = [x]\n',
  'recursion without end': 'def f(n):\n    return f(n + 1)\n\nf(0)\n',
})) {
  test(`a script that asks for ${what} is ended, and the page goes on`, async ({ page }) => {
    await page.goto(`./${linkFor(source)}`);
    await settled(page, 'error');
    await expect(page.getByTestId('diagnostics')).toContainText(/limit|memory|stack|recursion/i);
    await page.getByTestId('gallery').selectOption('vector_add');
    await settled(page);
    await expect(page.getByTestId('check')).toHaveAttribute('data-check', 'passed');
  });
}
