import { execFileSync } from 'node:child_process';
import { existsSync, statSync } from 'node:fs';
import { expect, type Page, test } from '@playwright/test';
import { linkFor, metric, open, settled, typeAtEnd, valueOf } from './page.ts';

const ENDLESS = 'while True:\n    pass\n';
/** Kernels whose numbers are compared with the command line. */
const COMPARED = ['matmul', 'softmax', 'attention'];

interface Json {
  readonly launches: readonly (Record<string, unknown> & { readonly outputs: readonly { readonly digest: string }[]; readonly summary: Record<string, number>; readonly memory: Record<string, number>; readonly engines: Record<string, Record<string, number>> })[];
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

test('Stop ends an endless loop within 200 ms, and the page goes on', async ({ page }) => {
  await page.goto(`./${linkFor(ENDLESS)}`);
  await expect(page.getByTestId('stop')).toBeEnabled();
  await page.waitForTimeout(300);
  expect(await stopTime(page)).toBeLessThan(200);
  await page.getByTestId('gallery').selectOption('softmax');
  await settled(page);
  expect(await valueOf(page, 'latency_ns')).toBeGreaterThan(0);
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

for (const kernel of COMPARED) {
  test(`the page and the command line agree on ${kernel}`, async ({ page }) => {
    test.setTimeout(240_000);
    const output = execFileSync(commandLine(), ['run', `kernels/${kernel}.py`, '--json', '-'], { encoding: 'utf8' });
    const launch = (JSON.parse(output) as Json).launches[0];
    if (launch === undefined) throw new Error('the command line made no launch');
    await open(page, `?kernel=${kernel}`);
    const expected: Record<string, number> = { ...launch.summary, ...launch.memory };
    for (const name of ['latency_ns', 'kernel_ns', 'instructions']) expected[name] = Number(launch[name]);
    for (const [engine, values] of Object.entries(launch.engines)) {
      for (const [name, value] of Object.entries(values)) expected[`engines.${engine}.${name}`] = value;
    }
    const shown: Record<string, number> = {};
    for (const name of Object.keys(expected)) shown[name] = await valueOf(page, name);
    expect(shown).toEqual(expected);
    await expect(metric(page, 'bound_by')).toHaveAttribute('data-value', String(launch['bound_by']));
    await expect(metric(page, 'output_digests')).toHaveAttribute('data-value', launch.outputs.map(({ digest }) => digest).join(' '));
  });
}
