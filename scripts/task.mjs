// Running commands: one place for child processes, step names and times. Node built-ins only, because
// these scripts run before anything is installed.

import { spawn, spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import path from 'node:path';

/** Children that have not ended; those that are left when a step fails are ended with it. */
const running = new Set();

/** The folder of package.json. */
export const ROOT = path.dirname(path.dirname(fileURLToPath(import.meta.url)));

/** A failure whose message is meant for the person at the terminal: printed without a stack. */
export class Stop extends Error {}

/** Seconds with one decimal since `start` (a `performance.now()` value). */
export function seconds(start) {
  return `${((performance.now() - start) / 1000).toFixed(1)} s`;
}

/**
 * Runs a command in the project folder. Its output goes to the terminal, or, with `quiet`, is kept and shown
 * only when the command fails. Resolves to what was captured; rejects on a non-zero status.
 *
 * @param {string} command
 * @param {string[]} args
 * @param {{ env?: Record<string, string>, quiet?: boolean, tee?: boolean, cwd?: string }} [options]
 * @returns {Promise<string>}
 */
export function run(command, args, options = {}) {
  const capture = options.quiet || options.tee;
  const { promise, resolve, reject } = defer();
  const child = spawn(command, args, {
    cwd: options.cwd ?? ROOT,
    env: { ...process.env, ...options.env },
    stdio: ['ignore', capture ? 'pipe' : 'inherit', options.quiet ? 'pipe' : 'inherit'],
  });
  running.add(child);
  let output = '';
  const keep = (chunk) => {
    output += chunk;
    if (options.tee) process.stdout.write(chunk);
  };
  child.stdout?.setEncoding('utf8').on('data', keep);
  child.stderr?.setEncoding('utf8').on('data', keep);
  child.on('error', (error) => {
    running.delete(child);
    reject(new Stop(`cannot run ${command}: ${error.message}`));
  });
  child.on('close', (status, signal) => {
    running.delete(child);
    if (status === 0) return resolve(output);
    if (options.quiet) process.stderr.write(output);
    reject(new Stop(`${[command, ...args].join(' ')}: ${signal ?? `exit status ${status}`}`));
  });
  return promise;
}

/** What a command prints on standard output, trimmed, or null when it is missing or fails. */
export function ask(command, args) {
  const result = spawnSync(command, args, { cwd: ROOT, encoding: 'utf8' });
  return result.status === 0 ? result.stdout.trim() : null;
}

/**
 * Runs one named step, printing its name before and its time after.
 *
 * @template T
 * @param {string} name
 * @param {() => Promise<T> | T} body
 * @returns {Promise<T>}
 */
export async function step(name, body) {
  const start = performance.now();
  console.log(`\n== ${name}`);
  try {
    const result = await body();
    console.log(`== ${name}: ok, ${seconds(start)}`);
    return result;
  } catch (error) {
    console.error(`== ${name}: FAILED after ${seconds(start)}`);
    throw error;
  }
}

/** Runs a script's entry point; a `Stop` ends the process with its message and status 1. */
export async function main(body) {
  try {
    await body();
  } catch (error) {
    console.error(error instanceof Stop ? `\n${error.message}` : error);
    process.exitCode = 1;
    for (const child of running) child.kill();
  }
}

/** `Promise.withResolvers`, which Node 20 does not have. */
function defer() {
  let resolve, reject;
  const promise = new Promise((yes, no) => {
    resolve = yes;
    reject = no;
  });
  return { promise, resolve, reject };
}
