#!/usr/bin/env node
// Looks at HTML pages as a reader with a real browser does, and lists what is wrong.
//
//   look.mjs [--most-bytes N] [--pictures DIR] [--cookie NAME=VALUE] TARGET...
//
// TARGET: a file, or the URL of a page. Each is opened in a wide and in a narrow window, light and
// dark, with JavaScript and without (view.mjs). In each of these views:
// - no errors on the console or in scripts
// - nothing is requested but the page itself and, over http, what its own server has
// - no scrolling sideways, no text below 11 px, drawn text with enough contrast, closed and opened
// - Tab reaches everything and shows where it is; Tab and Enter open every <details>
// - it can be printed
// - axe finds nothing; without JavaScript, where axe cannot run: the text is the same as with it
// Once for each page: html-validate finds nothing (markup.mjs), and it is not larger than N bytes.
//
// --pictures DIR  keeps NAME-1280-light-script.png and .pdf, and so on for each view
//
// --cookie NAME=VALUE is sent with every request for a page over http.
//
// Exit status: 0 nothing is wrong, 1 something is, 2 invalid command line, 77 nothing can be checked
// here (browser.mjs). Notes are what axe could not decide; they do not count.
import { mkdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { basename, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { startBrowser } from './browser.mjs';
import { checkMarkup } from './markup.mjs';
import { lookAt, views } from './view.mjs';

const atOnce = 2;  // one for each core of a small machine

// The same page has the same name everywhere: no folder, no port.
export function targetOf(text) {
  const isUrl = /^(https?|file):\/\//.test(text);
  const address = isUrl ? text : pathToFileURL(resolve(text)).href;
  const { protocol, pathname } = new URL(address);
  const path = protocol === 'file:' ? basename(fileURLToPath(address)) : decodeURIComponent(pathname);
  const name = path.replace(/\.html?$/, '').replace(/[^\w.-]+/g, '-').replace(/^-+|-+$/g, '');
  return { shown: text, address, name: name || 'index' };
}
function targetsOf(texts) {
  const names = new Map();
  return texts.map(targetOf).map((target) => {
    const count = (names.get(target.name) ?? 0) + 1;
    names.set(target.name, count);
    return count === 1 ? target : { ...target, name: `${target.name}-${count}` };
  });
}

async function source({ address }, cookie) {
  if (address.startsWith('file:')) return readFile(new URL(address));
  const headers = cookie ? { cookie } : {};
  return Buffer.from(await (await fetch(address, { headers })).arrayBuffer());
}
async function checkSource(target, mostBytes, cookie) {
  try {
    const bytes = await source(target, cookie);
    const size = bytes.length > mostBytes ? [`has ${bytes.length} bytes, more than ${mostBytes}`] : [];
    return [...size, ...await checkMarkup(bytes.toString('utf8'))];
  } catch (error) {
    return [`cannot be read: ${error.cause?.message ?? error.message}`];
  }
}

function compareTexts(seen) {
  const complaints = [];
  for (const [view, { text }] of seen) {
    const other = seen.get(view.replace('-script', '-plain'))?.text;
    if (!view.endsWith('-script') || text === null || typeof other !== 'string' || text === other) continue;
    const [lines, others] = [text.split('\n'), other.split('\n')];
    const at = lines.findIndex((line, index) => line !== others[index]);
    const [a, b] = at < 0 ? ['', others[lines.length]] : [lines[at], others[at] ?? ''];
    complaints.push([view, `has "${a}" with JavaScript, and "${b}" without`]);
  }
  return complaints;
}

// Calls work(item) for all items, a few at a time.
async function forEach(items, work) {
  const rest = [...items];
  await Promise.all(Array.from({ length: atOnce }, async () => {
    while (rest.length > 0) await work(rest.shift());
  }));
}

// What is wrong with the targets: [{ target, what, views: [name] }], without views if it does not depend
// on them; and the same for notes. Uses a browser of the caller, or one of its own.
//   cookie    "name=value", sent with every request over http
//   only      views to look at, by name
//   patience  the limit of a view in milliseconds, for what never ends
export async function look(texts, { mostBytes = Infinity, browser, ...options } = {}) {
  const targets = targetsOf(texts);
  if (options.pictures) mkdirSync(options.pictures, { recursive: true });
  const own = browser ?? await startBrowser();
  const seen = new Map(targets.map((target) => [target, new Map()]));
  try {
    await forEach(targets.flatMap((target) => [[target, true], [target, false]]), async ([target, script]) => {
      for (const [name, view] of await lookAt(own, target, script, options)) seen.get(target).set(name, view);
    });
  } finally {
    if (!browser) await own.close();
  }

  const found = { complaints: [], notes: [] };
  for (const target of targets) {
    const gather = (kind, what, view) => {
      let row = found[kind].find((other) => other.target === target.shown && other.what === what);
      if (!row) found[kind].push(row = { target: target.shown, what, views: [] });
      if (view && !row.views.includes(view)) row.views.push(view);
    };
    for (const what of await checkSource(target, mostBytes, options.cookie)) gather('complaints', what);
    const inOrder = views.filter(({ name }) => seen.get(target).has(name)).map(({ name }) => name);
    for (const view of inOrder) {
      const { complaints, notes } = seen.get(target).get(view);
      for (const what of complaints) gather('complaints', what, view);
      for (const what of notes) gather('notes', what, view);
    }
    for (const [view, what] of compareTexts(seen.get(target))) gather('complaints', what, view);
  }
  return found;
}

const whereOf = (seen) => {
  if (seen.length === 0) return '';
  return seen.length === views.length ? ' [every view]' : ` [${seen.join(' ')}]`;
};

function usage(why) {
  console.error(`look.mjs: ${why}\n  try: look.mjs [--most-bytes N] [--pictures DIR] [--cookie NAME=VALUE] TARGET...`);
  process.exit(2);
}
function parse() {
  try {
    const { values, positionals } = parseArgs({
      allowPositionals: true,
      options: { 'most-bytes': { type: 'string' }, pictures: { type: 'string' }, cookie: { type: 'string' } },
    });
    const most = values['most-bytes'];
    if (positionals.length === 0) usage('no target');
    if (most !== undefined && !/^\d+$/.test(most)) usage(`--most-bytes is not a number: ${most}`);
    const { pictures, cookie } = values;
    if (cookie !== undefined && !cookie.includes('=')) usage(`--cookie is not NAME=VALUE: ${cookie}`);
    return { texts: positionals, mostBytes: most === undefined ? Infinity : Number(most), pictures, cookie };
  } catch (error) {
    return usage(error.message);
  }
}

if (process.argv[1] && import.meta.url === pathToFileURL(resolve(process.argv[1])).href) {
  const { texts, ...options } = parse();
  const { complaints, notes } = await look(texts, options);
  for (const { target, what, views: seen } of notes) console.log(`${target}: note: ${what}${whereOf(seen)}`);
  for (const { target, what, views: seen } of complaints) console.log(`${target}: ${what}${whereOf(seen)}`);
  console.log(`${texts.length} pages in ${views.length} views each, ${complaints.length} complaints`);
  process.exitCode = complaints.length > 0 ? 1 : 0;
}
