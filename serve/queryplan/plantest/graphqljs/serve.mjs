// Validates and executes documents with graphql-js. It reads and writes lines of JSON: a schema first, then one case at a time. It holds no data: the
// value of each field is asked of the other side.
import { createInterface } from 'node:readline';
import { buildSchema, execute, GraphQLError, parse, validate } from 'graphql';

const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]();
const read = async () => JSON.parse((await lines.next()).value ?? 'null');
const write = said => process.stdout.write(JSON.stringify(said) + '\n');

const schema = buildSchema(await read());
for (const type of Object.values(schema.getTypeMap())) {
  if (type.astNode?.kind === 'EnumTypeDefinition') type.serialize = name => name;
}
// A text that begins with \0 is what a scalar writes itself, such as a number that JavaScript does not have.
const written = data => JSON.stringify(data).replace(/"\\u0000([^"]+)"/g, '$1');

// graphql-js leaves promises alone that it has no more use for.
process.on('unhandledRejection', error => {
  if (!(error instanceof GraphQLError)) throw error;
});

let cases = 0; // answered
let waiting = []; // the fields that the other side was asked for

async function run(document, variableValues) {
  const number = cases;
  let fields = []; // to ask for together
  const ask = () => {
    if (number !== cases) return;
    waiting = fields;
    fields = [];
    write({ asks: waiting.map(({ field, of, args }) => ({ field, of, args })) });
  };
  const fieldResolver = (of, args, _, { parentType, fieldName }) =>
    new Promise((resolve, reject) => {
      if (number !== cases) return; // the object was given up for an error beside this field
      if (fields.length === 0) setImmediate(ask);
      fields.push({ field: `${parentType.name}.${fieldName}`, of: of?.at, args, resolve, reject });
    });
  const { data, errors = [] } = await execute({ schema, document, variableValues, fieldResolver, typeResolver: ({ type }) => type });
  cases++;
  write({ data: data === undefined ? '' : written(data), errors: errors.map(({ path, message }) => ({ path, message })) });
}

function parsed(text) {
  try {
    const document = parse(text);
    return [document, validate(schema, document)];
  } catch (error) {
    if (error instanceof GraphQLError) return [null, [error]];
    throw error;
  }
}

for (let said; (said = await read()) !== null; ) {
  if (said.answers) {
    waiting.forEach(({ resolve, reject }, i) => {
      const { value, error } = said.answers[i];
      if (error) reject(new Error(error));
      else resolve(value);
    });
    continue;
  }
  const [document, errors] = parsed(said.document);
  if (errors.length > 0 || !said.run) write({ refused: errors.map(({ message }) => message) });
  else void run(document, said.variables);
}
