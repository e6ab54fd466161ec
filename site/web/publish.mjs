// Puts what Vite has built into dist, which the repository holds: each file that gains from
// it as a .gz, which the Go server sends as it is and unpacks for the few clients that cannot.
// With --check it changes nothing, and fails if dist holds anything else.
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';

const check = process.argv.includes('--check');
const built = join(import.meta.dirname, '../..', 'out', 'site');
const dist = join(import.meta.dirname, 'dist');

const filesOf = folder =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile())
    .map(entry => relative(folder, join(entry.parentPath, entry.name)))
    .sort();

const kib = bytes => `${(bytes / 1024).toFixed(1)} KiB`.padStart(12);
const stale = new Set(existsSync(dist) ? filesOf(dist) : []);
const differing = [];
let sent = 0;
for (const name of filesOf(built)) {
  const raw = readFileSync(join(built, name));
  let packed = gzipSync(raw, { level: 9 });
  // The server itself reads the manifest.
  const pack = raw.length >= 1024 && packed.length < 0.9 * raw.length && name !== 'manifest.json';
  const published = pack ? `${name}.gz` : name;
  const path = join(dist, published);
  const known = stale.delete(published) && readFileSync(path);
  // Each version of zlib packs in its own way, so what counts is what was packed.
  if (known && raw.equals(pack ? gunzipSync(known) : known)) {
    sent += known.length;
    continue;
  }
  differing.push(published);
  sent += pack ? packed.length : raw.length;
  if (check) continue;
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, pack ? packed : raw);
}
differing.push(...stale);
if (!check) stale.forEach(name => rmSync(join(dist, name)));
console.log(`${differing.length} files of web/dist ${check ? 'are out of date' : 'changed'}; the pages have ${kib(sent).trim()} as sent`);
if (check && differing.length) {
  console.error(`${differing.join('\n')}\nrun make pages, and commit web/dist with the change`);
  process.exit(1);
}
