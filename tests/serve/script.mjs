#!/usr/bin/env node
// The script of the pages of `serve` in a browser, on the page of a run in progress:
//   script.mjs URL COOKIE STOP    STOP: the file that lets the run end
// It follows the run, keeps open details, focus and scrolling, stops when it is paused, says the state when
// it changes, and ends with the run. 77: there is no browser here.
import { writeFileSync } from 'node:fs';
import { startBrowser } from '../pages/browser.mjs';

const [url, cookie, stop] = process.argv.slice(2);
const [name, value] = cookie.split('=');
const fail = (text) => { throw new Error(text); };
const demand = (holds, text) => holds || fail(text);

const browser = await startBrowser();
try {
  const context = await browser.newContext({ viewport: { width: 800, height: 400 } });
  await context.addCookies([{ name, value, url }]);
  const page = await context.newPage();
  const errors = [];
  page.on('pageerror', (error) => errors.push(error.message));
  page.on('console', (message) => message.type() === 'error' && errors.push(message.text()));
  await page.clock.install();
  await page.goto(url);
  const button = page.getByRole('button', { name: 'Pause' });
  demand(await button.isVisible(), 'no button to pause');

  // What the reader has done stays: each answer brings new contents.
  const summary = page.locator('main summary').first();
  await summary.click();
  await page.evaluate(() => {
    document.querySelector('main').firstElementChild.dataset.old = 'yes';
    window.scrollTo(0, 120);
  });
  const answered = () => page.waitForResponse((response) => response.url() === url);
  await Promise.all([answered(), page.clock.runFor(2_100)]);
  await page.waitForFunction(() => !document.querySelector('main [data-old]'));
  demand(await page.locator('main details').first().evaluate((one) => one.open), 'details are closed');
  demand(await summary.evaluate((one) => document.activeElement === one), 'the focus is lost');
  demand(await page.evaluate(() => window.scrollY) === 120, 'it has scrolled');
  demand((await page.locator('.status').innerText()).includes('updated'), 'it does not say when');
  demand(await page.locator('[aria-live]').innerText() === '', 'the state is said, and has not changed');

  let asked = 0;
  page.on('request', () => { asked += 1; });
  await button.click();
  await page.clock.runFor(20_000);
  demand(asked === 0, 'it asks though it is paused');

  writeFileSync(stop, '');
  await page.getByRole('button', { name: 'Continue' }).click();
  for (let turn = 0; turn < 100 && await page.locator('main h1 .pill').innerText() === 'running'; ++turn) {
    await Promise.all([answered(), page.clock.runFor(2_100)]);
  }
  await page.waitForFunction(() => !document.querySelector('.status button'));
  demand(await page.locator('main h1 .pill').innerText() === 'complete', 'the end is not shown');
  demand(await page.locator('[aria-live]').innerText() === 'complete', 'the end is not said');
  asked = 0;
  await page.clock.runFor(20_000);
  demand(asked === 0, 'it asks after the end');
  demand(errors.length === 0, errors.join('; '));
  console.log('the script follows a run to its end');
} finally {
  await browser.close();
}
