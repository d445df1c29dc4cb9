// `npm run build`: the static site in dist/. With --wasm-only just www/pkg/, which tsc, vite dev and unit tests import.

import { main, run, step } from './task.mjs';
import { ensureNodePackages, ensureRust, ensureWasmBindgen, usePinnedTools } from './tools.mjs';
import { buildWasm } from './wasm.mjs';
import { fileURLToPath } from 'node:url';

/** Installs what the site's build needs. */
export async function ensureBuildTools() {
  await Promise.all([ensureNodePackages(), ensureRust().then(ensureWasmBindgen)]);
}

/** Bundles www/ and www/pkg/ into dist/. */
export function buildPage() {
  return run('vite', ['build', '--logLevel', 'warn']);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await main(async () => {
    usePinnedTools();
    await step('tools', ensureBuildTools);
    await step('wasm package', buildWasm);
    if (!process.argv.includes('--wasm-only')) await step('page', buildPage);
  });
}
