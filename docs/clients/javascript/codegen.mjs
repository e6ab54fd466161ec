// graphql-codegen: types of queries.graphql into generated/graphql.ts. With its command line, the same config goes into codegen.ts.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { codegen } from '@graphql-codegen/core';
import * as operations from '@graphql-codegen/typescript-operations';
import { buildSchema, parse } from 'graphql';

const { PIYASA_URL = 'http://127.0.0.1:8080' } = process.env;

const config = {
  // Figures are exact text: a number would lose digits.
  scalars: { Decimal: 'string', DateTime: 'string', Date: 'string', Month: 'string', DateOrDateTime: 'string', Long: 'number', JSON: 'unknown' },
  enumType: 'string-literal',
  avoidOptionals: true,
};
const schema = buildSchema(await (await fetch(`${PIYASA_URL}/schema.graphql`)).text());
const here = new URL('.', import.meta.url);
const out = process.env.PIYASA_GENERATED ?? new URL('generated', here).pathname;
const text = await codegen({
  schema: parse(await (await fetch(`${PIYASA_URL}/schema.graphql`)).text()),
  schemaAst: schema,
  documents: [{ location: 'queries.graphql', document: parse(readFileSync(new URL('queries.graphql', here), 'utf8')) }],
  filename: 'graphql.ts',
  config,
  plugins: [{ operations: {} }],
  pluginMap: { operations },
});
mkdirSync(out, { recursive: true });
writeFileSync(`${out}/graphql.ts`, text);
