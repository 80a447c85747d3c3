#!/usr/bin/env node
// What look.mjs must find, and what it must let pass: a good page, and the same with one fault each.
//   MODULES  see browser.mjs
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { after, before } from 'node:test';
import { fileURLToPath } from 'node:url';
import { startBrowser } from './browser.mjs';
import { look, targetOf } from './look.mjs';
import { views } from './view.mjs';

const program = fileURLToPath(new URL('look.mjs', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'tidemill-pages-'));
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));

const policy = '<meta http-equiv="Content-Security-Policy" content="default-src \'none\'; '
  + 'style-src \'unsafe-inline\'; script-src \'unsafe-inline\'; require-trusted-types-for \'script\'">';
const good = `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
${policy}
<meta name="viewport" content="width=device-width">
<title>A good page</title>
<style>
:root { color-scheme: light dark; --weak: #595959; --back: #fff; --link: #00e; --line: #767676 }
@media (prefers-color-scheme: dark) { :root { --weak: #bbb; --back: #111; --link: #9cf } }
body { background: var(--back) }
a { color: var(--link) }
summary { padding: 4px 0 }
.box { overflow-x: auto }
.weak, svg text { color: var(--weak); fill: var(--weak) }
td, th { white-space: nowrap }
</style>
</head>
<body>
<main>
<h1>A good page</h1>
<p class="weak">Weak text with a <a href="#rows">link</a></p>
<svg viewBox="0 0 300 30" width="300" height="30" role="img" aria-label="a chart">
<rect width="300" height="4" fill="var(--line)"/><text x="0" y="24" font-size="13">text in a chart</text></svg>
<section class="box" id="rows" tabindex="0" aria-label="rows"><table><thead>
<tr><th scope="col">name</th><th scope="col">reason</th><th scope="col">end</th></tr></thead>
<tbody><tr><td>one</td><td>${'a long reason '.repeat(20)}</td><td><b>the end</b></td></tr></tbody></table></section>
<details><summary>More</summary><p class="inside">inside</p>
<details><summary>Still more</summary><p><button type="button">a button</button></p></details></details>
<details open><summary>Open from the beginning</summary><p>is closed and opened</p></details>
</main>
</body>
</html>
`;

const style = (rules) => (page) => page.replace('</style>', `${rules}\n</style>`);
const content = (more) => (page) => page.replace('</main>', `${more}\n</main>`);
const script = (code) => content(`<script>${code}</script>`);
const swap = (from, to) => (page) => {
  assert(page.includes(from), `"${from}" is in the page`);
  return page.replace(from, to);
};
const all = (...changes) => (page) => changes.reduce((so, change) => change(so), page);
const anyPolicy = swap(policy, '');

