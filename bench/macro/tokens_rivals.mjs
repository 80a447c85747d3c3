// Two passes of one rival over the texts of a list, for tokens.py: CPU time of each, as JSON.
//
//   tokens_rivals.mjs RIVAL ENCODING NODE_MODULES LIST
//
// Texts are decoded before anything is measured; the encoder is made and fed a line before, too. So
// the first pass is what a program pays that has just started, the second what it pays when caches
// are filled and code is compiled. CPU time is that of the process: Node collects garbage and
// compiles on other threads.
import { createRequire } from 'node:module';
import fs from 'node:fs';
import path from 'node:path';

const [rival, encoding, modules, list] = process.argv.slice(2);
const require = createRequire(path.join(path.resolve(modules), 'x.js'));

const counters = {
  'tiktoken-node': () => {
    const encoder = require('tiktoken-node').getEncoding(encoding);
    return (text) => encoder.encode(text).length;
  },
  'tiktoken': () => {
    const encoder = require('tiktoken').get_encoding(encoding);
    return (text) => encoder.encode(text, [], []).length;
  },
  'gpt-tokenizer': () => {
    const { countTokens } = require(`gpt-tokenizer/encoding/${encoding}`);
    return (text) => countTokens(text, { disallowedSpecial: new Set() });
  },
  'ai-tokenizer': () => {
    const { Tokenizer } = require('ai-tokenizer');
    const tokenizer = new Tokenizer(require(`ai-tokenizer/encoding/${encoding}`));
    return (text) => tokenizer.count(text);
  },
};

const texts = [];
let bytes = 0;
for (const name of fs.readFileSync(list, 'latin1').split('\0').filter(Boolean)) {
  const content = fs.readFileSync(Buffer.from(name, 'latin1'));
  bytes += content.length;
  texts.push(content.toString('utf8'));
}

const count = counters[rival]();
count('to begin with');
const pass = () => {
  const before = process.cpuUsage();
  let tokens = 0;
  for (const text of texts) tokens += count(text);
  const { user, system } = process.cpuUsage(before);
  return { seconds: (user + system) / 1e6, tokens };
};
const first = pass();
const second = pass();
console.log(JSON.stringify({ bytes, tokens: second.tokens, first: first.seconds, second: second.seconds }));
