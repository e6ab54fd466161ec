// Replaces each built file that gains from it by a .gz (the Go server sends those
// as they are, and unpacks them for the few who cannot) and prints the sizes.
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';

const dist = join(import.meta.dirname, 'dist', 'site');
const files = readdirSync(dist, { recursive: true, withFileTypes: true })
  .filter(entry => entry.isFile() && !entry.name.endsWith('.gz'))
  .map(entry => join(entry.parentPath, entry.name))
  .sort();

const kib = bytes => `${(bytes / 1024).toFixed(1)} KiB`.padStart(12);
let rawTotal = 0;
let sentTotal = 0;
for (const file of files) {
  const raw = readFileSync(file);
  const packed = gzipSync(raw, { level: 9 });
  // The server itself reads the manifest.
  const keep = raw.length >= 1024 && packed.length < 0.9 * raw.length && !file.endsWith('manifest.json');
  if (keep) {
    writeFileSync(`${file}.gz`, packed);
    rmSync(file);
  }
  const sent = keep ? packed.length : raw.length;
  rawTotal += raw.length;
  sentTotal += sent;
  console.log(kib(raw.length), kib(sent), ' ', file.slice(dist.length + 1));
}
console.log(kib(rawTotal), kib(sentTotal), '  total (raw, as sent)');
