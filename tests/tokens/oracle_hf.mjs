// What npm `tokenizers` (the native addon of Hugging Face's own code) counts with a tokenizer.json,
// one JSON line for each text.
//
//   oracle_hf.mjs [--modules DIR] TOKENIZER_JSON < LIST     LIST: paths, NUL separated
//   oracle_hf.mjs [--modules DIR] --fuzz SEED COUNT TOKENIZER_JSON
//
//   {"path":"…","bytes":123,"hf":40}          with --fuzz: {"b64":"…","bytes":12,"hf":4}
//
// Added tokens are taken out of the file before it is loaded, and the post processor too: a mark in
// a text is ordinary text, and nothing is put before or behind it.
import { createRequire } from 'node:module';
import fs from 'node:fs';
import path from 'node:path';
import { picked, strings } from './fuzz.mjs';

const args = process.argv.slice(2);
const take = (name, values) => {
  const at = args.indexOf(name);
  return at < 0 ? null : args.splice(at, values + 1).slice(1);
};
const modules = take('--modules', 1)?.[0] ?? path.join(process.cwd(), 'node_modules');
const fuzz = take('--fuzz', 2);
const { Tokenizer } = createRequire(path.join(path.resolve(modules), 'x.js'))('tokenizers');
const described = JSON.parse(fs.readFileSync(args[0], 'utf8'));
const tokenizer = Tokenizer.fromString(JSON.stringify({ ...described, added_tokens: [], post_processor: null }));

const count = async (bytes) => (await tokenizer.encode(bytes.toString('utf8'), null, { addSpecialTokens: false })).getLength();
const print = (line) => fs.writeSync(1, JSON.stringify(line) + '\n');

if (fuzz) {
  for (const bytes of [...picked, ...strings(Number(fuzz[0]), Number(fuzz[1]))]) {
    print({ b64: bytes.toString('base64'), bytes: bytes.length, hf: await count(bytes) });
  }
} else {
  const list = fs.readFileSync(0);
  for (let begin = 0; begin < list.length;) {
    const end = list.indexOf(0, begin) < 0 ? list.length : list.indexOf(0, begin);
    const name = list.subarray(begin, end);
    const bytes = fs.readFileSync(name);
    const shown = name.toString('utf8');
    print({ ...(Buffer.from(shown).equals(name) ? { path: shown } : { path_b64: name.toString('base64') }), bytes: bytes.length, hf: await count(bytes) });
    begin = end + 1;
  }
}
