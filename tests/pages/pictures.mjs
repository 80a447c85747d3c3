#!/usr/bin/env node
// Makes the pictures of the documents from pages, so that they can be made again:
//
//   pictures.mjs FOLDER < LIST
//
// LIST: an array, as JSON, of what to show:
//   name     of the file, without .png
//   page     a file or a URL
//   scheme   "light" or "dark" ["light"]
//   width    of the window in pixels [1280]
//   height   of the picture in pixels [all of the page]
// MODULES as in browser.mjs. Two pixels for each of the page, as on the screens where they are read.
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { startBrowser } from './browser.mjs';
import { targetOf } from './look.mjs';

const folder = process.argv[2];
if (!folder) {
  console.error('pictures.mjs: no folder\n  try: pictures.mjs FOLDER < LIST');
  process.exit(2);
}
mkdirSync(folder, { recursive: true });
const list = JSON.parse(readFileSync(0, 'utf8'));
const browser = await startBrowser();
try {
  for (const { name, page: from, scheme = 'light', width = 1280, height } of list) {
    const viewport = { width, height: height ?? 800 };
    const page = await browser.newPage({
      viewport, colorScheme: scheme, deviceScaleFactor: 2, reducedMotion: 'reduce',
    });
    await page.goto(targetOf(from).address);
    const path = join(folder, `${name}.png`);
    await page.screenshot({ path, fullPage: height === undefined, animations: 'disabled' });
    await page.close();
    console.log(path);
  }
} finally {
  await browser.close();
}
