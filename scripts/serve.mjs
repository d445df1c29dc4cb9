// A static file server for dist/ that, like the plainest host, knows content types and nothing else.
// `node scripts/serve.mjs` serves a finished build; the end-to-end tests start it below a sub-path.

import { createReadStream, statSync } from 'node:fs';
import { createServer } from 'node:http';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { ROOT, Stop, main } from './task.mjs';

const TYPES = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.ico': 'image/x-icon',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json',
  '.png': 'image/png',
  '.py': 'text/plain; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.wasm': 'application/wasm',
  '.woff2': 'font/woff2',
};

/** The file of `folder` that a request path names, or null: never one outside the folder. */
function locate(folder, url, base) {
  let name;
  try {
    name = decodeURIComponent(new URL(url, 'http://localhost').pathname);
  } catch {
    return null;
  }
  if (!name.startsWith(base)) return null;
  const file = path.join(folder, path.normalize('/' + name.slice(base.length)));
  const found = name.endsWith('/') ? path.join(file, 'index.html') : file;
  return statSync(found, { throwIfNoEntry: false })?.isFile() ? found : null;
}

/**
 * Serves `folder` at `http://localhost:port` + `base`; resolves to the URL once the port is open.
 *
 * @param {{ folder: string, port: number, base?: string }} options
 * @returns {Promise<string>}
 */
export async function serve({ folder, port, base = '/' }) {
  const answer = (request, response) => {
    const file = locate(folder, request.url ?? '/', base);
    if (file === null) return response.writeHead(404, { 'content-type': 'text/plain' }).end('not found\n');
    const type = TYPES[path.extname(file)] ?? 'application/octet-stream';
    response.writeHead(200, { 'content-type': type, 'cache-control': 'no-cache' });
    if (request.method === 'HEAD') return response.end();
    createReadStream(file).pipe(response);
  };
  // Both loopback addresses, because "localhost" is either; a machine without IPv6 keeps the first alone.
  const listen = (host, at) =>
    new Promise((resolve, reject) => {
      const server = createServer(answer);
      server.on('error', reject);
      server.listen(at, host, () => resolve(server.address().port));
    });
  const opened = await listen('127.0.0.1', port).catch((error) => {
    if (error.code !== 'EADDRINUSE') throw error;
    throw new Stop(`Port ${port} is taken: choose another with PORT=8081 npm start`);
  });
  await listen('::1', opened).catch(() => undefined);
  return `http://localhost:${opened}${base}`;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await main(async () => {
    const port = Number(process.env.PORT ?? 8080);
    const url = await serve({ folder: path.join(ROOT, 'dist'), port, base: process.env.BASE ?? '/' });
    console.log(url);
  });
}
