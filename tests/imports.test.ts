// The structure that ARCHITECTURE.md describes, for the page: which folder of www/src may import which, who may
// touch the WASM package, and how long a file may be.

import { readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const SOURCES = path.join(path.dirname(path.dirname(fileURLToPath(import.meta.url))), 'www', 'src');

/** Folders in layers, left to right; files directly in www/src are the app, to the right of all. */
const LAYERS = [['base'], ['sim', 'canvas'], ['editor', 'panels', 'shell']];

/** The only files that import the WASM package. */
const WASM_IMPORTERS = ['sim/worker.ts'];

const MAX_LINES = 350;

interface Source {
  readonly file: string;
  readonly text: string;
}

/** Every TypeScript file, its path relative to www/src and with forward slashes. */
function sources(): Source[] {
  const names = readdirSync(SOURCES, { recursive: true, encoding: 'utf8' });
  const code = names.map((name) => name.replaceAll('\\', '/')).filter((name) => /\.tsx?$/.test(name));
  return code.sort().map((file) => ({ file, text: readFileSync(path.join(SOURCES, file), 'utf8') }));
}

/** What a file imports: the specifiers of import, export-from, dynamic import and `new URL(..., import.meta.url)`. */
function specifiers(text: string): string[] {
  const forms = /(?:\bfrom\s*|\bimport\s*\(?\s*|new URL\(\s*)(['"])([^'"]+)\1/g;
  return [...text.matchAll(forms)].map((found) => found[2] ?? '');
}

/** The first folder of a path, '' for a file directly in www/src. */
function folder(file: string): string {
  return file.includes('/') ? (file.split('/')[0] ?? '') : '';
}

/** Position in the layers; the app and unknown folders are to the right of all. */
function layer(name: string): number {
  const found = LAYERS.findIndex((names) => names.includes(name));
  return found < 0 ? LAYERS.length : found;
}

/** The panel (folder below panels/) of a file, or null for panels/*.ts. */
function panel(file: string): string | null {
  const parts = file.split('/');
  return parts[0] === 'panels' && parts.length > 2 ? (parts[1] ?? null) : null;
}

/** Why `from` may not import `to` (both relative to www/src), or null. */
function objection(from: string, to: string): string | null {
  if (to.startsWith('../pkg/')) return WASM_IMPORTERS.includes(from) ? null : 'only the worker imports the WASM package';
  if (to.startsWith('../') || to.endsWith('.css')) return null;
  const [source, target] = [folder(from), folder(to)];
  const [mine, theirs] = [panel(from), panel(to)];
  if (mine !== null && theirs !== null && mine !== theirs) return 'a panel imports another panel';
  if (source === target) return null;
  return layer(target) < layer(source) ? null : `${source} is not to the right of ${target === '' ? 'the app' : target}`;
}

describe('imports of the page', () => {
  it('follow the layers', () => {
    const findings = sources().flatMap(({ file, text }) => {
      const local = specifiers(text).filter((specifier) => specifier.startsWith('.'));
      const targets = local.map((specifier) => path.posix.normalize(path.posix.join(path.posix.dirname(file), specifier)));
      return targets.flatMap((target) => {
        const why = objection(file, target);
        return why === null ? [] : [`${file} imports ${target}: ${why}`];
      });
    });
    expect(findings).toEqual([]);
  });

  it('stay in files of at most 350 lines', () => {
    const long = sources().filter(({ text }) => text.split('\n').length - 1 > MAX_LINES);
    expect(long.map(({ file }) => file)).toEqual([]);
  });

  it('reach no other origin', () => {
    const remote = sources().filter(({ text }) => /\b(?:fetch|import|URL)\(\s*['"`]https?:/.test(text));
    expect(remote.map(({ file }) => file)).toEqual([]);
  });
});

describe('the rules', () => {
  it('can fail', () => {
    expect(objection('base/dom.ts', 'sim/client')).not.toBeNull();
    expect(objection('canvas/rects.ts', 'sim/client')).not.toBeNull();
    expect(objection('panels/memory/chart.ts', 'panels/timeline/model')).not.toBeNull();
    expect(objection('panels/memory/chart.ts', 'app')).not.toBeNull();
    expect(objection('sim/client.ts', '../pkg/trn3')).not.toBeNull();
  });

  it('let the right things pass', () => {
    expect(objection('sim/worker.ts', '../pkg/trn3')).toBeNull();
    expect(objection('app.ts', 'panels/index')).toBeNull();
    expect(objection('panels/index.ts', 'panels/memory/memory')).toBeNull();
    expect(objection('panels/memory/chart.ts', 'panels/panel')).toBeNull();
    expect(specifiers("import { a } from './a';\nexport * from \"./b\";\nnew URL('./c.ts', x)")).toEqual(['./a', './b', './c.ts']);
  });
});
