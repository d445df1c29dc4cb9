import { defineConfig } from 'vitest/config';

export default defineConfig({
  // Relative addresses everywhere: the site works from any sub-path of a static host.
  base: './',
  publicDir: 'www/public',
  build: {
    outDir: 'dist',
    target: 'es2022',
    // The Content-Security-Policy of index.html admits files of the same origin, not data: scripts or fonts.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    // In kB. The bar that matters, 400 kB after brotli, is a test's.
    chunkSizeWarningLimit: 1000,
  },
  worker: { format: 'es' },
  test: {
    include: ['tests/*.test.ts', 'www/src/**/*.test.ts'],
    passWithNoTests: true,
  },
});
