// What npm `tiktoken` (WASM of OpenAI's own code) counts, one JSON line for each text.
//
//   oracle.mjs [--modules DIR] < LIST     LIST: paths, NUL separated
//
//   {"path":"…","bytes":123,"cl100k_base":40,"o200k_base":39}
//
// A path that is no UTF-8 is given as "path_b64". Files are decoded as readFile('utf8') does: what
// is no UTF-8 becomes U+FFFD, a byte order mark stays. Words that models use as marks are ordinary
// text. tiktoken needs time with the square of a long piece, so do not feed it 100 KB of 'a'.
import { createRequire } from 'node:module';
import fs from 'node:fs';
import path from 'node:path';

const flag = process.argv.indexOf('--modules');
const modules = flag > 0 ? process.argv[flag + 1] : path.join(process.cwd(), 'node_modules');
const { get_encoding } = createRequire(path.join(path.resolve(modules), 'x.js'))('tiktoken');

const encodings = ['cl100k_base', 'o200k_base'].map((name) => [name, get_encoding(name)]);

function* paths(list) {
  for (let begin = 0; begin < list.length;) {
    let end = list.indexOf(0, begin);
    if (end < 0) end = list.length;
    yield list.subarray(begin, end);
    begin = end + 1;
  }
}

for (const name of paths(fs.readFileSync(0))) {
  const bytes = fs.readFileSync(name);
  const text = bytes.toString('utf8');
  const shown = name.toString('utf8');
  const line = Buffer.from(shown).equals(name) ? { path: shown } : { path_b64: name.toString('base64') };
  line.bytes = bytes.length;
  for (const [encoding, tokenizer] of encodings) line[encoding] = tokenizer.encode(text, [], []).length;
  fs.writeSync(1, JSON.stringify(line) + '\n');
}
