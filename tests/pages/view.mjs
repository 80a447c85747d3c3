// The views of a page: in a wide and in a narrow window, light and dark, with JavaScript and without.
// A page is loaded anew for each view, with its own policy (CSP) in force: what checks it comes through
// the debugger, which the policy does not bind. Views share a window, because starting one takes half
// of the time of a view. What a view says:
//   { complaints: [text], notes: [text], text: what a reader sees }
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { require } from './browser.mjs';

const sizes = [{ width: 1280, height: 800 }, { width: 390, height: 844 }];
export const views = sizes.flatMap((viewport) => ['light', 'dark'].flatMap((scheme) => [true, false].map((script) => ({
  name: `${viewport.width}-${scheme}-${script ? 'script' : 'plain'}`, viewport, scheme, script,
}))));

const inPage = readFileSync(new URL('in_page.js', import.meta.url), 'utf8');
const axe = `${readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8')};undefined`;
const mostStops = 5_000;

const ask = (page, check, argument) => page.evaluate(
  ([name, value]) => globalThis[Symbol.for('tidemill.look')][name](value), [check, argument]);

// A page loads itself, from a server also what that server has, and nothing else.
function mayLoad(url, address) {
  if (/^(data|blob|about):/.test(url)) return true;
  const own = new URL(address);
  return own.protocol === 'file:' ? url.split('#')[0] === own.href.split('#')[0] : new URL(url).origin === own.origin;
}

// Returns a function that ends it.
function listen(page, address, complaints) {
  const complain = (text) => complaints.push(text);
  const requested = (url) => {
    if (!mayLoad(url.replace(/^ws/, 'http'), address)) complain(`requests ${url}`);
  };
  const heard = {
    console: (message) => {
      if (message.type() === 'error') complain(`error on the console: ${message.text()}`);
    },
    pageerror: (error) => complain(`error in a script: ${error.message ?? error}`),
    request: (request) => requested(request.url()),
    websocket: (socket) => requested(socket.url()),
  };
  for (const [event, handle] of Object.entries(heard)) page.on(event, handle);
  return () => {
    for (const [event, handle] of Object.entries(heard)) page.off(event, handle);
  };
}

// Through the whole page with Tab. Every <details> is opened with Enter, and left open.
async function walk(page) {
  const complaints = [];
  await ask(page, 'prepareWalk');
  for (let count = 0, ends = 0; ends < 2; ++count) {
    await page.keyboard.press('Tab');
    const stop = await ask(page, 'stop');
    if (stop?.again || count === mostStops) break;
    if (!stop) {
      ++ends;
      continue;
    }
    complaints.push(...stop.complaints);
    if (!stop.isSummary) continue;
    await page.keyboard.press('Enter');
    if (await ask(page, 'toggled', stop.isOpen) && stop.isOpen) await page.keyboard.press('Enter');
  }
  return [...complaints, ...await ask(page, 'afterWalk')];
}

async function print(page, path) {
  await page.emulateMedia({ media: 'print' });
  const isBlank = await ask(page, 'isBlank');
  await page.emulateMedia({ media: null });
  const pdf = await page.pdf({ path });
  return isBlank || pdf.subarray(0, 5).toString() !== '%PDF-' ? ['is empty when it is printed'] : [];
}

// Runs in the page. All rules of axe, best practice and experimental ones too, but those of WCAG's level
// AAA, which asks for a contrast of 7 and is not what we promise, and those that axe itself has given
// up. A linked style sheet is not fetched again (preload), which is what a page's policy may forbid.
async function runAxe() {
  const { axe } = globalThis;
  const rules = axe.getRules().map(({ ruleId, tags }) => (
    [ruleId, { enabled: !tags.includes('wcag2aaa') && !tags.includes('deprecated') }]));
  const preload = !document.querySelector('link[rel~=stylesheet]');
  const resultTypes = ['violations', 'incomplete'];
  const { violations, incomplete } = await axe.run({ rules: Object.fromEntries(rules), preload, resultTypes });

  // What is scrolled away in a box of its own has no contrast for axe: it looks again without boxes.
  // It does not judge the text of drawings at all, but in_page.js does.
  const unsure = incomplete.find(({ id }) => id === 'color-contrast');
  if (unsure) {
    unsure.nodes = unsure.nodes.filter(({ html }) => !/^<(text|tspan)\b/.test(html));
    const include = unsure.nodes.map(({ target }) => target);
    const boxless = new CSSStyleSheet();
    boxless.replaceSync('* { overflow: visible !important } html { width: max-content; min-width: 100% }');
    document.adoptedStyleSheets.push(boxless);
    const again = include.length > 0
      && await axe.run({ include }, { runOnly: ['color-contrast'], preload, resultTypes });
    document.adoptedStyleSheets.pop();
    violations.push(...again.violations ?? []);
    unsure.nodes = again.incomplete?.flatMap(({ nodes }) => nodes) ?? [];
  }
  return { violations, incomplete: incomplete.filter(({ nodes }) => nodes.length > 0) };
}

