import { mkdirSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { defineConfig } from 'vite';

const fonts = join(import.meta.dirname, 'node_modules', '.fonts');

/**
 * GraphiQL ships its fonts as base64 inside CSS, for many scripts. Keep Latin
 * (Turkish is in its second range) and make files of it, so that the browser
 * loads a font only when it draws with it.
 */
const fontFiles = {
  name: 'font-files',
  enforce: 'pre',
  transform(css, id) {
    if (!/@graphiql\/react\/font\/[\w-]+\.css$/.test(id)) return;
    mkdirSync(fonts, { recursive: true });
    const latin = css.match(/@font-face\s*{[^}]*}/g).filter(face => /U\+0(000|100)-/.test(face));
    return latin
      .map((face, index) =>
        face.replace(/url\(data:font\/(\w+);base64,([^)]+)\)/, (_, type, data) => {
          const file = join(fonts, `${basename(id, '.css')}-${index}.${type}`);
          writeFileSync(file, Buffer.from(data, 'base64'));
          return `url(${file})`;
        }),
      )
      .join('\n');
  },
};

/** "use client" and its like mean nothing here; libraries are full of them. */
const quiet = (level, log, handle) => {
  if (log.code !== 'MODULE_LEVEL_DIRECTIVE') handle(level, log);
};

/** What pages load: the site's own part on all of them, and the script of some. */
const entries = {
  site: 'src/site/site.ts',
  graphiql: 'src/graphiql/main.tsx',
  home: 'src/pages/home.tsx',
  instrument: 'src/pages/instrument.tsx',
  disclosures: 'src/pages/disclosures.tsx',
  streams: 'src/pages/streams.tsx',
  status: 'src/pages/status.tsx',
  markets: 'src/pages/markets.tsx',
  screener: 'src/pages/screener.tsx',
  compare: 'src/pages/compare.tsx',
  funds: 'src/pages/funds.tsx',
  calendar: 'src/pages/calendar.tsx',
  macro: 'src/pages/macro.tsx',
  docs: 'src/docs/docs.ts',
};

/** All packages but those of other pages, and those that GraphiQL loads after it is drawn. */
const graphiqlParts = /node_modules\/(?!monaco-|prettier\/|preact\/|@preact\/|graphql-ws\/|lightweight-charts\/|fancy-canvas\/|uplot\/|\.fonts\/|vite\/)/;

export default defineConfig({
  base: '/',
  plugins: [fontFiles],
  resolve: {
    // Two names of one module; without this both are shipped.
    alias: { 'prettier/parser-graphql': 'prettier/plugins/graphql' },
  },
  worker: { format: 'es' },
  build: {
    // publish.mjs brings what changed into dist.
    outDir: '../../out/site',
    emptyOutDir: true,
    // The server makes the pages; it learns from the manifest which files an entry needs.
    manifest: 'manifest.json',
    license: { fileName: 'licenses.md' },
    // Monaco is one large chunk, loaded after the page is drawn.
    chunkSizeWarningLimit: 4000,
    modulePreload: { polyfill: false },
    rolldownOptions: {
      onLog: quiet,
      input: entries,
      // Large packages stand apart from our own scripts, so that a change of those leaves 2 MB of web/dist as they are.
      output: {
        codeSplitting: {
          groups: [
            { name: 'preload-helper', test: /vite\/preload-helper/, priority: 1 }, // which other pages load, too
            { name: 'graphiql-parts', test: id => graphiqlParts.test(id) },
            { name: 'lightweight-charts', test: /node_modules\/(lightweight-charts|fancy-canvas)\// },
          ],
        },
      },
    },
  },
  // publish.mjs prints what counts.
  logLevel: 'warn',
});
