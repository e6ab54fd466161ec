// Every text of the pages has its words in Turkish.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { parseAst } from 'vite';

const sources = ['src/pages', 'src/site'].flatMap(folder =>
  readdirSync(folder)
    .filter(name => /\.tsx?$/.test(name) && name !== 'tr.ts')
    .map(name => `${folder}/${name}`),
);

const tree = file => parseAst(readFileSync(file, 'utf8'), { lang: file.endsWith('x') ? 'tsx' : 'ts', astType: 'ts' });

/** Calls look with each node of a tree, until it returns false. */
function walk(node, look) {
  if (look(node) === false) return;
  for (const [name, value] of Object.entries(node)) {
    if (/^type(Annotation|Arguments|Parameters)$/.test(name)) continue;
    for (const below of [value].flat()) if (typeof below?.type === 'string') walk(below, look);
  }
}

const dictionary = new Set();
walk(tree('src/site/tr.ts'), node => void (node.type === 'Property' && dictionary.add(node.key.name ?? node.key.value)));

/** Attributes that nobody reads, and texts that are none in any language: commands, names of keys, fonts, selectors. */
const UNREAD = /^(class|id|href|role|type|key|name|rel|src|scope|of|tabIndex|viewBox|data-.*|aria-(labelledby|describedby|live)|style)$/;
const NO_TEXT =
  /^(piyasa (keys|serve|demo) .*|Enter|Escape|Notification|Subscribed|&[lg]t;|null|\/v1\/\S*|.*px system-ui, sans-serif|tbody tr|header details.*|number [a-z ]+|(MACD|Bollinger)\b.*)$/;
/** Fields that a query asks for. */
const FIELDS = /^[a-z]\w*( [a-z]\w*)* \w*[a-z][A-Z]\w*( \w+)* ?$/;

const isText = text =>
  (/[A-Za-z]{2,} [A-Za-z]{2,}/.test(text) || /^[A-Z][a-z]{2,}[.:]?$/.test(text)) &&
  !/[{}]|curl/.test(text) &&
  !NO_TEXT.test(text) &&
  !FIELDS.test(text);

test('every text of the pages is in the dictionary', () => {
  const missing = new Set();
  for (const file of sources) {
    walk(tree(file), node => {
      if (/^(ImportDeclaration|TS(?!As|NonNull|Satisfies))/.test(node.type)) return false;
      if (node.type === 'JSXAttribute') return !UNREAD.test(node.name.name);
      const miss = text => void missing.add(`${file}: ${text}`);
      const isCall = node.type === 'CallExpression' && node.callee.name === 't' && node.arguments[0].type === 'Literal';
      if (node.type === 'JSXText') {
        const text = node.value.trim(); // nothing looks it up
        if (/[A-Za-z]{2,}/.test(text) && !NO_TEXT.test(text)) miss(text);
      } else if (isCall || (node.type === 'Literal' && typeof node.value === 'string' && isText(node.value))) {
        const text = isCall ? node.arguments[0].value : node.value;
        if (!dictionary.has(text)) miss(text);
      } else if (node.type === 'TemplateLiteral') {
        const text = node.quasis.map(part => part.value.cooked).join('…');
        if (isText(text)) miss(text);
      }
    });
  }
  // Reasons: those that the pages have words for, those of empty lists, and those of a stream without a quote.
  const reasons = [
    ...['why', 'factors', 'coverage'].flatMap(page => [
      ...readFileSync(`src/pages/${page}.tsx`, 'utf8').matchAll(/^  [a-z_]+: '((?:[^'\\]|\\.)*)',$/gm),
    ]),
    ...readFileSync('../../internal/value/missing_reason.go', 'utf8').matchAll(/^\t\w+: +"(.*)",$/gm),
  ].map(([, key]) => key);
  const [, unquoted] = /NullReason .*enum:"(.*)"/.exec(readFileSync('../../serve/stream/graphql_events.go', 'utf8'));
  assert.ok(reasons.length > 30);
  for (const key of [...reasons, ...unquoted.split(',').map(reason => reason.replaceAll('_', ' '))])
    if (!dictionary.has(key)) missing.add(`reason: ${key}`);
  const frame = [...readFileSync('frame.go', 'utf8').matchAll(/\bt\("([^"]+)"/g)].map(([, key]) => key);
  assert.ok(frame.length > 15);
  for (const key of frame) if (!dictionary.has(key)) missing.add(`frame.go: ${key}`);
  assert.deepEqual([...missing], []);
});

test('the errors of the API have titles in Turkish, and no sentence is translated that it does not say', () => {
  const titles = [...readFileSync('../../internal/problem/problem.go', 'utf8').matchAll(/^\t\w+: +\{\d+, "(.*)"\},$/gm)].map(
    ([, title]) => title,
  );
  assert.ok(titles.length > 30);
  assert.deepEqual(
    titles.filter(title => !dictionary.has(title)),
    [],
  );
  const said = ['account', 'domain', 'serve', 'internal', 'db']
    .flatMap(folder => readdirSync(`../../${folder}`, { recursive: true, withFileTypes: true }))
    .filter(file => /(?<!_test)\.go$/.test(file.name))
    .map(file => readFileSync(`${file.parentPath}/${file.name}`, 'utf8').replace(/%[a-z]/g, '%'))
    .join('');
  const unsaid = [...dictionary].filter(key => key.includes('{1}') && !said.includes(`"${key.replace(/\{\d\}/g, '%')}"`));
  assert.deepEqual(unsaid, []);
});

test('every reason that the pages show is in the language of the page', () => {
  const bare = readdirSync('src/pages')
    .filter(name => name !== 'why.tsx')
    .filter(name =>
      /(missingReason[?!]?\.message|[^(]\b(REASONS|UNKNOWN|NOTES)\[|(?<!t\([\w.]*)[Rr]eason\.replaceAll)/.test(
        readFileSync(`src/pages/${name}`, 'utf8'),
      ),
    );
  assert.deepEqual(bare, []);
});
