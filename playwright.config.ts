import { defineConfig } from '@playwright/test';

// CHROMIUM is set by scripts/test.mjs, which finds or installs the browser; nothing is ever downloaded.
const executablePath = process.env['CHROMIUM'] ?? '/usr/bin/chromium';

// A sub-path, so that every test also proves that the site works below one.
const BASE = '/some/folder/';
const PORT = process.env['E2E_PORT'] ?? '8093';

export default defineConfig({
  testDir: 'tests/e2e',
  outputDir: 'tests/e2e/.results',
  reporter: 'list',
  forbidOnly: true,
  fullyParallel: true,
  // One browser at a time unless told otherwise: tests tagged @alone measure time, and the cores belong to what they measure.
  workers: 1,
  timeout: 60_000,
  expect: { timeout: 15_000 },
  webServer: {
    command: 'node scripts/serve.mjs',
    env: { PORT, BASE },
    url: `http://localhost:${PORT}${BASE}`,
  },
  use: {
    baseURL: `http://localhost:${PORT}${BASE}`,
    viewport: { width: 1440, height: 900 },
    launchOptions: {
      executablePath,
      args: ['--no-sandbox', '--disable-dev-shm-usage', '--disable-gpu'],
    },
  },
});
