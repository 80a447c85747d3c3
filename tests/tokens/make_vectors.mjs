// Writes vectors.txt: byte strings and what npm `tiktoken` counts for them, so that the unit test
// needs no network. Deterministic.
//
//   make_vectors.mjs --modules node_modules > vectors.txt
//
// A line: tokens by cl100k_base, tokens by o200k_base, the bytes in base64 ("-": none). What is no
// UTF-8 was decoded as Node does: one U+FFFD for each maximal subpart.
import { createRequire } from 'node:module';
import fs from 'node:fs';
import path from 'node:path';
import { picked, strings } from './fuzz.mjs';

const flag = process.argv.indexOf('--modules');
const modules = flag > 0 ? process.argv[flag + 1] : path.join(process.cwd(), 'node_modules');
const { get_encoding } = createRequire(path.join(path.resolve(modules), 'x.js'))('tiktoken');
const { version } = JSON.parse(fs.readFileSync(path.join(modules, 'tiktoken', 'package.json')));
const cl100k = get_encoding('cl100k_base');
const o200k = get_encoding('o200k_base');

const lines = [`# by make_vectors.mjs and npm tiktoken ${version}: cl100k_base o200k_base bytes`];
for (const bytes of [...picked, ...strings(20231, 5200)]) {
  const text = bytes.toString('utf8');
  const counts = [cl100k, o200k].map((encoding) => encoding.encode(text, [], []).length);
  lines.push(`${counts.join(' ')} ${bytes.toString('base64') || '-'}`);
}
process.stdout.write(lines.join('\n') + '\n');
