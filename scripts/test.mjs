// `npm test`: every test there is, from a fresh clone on. The first failing step ends the run with status 1.

import { createServer } from 'node:net';
import { main, run, seconds, step } from './task.mjs';
import { buildPage } from './build.mjs';
import {
  ensureBrowser,
  ensureNodePackages,
  ensureRust,
  ensureWasmBindgen,
  ensureWasmPack,
  findBrowser,
  findDriver,
  usePinnedTools,
} from './tools.mjs';
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

/** A port of the loopback address that nothing listens on. */
function freePort() {
  return new Promise((resolve, reject) => {
    const probe = createServer().on('error', reject);
    probe.listen(0, '127.0.0.1', () => {
      const { port } = probe.address();
      probe.close(() => resolve(port));
    });
  });
}

/** What needs nothing but the Rust toolchain. */
async function checkNatively() {
  await step('format', () => run('cargo', ['fmt', '--all', '--check']));
  await step('clippy', () => run('cargo', ['clippy', '--workspace', '--all-targets', ...DENY]));
  // The library alone, with the rules that only a program that owns the machine may break.
  await step('clippy, core rules', () =>
    run('cargo', ['clippy', '--lib', '-p', 'trn3-playground', ...WASM, ...DENY], { env: { CLIPPY_CONF_DIR: 'lints' } }),
  );
  await step('native tests', () => count(CARGO, 'cargo', ['test', '--workspace'], { FUZZ_SECONDS: '1' }));
  // Two minutes of work: a minute for each of the two.
  await step('fuzzing', () => count(CARGO, 'cargo', ['test', '--test', 'fuzz'], { FUZZ_SECONDS: '60' }));
}

/** What needs no browser of the page's code, and the page itself. */
async function checkPage() {
  await step('types', () => run('tsc', ['--noEmit']));
  await step('lint', () => run('eslint', ['.']));
  await step('unit tests', () => count(VITEST, 'vitest', ['run']));
  await step('page', buildPage);
}

/** The tools, the browser, and the module that the page loads. Builds print only what goes wrong, as the other side prints too. */
async function prepareBrowserTests() {
  await step('tools', () => Promise.all([ensureNodePackages(), ensureWasmBindgen().then(ensureWasmPack), ensureBrowser()]));
  await step('wasm package', () => buildWasm({ quiet: true }));
}

await main(async () => {
  const start = performance.now();
  usePinnedTools();
  await step('toolchain', ensureRust);
  // Side by side: compilers and linkers have long stretches that keep only one core busy.
  await Promise.all([checkNatively(), prepareBrowserTests()]);

  const driver = findDriver();
  const env = { CHROMIUM: findBrowser(), E2E_PORT: String(await freePort()), ...(driver && { CHROMEDRIVER: driver }) };
  // Alone: the driver gives a page up that does not answer in time.
  await step('WASM tests in a headless browser', () =>
    count(CARGO, 'wasm-pack', ['test', '--headless', '--chrome', 'crate'], env),
  );
  await checkPage();
  await step('end to end', () => count(PLAYWRIGHT, 'playwright', ['test', '--workers=2', '--grep-invert=@alone'], env));
  // What measures time has the machine for itself.
  await step('end to end, times', () => count(PLAYWRIGHT, 'playwright', ['test', '--grep=@alone'], env));

  console.log(`\nAll steps passed in ${seconds(start)}.`);
  console.log(`${total.passed} passed, ${total.failed} failed`);
});
