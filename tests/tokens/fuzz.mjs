// Byte strings that are hard to tokenize: the same ones for the same seed, on every machine.
//
// Runs of characters of one class, changes of class, contractions in every case, line ends of every
// kind, byte order marks, emoji with joiners, combining marks, digits that are not ASCII, code points
// that no Unicode version has yet, and bytes that are no UTF-8.

// mulberry32: good enough, and six lines in any language.
export function dice(seed) {
  let a = seed >>> 0;
  const next = () => {
    a = (a + 0x6d2b79f5) >>> 0;
    let t = Math.imul(a ^ (a >>> 15), 1 | a);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
  const below = (n) => Math.floor(next() * n);
  return { next, below, pick: (list) => list[below(list.length)], between: (a, b) => a + below(b - a + 1) };
}

const range = (from, to) => (d) => String.fromCodePoint(d.between(from, to));
const one_of = (...list) => (d) => d.pick(list);

const words = one_of(
  'the', 'The', 'THE', 'function', 'return', 'iPhone', 'McDonald', 'HTTPServer', 'XMLHttpRequest', 'x', 'I', "don't", "I'm",
  'internationalization', 'antidisestablishmentarianism', 'naïve', 'café', 'Straße', 'ǅungla', 'Ǆ', 'ŉ', 'ﬁne', 'Ωmega', 'привет',
  'Здравствуйте', 'ПРИВЕТ', 'γειά', 'ΣΊΣΥΦΟΣ', 'שלום', 'مرحبا', 'بالعالم', 'नमस्ते', 'हिन्दी', 'বাংলা', 'தமிழ்', 'สวัสดีครับ',
  '你好世界', '中文', '日本語', 'こんにちは', 'カタカナ', 'ｶﾀｶﾅ', '한국어', '안녕하세요', 'ქართული', 'Հայերեն', 'ᏣᎳᎩ', 'አማርኛ', 'Việt', 'Tiếng',
  'İstanbul', 'ıraq', 'a̐éö̲', 'Å', 'ﬀ', 'ª', 'º', 'ʰ', 'ᵃ', 'ⅷ', 'Ⅻ', '٣٤٥', '१२३', '①②③④', '½¾', '²³', '𝐀𝐁𝐜', '𝟏𝟐𝟑𝟒', '𠀀𠀁', '𞤀𞤢', '𐐀𐐨', 'ꭰ', 'Ꭰ');
const contractions = one_of(
  "'s", "'t", "'re", "'ve", "'m", "'ll", "'d", "'S", "'T", "'RE", "'Re", "'rE", "'VE", "'M", "'LL", "'lL", "'D", "'\u017f", "'\u017fa",
  "'r", "'v", "'l", "'l'l", "''s", "'s's", "’s", "’ll", "'\u212a", "'x", "'", "'1", "' s", "'\ns");
const blanks = one_of(
  ' ', ' ', ' ', '  ', '   ', '        ', '\t', '\t\t', '\n', '\n', '\n\n', '\n\n\n', '\r', '\r\n', '\r\n', '\r\n\r\n', '\n\r', ' \n', '\n ', ' \r\n ',
  '\n  ', '\n\t', '\v', '\f', '\u0085', '\u00a0', '\u1680', '\u2000', '\u2003', '\u200a', '\u2028', '\u2029', '\u202f', '\u205f', '\u3000',
  '\u200b', '\u180e', '\u2060', '\ufeff', '\u001c', '\u001f', ' \u00a0', '\u3000\u3000', '\n\u3000', '\u0085\n', '\u2028\n');
const digits = one_of('0', '1', '42', '123', '1234', '12345', '1234567890', '3.14159', '1e10', '0x1F', '1,000,000', '٣', '٣٤٥٦', '१२३४', '¼', 'Ⅳ', '𝟘𝟙𝟚𝟛', '〇', '一二三', '１２３４');
const marks = one_of(
  '.', ',', ';', ':', '!', '?', '...', '…', '—', '--', '---', '-----', '=====', '//', '/', '///', '/*', '*/', '(', ')', '()', '();', '{}', '[]', '<', '>', '</', '/>',
  '=>', '->', '==', '!=', '&&', '||', '++', '"', '""', '`', '```', '#', '##', '$', '%', '@', '\\', '\\n', '^', '_', '__', '~', '|', '§', '©', '®', '°', '±', '÷', '€', '¥', '₿',
  '«', '»', '、', '。', '「', '」', '！', '？', '・', '›', '\u0001', '\u001b[0m', '\u007f', '\u00ad', ' /', ' //', '/\n', '/\r\n', ';\n', '{\n', '}\n\n', ')\r\n', '/\n/', '.\n\n', '\n/');
const emoji = one_of('😀', '👍🏽', '👨‍👩‍👧‍👦', '🏳️‍🌈', '🇩🇪', '🇩🇪🇯🇵', '❤️', '☃', '☃️', '✈️', '1️⃣', '#️⃣', '🤷🏾‍♀️', '👩🏿‍🚀', '🏴󠁧󠁢󠁳󠁣󠁴󠁿', '🫠', '🪿', '\u200d', '\ufe0f');
const combining = one_of('\u0301', '\u0300\u0301', '\u0327', '\u20d0', '\u0489', '\u093f', '\u094d', '\u0e31', '\u064b', '\u05b0', '\u3099', '\u1ab0', '\ufe20', '\u0345', '\u0903', '\u200d', '\u200c', '\u302a', '\u{1d165}', '\u{e0100}');
const specials = one_of('<|endoftext|>', '<|im_start|>', '<|im_end|>', '<|fim_prefix|>', '<|endofprompt|>', '<|begin_of_text|>', '<|eot_id|>', '<｜begin▁of▁sentence｜>', '<｜User｜>', '<think>', '</s>', '[INST]', '<unk>');

// One character, somewhere in a range that a rule has to get right.
const letters = [
  range(0x61, 0x7a), range(0x41, 0x5a), range(0xc0, 0x24f), range(0x250, 0x36f), range(0x370, 0x52f), range(0x530, 0x6ff), range(0x700, 0x8ff), range(0x900, 0xdff),
  range(0xe00, 0x10ff), range(0x1100, 0x1aff), range(0x1b00, 0x1fff), range(0x2000, 0x20ff), range(0x2100, 0x245f), range(0x2460, 0x2bff), range(0x2c00, 0x2fff),
  range(0x3000, 0x30ff), range(0x3100, 0x33ff), range(0x3400, 0x4dff), range(0x4e00, 0x9fff), range(0x9fa0, 0xa4ff), range(0xa4d0, 0xabff), range(0xac00, 0xd7ff), range(0xe000, 0xfaff),
  range(0xfb00, 0xffff), range(0x10000, 0x10fff), range(0x11000, 0x12fff), range(0x13000, 0x16fff), range(0x17000, 0x1bfff), range(0x1c000, 0x1dfff), range(0x1e000, 0x1efff), range(0x1f000, 0x1ffff),
  range(0x20000, 0x323af), range(0xe0000, 0x10ffff)];
const anything = (d) => d.pick(letters)(d);

// Bytes that are no UTF-8, or hardly.
const broken = [
  [0x80], [0xbf], [0xc0], [0xc1], [0xc0, 0x80], [0xc1, 0xbf], [0xc2], [0xc3, 0x28], [0xe0], [0xe0, 0x80], [0xe0, 0x9f, 0xbf], [0xe0, 0xa0], [0xe2, 0x82], [0xe2, 0x28, 0xa1], [0xe3, 0x81], [0xed, 0xa0, 0x80],
  [0xed, 0xbf, 0xbf], [0xed, 0xa0, 0xbd, 0xed, 0xb8, 0x80], [0xef, 0xbb], [0xef, 0xbf, 0xbf], [0xf0], [0xf0, 0x80, 0x80, 0x80], [0xf0, 0x8f, 0xbf, 0xbf], [0xf0, 0x90], [0xf0, 0x9f, 0x98], [0xf0, 0x9f], [0xf1, 0x80, 0x80],
  [0xf4, 0x8f, 0xbf, 0xbf], [0xf4, 0x90, 0x80, 0x80], [0xf5], [0xf8, 0x88, 0x80, 0x80, 0x80], [0xff], [0xfe], [0xff, 0xfe], [0xfe, 0xff], [0x80, 0x80, 0x80], [0xf0, 0x9f, 0x98, 0xf0, 0x9f, 0x98, 0x80], [0x00], [0xc3], [0xc4, 0xc4]];

const bytes_of = (text) => Buffer.from(text, 'utf8');

// A string of one kind of thing, or of all.
const flavours = [
  [3, (d) => d.pick([words, blanks, marks, words, blanks])(d)],
  [3, (d) => d.pick([words, blanks, digits, marks, emoji, combining, contractions, anything])(d)],
  [2, (d) => d.pick([words, contractions, blanks])(d)],
  [2, (d) => d.pick([blanks, blanks, blanks, words, marks])(d)],
  [2, (d) => d.pick([words, combining, emoji])(d)],
  [2, (d) => d.pick([digits, blanks, words])(d)],
  [2, (d) => d.pick([marks, blanks, combining, specials])(d)],
  [3, anything],
  [2, (d) => d.pick([anything, blanks, () => "'", words])(d)],
  [2, 'one range'],
  [1, 'one character'],
  [3, 'bytes'],
  [1, 'random bytes'],
];
const wheel = flavours.flatMap(([weight, flavour]) => Array(weight).fill(flavour));

function parts(d, length) {
  const flavour = d.pick(wheel);
  const list = [];
  let size = 0;
  const add = (bytes) => { list.push(bytes); size += bytes.length; };
  if (flavour === 'random bytes') {
    for (; size < Math.min(length, 120);) add(Buffer.from([d.next() < 0.5 ? d.between(0x80, 0xff) : d.between(0, 0x7f)]));
  } else if (flavour === 'bytes') {
    for (; size < length;) {
      const kind = d.next();
      add(kind < 0.4 ? Buffer.from(d.pick(broken)) : bytes_of(kind < 0.6 ? anything(d) : d.pick([words, blanks, marks, emoji])(d)));
    }
    if (d.next() < 0.3) list.push(list.pop().subarray(0, -1));  // cut within a character
  } else if (flavour === 'one range') {
    const kind = d.pick(letters);
    for (; size < length;) add(bytes_of(d.next() < 0.15 ? d.pick([blanks, combining, marks])(d) : kind(d)));
  } else if (flavour === 'one character') {
    const text = bytes_of(d.pick([anything, marks, blanks, words, emoji])(d));
    for (; size < length;) add(text);
    if (d.next() < 0.5) add(bytes_of(d.pick([words, blanks, marks])(d)));
  } else {
    for (; size < length;) add(bytes_of(flavour(d)));
  }
  return Buffer.concat(list);
}

// `count` byte strings; most are short, some of a few kilobytes.
export function* strings(seed, count, longest = 2000) {
  const d = dice(seed);
  for (let i = 0; i < count; ++i) {
    const kind = d.next();
    const length = kind < 0.55 ? d.between(1, 40) : kind < 0.93 ? d.between(30, 200) : kind < 0.995 ? d.between(200, 600) : d.between(600, longest);
    let text = parts(d, length);
    if (d.next() < 0.05) text = Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), text]);
    if (d.next() < 0.05) text = Buffer.concat([text, parts(d, length)]);
    yield text;
  }
}

