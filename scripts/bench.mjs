// `npm run bench`: runs crate/benches/*.rs, writes bench/results.json and prints a table.
//
// A bench is a program without the test harness. It prints one JSON object a line on standard output:
// {"bench": "exec", "case": "matmul 1024", "value": 1.5, "unit": "s", ...}; other keys are kept as they are.

import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import os from 'node:os';
import { ROOT, ask, main, run, step } from './task.mjs';
import { ensureRust, usePinnedTools } from './tools.mjs';

/** Names of the bench targets of the crate. */
function benches() {
  const metadata = JSON.parse(ask('cargo', ['metadata', '--format-version', '1', '--no-deps']));
  const targets = metadata.packages.flatMap((entry) => entry.targets);
  return targets.filter((target) => target.kind.includes('bench')).map((target) => target.name);
}

/** Runs one bench and parses the JSON lines of its output. */
async function measure(name) {
  const output = await run('cargo', ['bench', '--bench', name], { tee: true });
  const lines = output.split('\n').filter((line) => line.startsWith('{'));
  return lines.map((line) => JSON.parse(line));
}

await main(async () => {
  usePinnedTools();
  await step('tools', ensureRust);
  const results = [];
  for (const name of benches()) results.push(...(await step(`bench ${name}`, () => measure(name))));
  const machine = { cpu: os.cpus()[0]?.model, cores: os.cpus().length, node: process.version, rustc: ask('rustc', ['--version']) };
  const file = path.join(ROOT, 'bench', 'results.json');
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, `${JSON.stringify({ version: 1, machine, results }, null, 2)}\n`);
  console.table(results.map(({ bench, case: name, value, unit }) => ({ bench, case: name, value, unit })));
  console.log(`wrote ${path.relative(ROOT, file)}`);
});
