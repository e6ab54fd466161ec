// Prints what breaks clients between two schemas, as a list of JSON.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

const require = createRequire(new URL('../../serve/queryplan/plantest/graphqljs/', import.meta.url));
const { buildSchema, findBreakingChanges } = require('graphql');
const [before, after] = process.argv.slice(2).map(file => buildSchema(readFileSync(file, 'utf8')));
console.log(JSON.stringify(findBreakingChanges(before, after).map(change => change.description)));