// Cases that somebody got wrong once, or easily would.
export const picked = [
  '', ' ', '  ', '\n', '\r', '\r\n', '\t', 'a', '\u0000', '\ufeff', '\ufeffhello', 'hello world', 'Hello, World!', 'hello  world', 'hello   world', ' hello', '  hello', 'hello ', 'hello  ',
  'hello\n', 'hello\n\n', 'hello \n', 'hello  \n  world', '\n hello', '\n  hello', '\n\n\n   x', '   \n   \n   x', '   \n', '   \r\n\t', '\n\n', '\n \n', ' \n ', "don't", "DON'T", "don’t", "'s", "'S", "'\u017f", "x'\u017f",
  "'s'S'\u017f", "'ll'Ll'lL'LL", "it's've'd'm're", "they'll", "THEY'LL", "'tis", "'Tis", "l'été", "'é", "''", "'''", "a'", "a'b", "a'sb", "1's", " 's", "\n's", "A'SB", "a's'd", "1234567890", "12 345 6789", "3.14", "１２３４５", "٠١٢٣٤٥٦٧٨٩",
  'ⅠⅡⅢⅣ', '①②③④⑤', '½⅓¼', 'a1b2c3', 'ABCdef', 'abcDEF', 'ABC', 'AbC', 'aBc', 'HTTPServer', 'XMLHttpRequest2', 'camelCaseString', 'SCREAMING_SNAKE_CASE', 'snake_case_string', 'kebab-case-string', 'ǅa', 'aǅ', 'Aǅa', 'ʰa', 'aʰA', 'AʰA', '中A', 'A中', 'a中', '中a', 'A中a中A',
  '中文', '中文 English 中文', '日本語テキスト', 'カタカナひらがな漢字', '한국어 텍스트', 'สวัสดีครับ', 'नमस्ते दुनिया', 'مرحبا بالعالم', 'שלום עולם', 'Привет, мир!', 'e\u0301', 'E\u0301', ' \u0301', '\u0301', '\u0301\u0301', '\u0301a', '.\u0301', '1\u0301', '\n\u0301', "e\u0301's", "\u0301's", 'A\u0301B\u0301', 'a\u0301\u0302\u0303b',
  '😀', '😀😀', ' 😀', '👨‍👩‍👧‍👦', '🏳️‍🌈', '🇩🇪', '👍🏽', '❤️', '1️⃣', '/', '//', ' //', '///\n', '/\n/', '/\n\n', './a/b', '../../', 'a/b/c', 'http://example.com/a?b=c&d=e#f', '<a href="x">y</a>', '/*\n * x\n */', '//\r\n//', '!/\n', '!\n/', '!\n/\n/', '?/\r\n/ x', ' /\n x',
  '#!/bin/sh\n', 'int main(void) {\n  return 0;\n}\n', 'def f(x):\n    return x + 1\n', 'x = [1, 2, 3];\r\n', '\tif (x) {\r\n\t\ty();\r\n\t}\r\n', 'a\u00a0b', 'a\u00a0\u00a0b', '\u00a0', '\u3000', '\u3000中', '\u2028a', 'a\u0085b', '\u0085\n\u0085', 'a\u200bb', 'a\u200db', 'a\u180eb', 'a\u001cb', 'a\u001fb',
  '<|endoftext|>', '<|endofprompt|>', '<|im_start|>user<|im_end|>', 'x<|endoftext|>y', '<|fim_prefix|>', '<｜User｜>', '<think>', '= ' + '='.repeat(100), '-'.repeat(80) + '\n', ' '.repeat(100), ' '.repeat(100) + 'x', '\n'.repeat(100), '\t'.repeat(50) + 'x', ' '.repeat(83), ' '.repeat(84) + '\n', ' \n'.repeat(40), '\r\n'.repeat(40),
  'a'.repeat(1000), 'A'.repeat(1000), 'ab'.repeat(1000), '!'.repeat(1000), '0'.repeat(1000), ' '.repeat(1000), 'あ'.repeat(500), '中'.repeat(500), 'é'.repeat(500), '\u0301'.repeat(300), '😀'.repeat(100), 'aA'.repeat(500), 'Aa'.repeat(500), "'s".repeat(300), '.a'.repeat(300), 'a '.repeat(500), 'z'.repeat(3000) + '!', 'abcdefghijklmnopqrstuvwxyz'.repeat(60),
].map((text) => Buffer.from(text, 'utf8')).concat([
  [0x80], [0xff], [0xc3], [0xe2, 0x82], [0xe2, 0x82, 0x41], [0xf0, 0x9f, 0x98], [0xf0, 0x9f, 0x98, 0x20], [0xed, 0xa0, 0x80], [0xed, 0xa0, 0xbd, 0xed, 0xb8, 0x80], [0xc0, 0x80], [0xf4, 0x90, 0x80, 0x80], [0xff, 0xfe, 0x41, 0x00], [0xef, 0xbb], [0xef, 0xbb, 0xbf, 0xef, 0xbb, 0xbf],
  [0x61, 0x80, 0x62], [0x20, 0x80], [0x0a, 0x80], [0x80, 0x0a], [0x27, 0xc5], [0x27, 0xc5, 0xbf], [0xe0, 0x80, 0x80], [0xf8, 0x88, 0x80, 0x80, 0x80], [0x20, 0xe2, 0x80], [0xe4, 0xb8, 0xad, 0xe4, 0xb8],
].map((bytes) => Buffer.from(bytes)));
