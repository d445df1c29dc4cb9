// Builds the WASM package: cargo, wasm-bindgen, wasm-opt, into www/pkg/.

import { mkdirSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import path from 'node:path';
import { ROOT, run } from './task.mjs';

const TARGET_DIR = path.resolve(ROOT, process.env.CARGO_TARGET_DIR ?? 'target');
const BUILT = path.join(TARGET_DIR, 'wasm32-unknown-unknown', 'release', 'trn3.wasm');
const PACKAGE = path.join(ROOT, 'www', 'pkg');
const MODULE = 'trn3_bg.wasm';

// What rustc turns on for this target (simd128 through .cargo/config.toml); wasm-opt must be told.
const FEATURES = [
  'simd',
  'bulk-memory',
  'multivalue',
  'mutable-globals',
  'nontrapping-float-to-int',
  'reference-types',
  'sign-ext',
].map((feature) => `--enable-${feature}`);

/**
 * Builds www/pkg/, doing nothing when the module there is newer than the cargo output it was made from.
 *
 * @param {{ quiet?: boolean }} [options] `quiet`: show what cargo prints only when it fails
 */
export async function buildWasm({ quiet = false } = {}) {
  const target = ['--target', 'wasm32-unknown-unknown'];
  await run('cargo', ['build', '--release', '--lib', ...target, '-p', 'trn3-playground'], { quiet });
  const module = path.join(PACKAGE, MODULE);
  if (modified(module) > modified(BUILT)) return;
  const work = path.join(PACKAGE, '.new');
  rmSync(work, { recursive: true, force: true });
  mkdirSync(work, { recursive: true });
  await run('wasm-bindgen', [BUILT, '--target', 'web', '--out-dir', work, '--out-name', 'trn3']);
  const raw = path.join(work, MODULE);
  const before = statSync(raw).size;
  // Measured: -O3 takes five times as long, gives the same speed and compresses a little worse.
  await run('wasm-opt', ['-O1', ...FEATURES, raw, '-o', raw]);
  for (const name of readdirSync(work)) renameSync(path.join(work, name), path.join(PACKAGE, name));
  rmSync(work, { recursive: true });
  console.log(`www/pkg/${MODULE}: ${before} bytes, ${statSync(module).size} after wasm-opt`);
}

/** Modification time in milliseconds, 0 for a file that does not exist. */
function modified(file) {
  return statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}
