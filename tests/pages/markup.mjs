// The text of a page against the rules of HTML, by html-validate: everything it recommends, and all
// that it has about whole documents, browsers and accessibility.
import { require } from './browser.mjs';

const { HtmlValidate, StaticConfigLoader } = require('html-validate');
const checker = new HtmlValidate(new StaticConfigLoader({
  root: true,
  extends: ['recommended', 'document', 'browser', 'a11y'].map((name) => `html-validate:${name}`),
  rules: {
    // The width of a bar is data. Where a page forbids such styles itself, the browser complains.
    'no-inline-style': 'off',
    // What a page loads from its own server comes from the program that made the page. Anything else
    // is a complaint of its own.
    'require-sri': ['error', { target: 'crossorigin' }],
  },
}));

// A page must not choose its own rules.
const directive = /\[html-validate-/;

export async function checkMarkup(text) {
  const complaints = directive.test(text) ? ['turns rules of html-validate off'] : [];
  const { results } = await checker.validateString(text, 'page.html');
  for (const { line, column, message, ruleId } of results.flatMap((result) => result.messages)) {
    complaints.push(`line ${line}, column ${column}: ${message} (html-validate: ${ruleId})`);
  }
  return complaints;
}
