// Installs what a build or a test run needs and is missing. Everything lands in the project folder (node_modules,
// .tools) except the Rust target and, on Debian or Ubuntu, the browser packages.

import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { ROOT, Stop, ask, run, seconds } from './task.mjs';

/** Where the pinned Rust tools live; TRN3_TOOLS lets several clones share one set. */
export const TOOLS = path.resolve(ROOT, process.env.TRN3_TOOLS ?? '.tools');

const WASM_TARGET = 'wasm32-unknown-unknown';

/** Puts the pinned tools and the npm programs (wasm-opt among them) first on PATH for this process and its children. */
export function usePinnedTools() {
  const first = [path.join(TOOLS, 'bin'), path.join(ROOT, 'node_modules', '.bin')];
  process.env.PATH = [...first, process.env.PATH].join(path.delimiter);
}

/** Checks that rustup's cargo is there, with the toolchain of rust-toolchain.toml and its wasm target. */
export async function ensureRust() {
  if (ask('rustup', ['--version']) === null) {
    throw new Stop('Rust is missing: install it through https://rustup.rs, then run this command again.');
  }
  // Without a toolchain argument rustup reads rust-toolchain.toml; asking rustc first keeps a warm start offline.
  const sysroot = ask('rustc', ['--print', 'sysroot']);
  if (sysroot && existsSync(path.join(sysroot, 'lib', 'rustlib', WASM_TARGET, 'lib'))) return;
  if (sysroot === null) await run('rustup', ['toolchain', 'install']);
  await run('rustup', ['target', 'add', WASM_TARGET]);
}

/** Runs `npm ci` when node_modules is missing or was made from another package-lock.json. */
export async function ensureNodePackages() {
  const lock = createHash('sha256').update(readFileSync(path.join(ROOT, 'package-lock.json'))).digest('hex');
  const stamp = path.join(ROOT, 'node_modules', '.lock-sha256');
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === lock) return;
  console.log('npm packages: installing');
  const start = performance.now();
  await run('npm', ['ci', '--no-progress'], { quiet: true });
  writeFileSync(stamp, lock);
  console.log(`npm packages: ready, ${seconds(start)}`);
}

/** The wasm-bindgen command line must be of exactly the version of the library, which Cargo.lock pins. */
export async function ensureWasmBindgen() {
  const lock = readFileSync(path.join(ROOT, 'Cargo.lock'), 'utf8');
  const version = /name = "wasm-bindgen"\nversion = "([^"]+)"/.exec(lock)?.[1];
  if (version === undefined) throw new Stop('Cargo.lock has no wasm-bindgen: is the clone complete?');
  await ensureCargoTool('wasm-bindgen-cli', 'wasm-bindgen', version);
}

/** The test driver for WASM in a browser. */
export async function ensureWasmPack() {
  const { config } = JSON.parse(readFileSync(path.join(ROOT, 'package.json'), 'utf8'));
  await ensureCargoTool('wasm-pack', 'wasm-pack', config.wasm_pack);
}

/**
 * Builds a tool from its published source unless the right version is on PATH. The profile favours a short build: unoptimised,
 * the tools run a second longer and are built in minutes less. One target folder lets them share dependencies.
 */
async function ensureCargoTool(crate, program, version) {
  if (ask(program, ['--version'])?.split(' ')[1] === version) return;
  console.log(`${crate} ${version}: building (once)`);
  const start = performance.now();
  const env = {
    CARGO_PROFILE_RELEASE_OPT_LEVEL: '0',
    CARGO_PROFILE_RELEASE_LTO: 'off',
    CARGO_PROFILE_RELEASE_CODEGEN_UNITS: '16',
    CARGO_PROFILE_RELEASE_DEBUG: '0',
    CARGO_TARGET_DIR: path.join(TOOLS, 'build'),
  };
  // No --locked: the lock file published with wasm-bindgen-cli can name versions that a mirror does not have yet.
  await run('cargo', ['install', `${crate}@${version}`, '--root', TOOLS, '--force'], { env, quiet: true });
  console.log(`${crate} ${version}: ready, ${seconds(start)}`);
}

/** Finds Chromium and its driver; installs them through apt where that is the system's way. */
export async function ensureBrowser() {
  if (findBrowser() && findDriver()) return;
  const release = existsSync('/etc/os-release') ? readFileSync('/etc/os-release', 'utf8') : '';
  if (!/^ID(_LIKE)?=.*(debian|ubuntu)/m.test(release)) throw new Stop(browserHelp());
  console.log('chromium, chromium-driver: installing through apt');
  const start = performance.now();
  const root = process.getuid?.() === 0;
  const apt = (...args) => {
    const command = ['apt-get', '-q', '-o', 'DPkg::Lock::Timeout=600', ...args];
    const env = { DEBIAN_FRONTEND: 'noninteractive' };
    if (root) return run(command[0], command.slice(1), { env, quiet: true });
    return run('sudo', ['DEBIAN_FRONTEND=noninteractive', ...command]);
  };
  await apt('update');
  await apt('install', '-y', '--no-install-recommends', 'chromium', 'chromium-driver');
  if (!findBrowser() || !findDriver()) throw new Stop(browserHelp());
  console.log(`chromium, chromium-driver: ready, ${seconds(start)}`);
}

/** Path of a Chromium or Chrome, or null. CHROMIUM overrides the search. */
export function findBrowser() {
  const mac = '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome';
  if (process.env.CHROMIUM) return process.env.CHROMIUM;
  return which(['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable']) ?? (existsSync(mac) ? mac : null);
}

/** Path of chromedriver, or null. CHROMEDRIVER overrides the search. */
export function findDriver() {
  return process.env.CHROMEDRIVER ?? which(['chromedriver']);
}

function which(names) {
  const folders = (process.env.PATH ?? '').split(path.delimiter);
  for (const name of names) {
    const found = folders.map((folder) => path.join(folder, name)).find((file) => existsSync(file));
    if (found !== undefined) return found;
  }
  return null;
}

function browserHelp() {
  return [
    'The browser tests need Chromium (or Chrome) and a chromedriver of the same version.',
    'Install both and put them on PATH, or name them: CHROMIUM=/path CHROMEDRIVER=/path npm test',
    '  Fedora: dnf install chromium chromedriver    Arch: pacman -S chromium',
    '  macOS:  brew install --cask google-chrome chromedriver',
  ].join('\n');
}