async function judge(page) {
  const { violations, incomplete } = await page.evaluate(runAxe);
  const say = ({ id, help, nodes }) => {
    const places = nodes.slice(0, 3).map(({ target }) => target.flat().join(' '));
    return `${help} (axe: ${id}): ${places.join(', ')}${nodes.length > 3 ? `, and ${nodes.length - 3} more` : ''}`;
  };
  return { complaints: violations.map(say), notes: incomplete.map(say) };
}

async function visit(page, target, view, pictures) {
  const complaints = [];
  const endListening = listen(page, target.address, complaints);
  await page.setViewportSize(view.viewport);
  await page.emulateMedia({ colorScheme: view.scheme });
  const response = await page.goto(target.address, { waitUntil: 'load' });
  if (response && response.status() >= 400) complaints.push(`was answered with ${response.status()}`);
  if (view.script) {  // what scripts do at the beginning is done after two frames
    await page.evaluate(() => new Promise((done) => {
      requestAnimationFrame(() => requestAnimationFrame(done));
    }));
  }
  const text = await page.evaluate(() => document.body.innerText.trim());
  const path = pictures && join(pictures, `${target.name}-${view.name}`);
  if (path) await page.screenshot({ path: `${path}.png`, fullPage: true, animations: 'disabled' });

  await page.evaluate(`${inPage};undefined`);
  for (const check of ['viewport', 'elsewhere']) complaints.push(...await ask(page, check));
  const notes = [];
  const inspect = async () => {
    complaints.push(...await ask(page, 'layout'));
    if (!view.script) return;
    const judged = await judge(page);
    complaints.push(...judged.complaints);
    notes.push(...judged.notes);
  };
  if (view.script) await page.evaluate(axe);
  await inspect();
  complaints.push(...await walk(page));
  if (await page.evaluate(() => document.querySelector('details') !== null)) await inspect();  // all are open now
  complaints.push(...await print(page, path && `${path}.pdf`));
  endListening();
  return { complaints, notes, text };
}

async function within(limit, work) {
  let alarm;
  const late = new Promise((_, fail) => {
    alarm = setTimeout(() => fail(new Error(`it is not done after ${limit / 1000} s`)), limit);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(alarm);
  }
}

// All views of a target with JavaScript, or all without: [[name, view]].
export async function lookAt(browser, target, script, { pictures, only, cookie, patience = 60_000 } = {}) {
  const context = await browser.newContext({ javaScriptEnabled: script, reducedMotion: 'reduce' });
  if (cookie && target.address.startsWith('http')) {
    const equals = cookie.indexOf('=');
    await context.addCookies([{ name: cookie.slice(0, equals), value: cookie.slice(equals + 1), url: target.address }]);
  }
  context.setDefaultTimeout(patience);
  const seen = [];
  let page = null;
  for (const view of views.filter((one) => one.script === script && (only?.includes(one.name) ?? true))) {
    try {
      page ??= await context.newPage();
      seen.push([view.name, await within(patience, visit(page, target, view, pictures))]);
    } catch (error) {
      const complaints = [`cannot be looked at: ${error.message.split('\n')[0]}`];
      seen.push([view.name, { complaints, notes: [], text: null }]);
      page = null;  // it may hang
    }
  }
  await within(patience, context.close()).catch(() => {});
  return seen;
}
