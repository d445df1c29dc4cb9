// `npm start`: from a fresh clone to the page in a browser.

import path from 'node:path';
import { ROOT, main, step } from './task.mjs';
import { buildPage, ensureBuildTools } from './build.mjs';
import { serve } from './serve.mjs';
import { usePinnedTools } from './tools.mjs';
import { buildWasm } from './wasm.mjs';

await main(async () => {
  usePinnedTools();
  await step('tools', ensureBuildTools);
  await step('wasm package', buildWasm);
  await step('page', buildPage);
  const url = await serve({ folder: path.join(ROOT, 'dist'), port: Number(process.env.PORT ?? 8080) });
  const answer = await fetch(url);
  if (!answer.ok) throw new Error(`${url} answers ${answer.status}`);
  console.log(`\nTrn3 Playground is at ${url} (Ctrl+C stops it)`);
});
