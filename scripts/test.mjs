// `npm test`: every test there is, from a fresh clone on. The first failing step ends the run with status 1.

import { main, run, seconds, step } from './task.mjs';
import { buildPage, ensureBuildTools } from './build.mjs';
import { ensureBrowser, ensureWasmPack, findBrowser, findDriver, usePinnedTools } from './tools.mjs';
import { buildWasm } from './wasm.mjs';

const WASM = ['--target', 'wasm32-unknown-unknown'];
const DENY = ['--', '-D', 'warnings'];

/** Passed and failed tests over all runners, read off the summaries that they print. */
const total = { passed: 0, failed: 0 };

/** Runs a test program, showing its output and adding the counts that match `summary` to the total. */
async function count(summary, command, args, env = {}) {
  const output = await run(command, args, { env: { ...env, CARGO_TERM_COLOR: 'never', NO_COLOR: '1' }, tee: true });
  for (const found of output.matchAll(summary)) {
    total.passed += Number(found.groups.passed);
    total.failed += Number(found.groups.failed ?? 0);
  }
}

/** `test result: ok. 3 passed; 0 failed`, printed by cargo's runner and, with a final `;` or `.`, by wasm-bindgen's. */
const CARGO = /^test result: \w+\. (?<passed>\d+) passed; (?<failed>\d+) failed/gm;
const VITEST = /^\s*Tests\s+(?<passed>\d+) passed/gm;
const PLAYWRIGHT = /^\s*(?<passed>\d+) passed \(/gm;

await main(async () => {
  const start = performance.now();
  usePinnedTools();
  await step('tools', () => Promise.all([ensureBuildTools().then(ensureWasmPack), ensureBrowser()]));
  const driver = findDriver();
  const env = { CHROMIUM: findBrowser(), ...(driver && { CHROMEDRIVER: driver }) };

  await step('format', () => run('cargo', ['fmt', '--all', '--check']));
  await step('clippy', () => run('cargo', ['clippy', '--workspace', '--all-targets', ...DENY]));
  // The library alone, with the rules that only a program that owns the machine may break.
  await step('clippy, core rules', () =>
    run('cargo', ['clippy', '--lib', '-p', 'trn3-playground', ...WASM, ...DENY], { env: { CLIPPY_CONF_DIR: 'lints' } }),
  );
  await step('native tests', () => count(CARGO, 'cargo', ['test', '--workspace']));
  await step('WASM tests in a headless browser', () =>
    count(CARGO, 'wasm-pack', ['test', '--headless', '--chrome', 'crate'], env),
  );
  await step('wasm package', buildWasm);
  await step('types', () => run('tsc', ['--noEmit']));
  await step('lint', () => run('eslint', ['.']));
  await step('unit tests', () => count(VITEST, 'vitest', ['run']));
  await step('page', buildPage);
  await step('end to end', () => count(PLAYWRIGHT, 'playwright', ['test', '--pass-with-no-tests'], env));

  console.log(`\nAll steps passed in ${seconds(start)}.`);
  console.log(`${total.passed} passed, ${total.failed} failed`);
});