// A sentence, how the page gets its fault, and all that must be said about it.
const faults = [
  ['AnErrorOnTheConsoleIsReported', script("console.error('planted')"), [/^error on the console: planted/]],
  ['AnErrorInAScriptIsReported', script("throw new Error('planted')"), [/^error in a script: planted/]],
  ['WhatThePolicyBlocksIsReported', script("document.createElement('p').innerHTML = '<b>x</b>'"),
    [/^error on the console: .*TrustedHTML/, /^error in a script/]],
  ['APictureFromElsewhereIsReported', all(anyPolicy, content('<img src="http://192.0.2.1/a.png" alt="a">')),
    [/^requests http:\/\/192\.0\.2\.1\/a\.png/, /^names something outside of it: <img> /,
      /^error on the console: Failed/]],
  ['APictureThatIsLoadedLaterIsReported',
    all(anyPolicy, content('<div style="height: 9000px"></div><img loading="lazy" src="late.png" alt="a">')),
    [/^names something outside of it: <img> late\.png/, /^requests file:.*late\.png/, /^error on the console: Failed/]],
  ['AHintToConnectIsReported',
    all(anyPolicy, swap('<title>', '<link rel="preconnect" href="https://example.org">\n<title>')),
    [/^names something outside of it: <link> https:\/\/example\.org/]],
  ['AFileBesideThePageIsReported',
    all(anyPolicy, swap('<title>', '<link rel="stylesheet" href="beside.css">\n<title>')),
    [/^requests file:.*beside\.css/, /^names something outside/, /^error on the console: Failed/]],
  ['ARequestOfAScriptIsReported', all(anyPolicy, script("fetch('http://192.0.2.1/b').catch(() => {})")),
    [/^requests http:\/\/192\.0\.2\.1\/b/, /^error on the console: (Failed|Access)/]],
  ['AWebSocketIsReported', all(anyPolicy, script("new WebSocket('ws://192.0.2.1/c')")),
    [/^requests ws:\/\/192\.0\.2\.1\/c/, /^error on the console: WebSocket/]],
  ['AWideParagraphIsReported', content('<p style="width: 500px">wide</p>'),
    [/^is \d+ px wide in a window of 390 px: <p> "wide"$/]],
  ['AWideTableWithoutABoxIsReported', style('.box { overflow: visible }'),
    [/^is \d+ px wide in a window of 390 px: <table>/]],
  ['AWideRowInClosedDetailsIsReported', style('.inside { width: 500px }'), [/^is \d+ px wide .*<p\.inside>/]],
  ['AMissingViewportIsReported', swap('<meta name="viewport" content="width=device-width">\n', ''),
    [/^lacks <meta name="viewport"/]],
  ['SmallTextIsReported', style('.weak { font-size: 10.9px }'), [/^has text of 10\.9 px, less than 11: <p\.weak>/]],
  ['SmallTextInClosedDetailsIsReported', style('.inside { font-size: 10px }'),
    [/^has text of 10\.0 px, less than 11: <p\.inside>/]],
  ['TextThatShrinksWithItsDrawingIsReported', swap('width="300" height="30"', 'width="200" height="20"'),
    [/^has text of 8\.7 px, less than 11: <text>/]],
  ['DrawnTextWithoutContrastIsReported', style('svg text { fill: #777; fill-opacity: .6 }'),
    [/^has text in a drawing with a contrast of [23]\.\d+/]],
  ['DrawnTextOnAShapeWithoutContrastIsReported', swap('height="4"', 'height="30"'),
    [/^has text in a drawing with a contrast of 2\.\d+/]],
  ['TextWithoutContrastInClosedDetailsIsReported', style('.inside { color: #444 }'),
    [/axe: color-contrast\): \.inside/]],
  ['ContrastOfWhatIsScrolledAwayIsReported', style('td b { color: #222 }'),
    [/axe: color-contrast\): b/]],
  ['ASmallTargetIsReported', style('summary { padding: 0; font-size: 12px; line-height: 1 }'),
    [/axe: target-size\): /]],
  ['ABestPracticeIsAskedFor', (page) => page.replace('<main>', '<div>').replace('</main>', '</div>'),
    [/axe: landmark-one-main/, /axe: region/]],
  ['InvalidMarkupIsReported', content('<p id="rows">twice</p>'),
    [/^line \d+, column \d+: Duplicate ID "rows" \(html-validate: no-dup-id\)/]],
  ['APageDoesNotTurnRulesOff', content('<!-- [html-validate-disable no-dup-id] --><p id="rows">twice</p>'),
    [/^turns rules of html-validate off/]],
  ['DetailsWithoutAStopAreReported', swap('<summary>More', '<summary tabindex="-1">More'),
    [/^has <details> that Tab and Enter do not open: <details> "More/]],
  ['DetailsThatStayShutAreReported',
    script("document.querySelector('summary').addEventListener('click', (event) => event.preventDefault())"),
    [/^has <details> that Tab and Enter do not open: <details> "More/]],
  ['AnInvisibleFocusIsReported', style('a:focus { outline: none }'), [/^does not show the focus: <a> "link"/]],
  ['ATransparentFocusIsReported', style('summary:focus { outline: 2px solid transparent }'),
    [/^does not show the focus: <summary>/]],
  ['AFocusOutOfSightIsReported', style('a:focus { position: fixed; left: -999px }'),
    [/^has the focus out of sight: <a> "link"/]],
  ['AKeyboardTrapIsReported',
    script(`document.querySelector('a').addEventListener('keydown', (event) => {
  if (event.key === 'Tab') event.preventDefault();
})`),
    [/^has <details> that Tab and Enter do not open/,
      /^has links or controls that Tab does not reach: <section#rows\.box>/]],
  ['AnEmptyPrintIsReported', style('@media print { body { display: none } }'), [/^is empty when it is printed/]],
  ['ATargetThatDoesNotExistIsReported', null,
    [/^cannot be looked at: .*ERR_FILE_NOT_FOUND/, /^cannot be read: ENOENT/]],
];
const one = ['390-dark-script'];
const viewsWith = (pattern) => views.map(({ name }) => name).filter((name) => pattern.test(name));
const both = ['390-dark-script', '390-dark-plain'];
const pathOf = (name) => join(folder, `${name}.html`);
function place(name, change) {
  writeFileSync(pathOf(name), change(good));
  return pathOf(name);
}

let browser;
let found;
before(async () => {
  browser = await startBrowser();
  for (const [name, change] of faults) if (change) place(name, change);
  found = await look(faults.map(([name]) => pathOf(name)), { browser, only: one });
});
after(() => browser.close());

const textOf = ({ complaints }) => complaints.map(({ what, views: seen }) => `${what} [${seen}]`);

test('AGoodPageHasNoComplaintsInAnyView', async () => {
  const pictures = join(folder, 'pictures');
  const { complaints, notes } = await look([place('good', (page) => page)], { browser, pictures });
  assert.deepEqual([complaints, notes], [[], []]);
  const names = views.flatMap(({ name }) => [`good-${name}.pdf`, `good-${name}.png`]);
  assert.deepEqual(readdirSync(pictures).sort(), names.sort());
  for (const scheme of ['light', 'dark']) {
    const picture = readFileSync(join(pictures, `good-390-${scheme}-script.png`));
    assert.equal(picture.readUInt32BE(16), 390, 'the width of a picture is that of its window');
  }
});

for (const [name, , wanted] of faults) {
  test(name, () => {
    const said = found.complaints.filter(({ target }) => target === pathOf(name)).map(({ what }) => what);
    for (const pattern of wanted) {
      assert(said.some((what) => pattern.test(what)), `${pattern} is in ${JSON.stringify(said)}`);
    }
    const other = said.filter((what) => !wanted.some((pattern) => pattern.test(what)));
    assert.deepEqual(other, [], 'and nothing else is said');
  });
}

test('ContrastIsJudgedInEachColourScheme', async () => {
  const paths = [['dark', '#555'], ['light', '#bbb']].map(([scheme, color]) => (
    place(`contrast-${scheme}`, style(`@media (prefers-color-scheme: ${scheme}) { .weak { color: ${color} } }`))));
  const { complaints } = await look(paths, { browser, only: viewsWith(/^1280/) });
  assert.deepEqual(complaints.map(({ views: seen }) => seen), [['1280-dark-script'], ['1280-light-script']]);
  for (const { what } of complaints) assert.match(what, /axe: color-contrast/);
});

test('OnlyTheViewsWithAFaultAreNamed', async () => {
  const path = place('narrow', content('<p style="width: 500px">wide</p>'));
  const { complaints } = await look([path], { browser, only: viewsWith(/light/) });
  assert.deepEqual(complaints.map(({ views: seen }) => seen), [['390-light-script', '390-light-plain']]);
});

test('TextThatOnlyAScriptShowsIsReported', async () => {
  const path = place('text', script("document.querySelector('.weak').append(' and more')"));
  const said = textOf(await look([path], { browser, only: both }));
  const wanted = 'has "Weak text with a link and more" with JavaScript, and "Weak text with a link" without';
  assert.deepEqual(said, [`${wanted} [390-dark-script]`]);
});

test('ALargePageIsReported', async () => {
  const path = place('large', (page) => page);
  const { complaints } = await look([path], { browser, only: [], mostBytes: good.length - 1 });
  assert.deepEqual(textOf({ complaints }), [`has ${Buffer.byteLength(good)} bytes, more than ${good.length - 1} []`]);
  assert.deepEqual((await look([path], { browser, only: [], mostBytes: Buffer.byteLength(good) })).complaints, []);
});

test('APageThatHangsIsReportedAndTheOthersAreLookedAt', async () => {
  const hanging = place('hanging', script("addEventListener('load', () => { for (;;); })"));
  const wide = place('wide', content('<p style="width: 500px">wide</p>'));
  const { complaints } = await look([hanging, wide], { only: both, patience: 15_000 });
  const [first, second] = complaints;
  assert.equal(complaints.length, 2, textOf({ complaints }).join('\n'));
  assert.match(first.what, /^cannot be looked at/);
  assert.deepEqual(first.views, ['390-dark-script']);
  assert.match(second.what, /px wide/);
});

test('APageOfAServerMayLoadWhatTheServerHas', async () => {
  const own = swap("style-src 'unsafe-inline'", "style-src 'self' 'unsafe-inline'");
  const linked = (name) => all(own, swap('<title>', `<link rel="stylesheet" href="${name}">\n<title>`))(good);
  const pages = {
    '/runs/good': linked('/a.css'),
    '/runs/broken': linked('/missing.css'),
    '/runs/foreign': all(anyPolicy, content('<img src="http://localhost:9/a.png" alt="a">'))(good),
  };
  const server = createServer((request, response) => {
    const body = { '/a.css': '.box { color: inherit }', '/favicon.ico': ' ', ...pages }[request.url];
    const type = request.url === '/a.css' ? 'text/css' : 'text/html; charset=utf-8';
    response.writeHead(body ? 200 : 404, { 'Content-Type': type });
    response.end(body ?? good);
  });
  await new Promise((done) => { server.listen(0, '127.0.0.1', done); });
  const base = `http://127.0.0.1:${server.address().port}`;
  const paths = [...Object.keys(pages), '/nothing'];
  const { complaints } = await look(paths.map((path) => base + path), { browser, only: both });
  server.closeAllConnections();
  server.close();
  const about = (path) => complaints.filter(({ target }) => target === base + path).map(({ what }) => what).join('\n');
  assert.equal(about('/runs/good'), '');
  assert.match(about('/runs/broken'), /^error on the console: Failed to load resource.*404/);
  assert.match(about('/runs/foreign'), /requests http:\/\/localhost:9\/a\.png/);
  assert.match(about('/nothing'), /was answered with 404/);
});

test('APictureHasTheSameNameOnEveryMachine', () => {
  assert.equal(targetOf('/some/where/a report.html').name, 'a-report');
  assert.equal(targetOf('http://127.0.0.1:4711/runs/20261116-1402?page=2').name, 'runs-20261116-1402');
  assert.equal(targetOf('http://127.0.0.1:4711/').name, 'index');
});

test('TheExitStatusSaysWhatHappened', () => {
  const path = place('status', content('<p style="width: 500px">wide</p>'));
  const run = (words, env = {}) => spawnSync(process.execPath, [program, ...words],
    { encoding: 'utf8', env: { ...process.env, ...env } });
  const bad = run([path]);
  assert.equal(bad.status, 1, bad.stderr);
  assert.match(bad.stdout, /status\.html: is \d+ px wide in a window of 390 px: <p> "wide" \[390-light-script 390-l/);
  assert.equal(run([pathOf('good')]).status, 0);
  for (const words of [[], ['--most-bytes', 'x', path], ['--no-such', path]]) assert.equal(run(words).status, 2);
  for (const env of [{ CHROMIUM: join(folder, 'none') }, { MODULES: folder }, { PATH: folder }]) {
    const skipped = run([path], { CHROMIUM: '', ...env });
    assert.equal(skipped.status, 77);
    assert.match(skipped.stderr, /^NOT TESTED: /);
  }
});

// All processes below one, by id.
function below(pid) {
  const children = new Map();
  for (const name of readdirSync('/proc').filter((entry) => /^\d+$/.test(entry))) {
    const parent = stateOf(name)?.parent;
    if (parent) children.set(parent, [...(children.get(parent) ?? []), name]);
  }
  const gather = (id) => (children.get(id) ?? []).flatMap((child) => [child, ...gather(child)]);
  return gather(String(pid));
}
function stateOf(pid) {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const [state, parent] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return { state, parent };
  } catch {
    return null;
  }
}
async function until(what, condition) {
  for (const end = Date.now() + 60_000; !condition();) {
    assert(Date.now() < end, `never came: ${what}`);
    await new Promise((again) => { setTimeout(again, 10); });
  }
}
for (const signal of ['SIGKILL', 'SIGTERM', 'SIGINT']) {
  test(`AfterA${signal}NoBrowserIsLeft`, async () => {
    const path = place(`left-${signal}`, script("addEventListener('load', () => { for (;;); })"));
    const env = { ...process.env, TMPDIR: folder };  // a killed browser leaves its profile behind
    const child = spawn(process.execPath, [program, path], { stdio: 'ignore', env });
    const ended = new Promise((done) => { child.on('exit', done); });
    await until('a browser with pages', () => below(child.pid).length >= 5);
    const started = below(child.pid);
    child.kill(signal);
    await ended;
    await until('the end of the browser', () => started.every((pid) => ['Z', undefined].includes(stateOf(pid)?.state)));
  });
}
