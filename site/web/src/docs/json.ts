/** Indents JSON. Its tokens stay as they were sent: numbers keep their digits. */
export function pretty(text: string): string {
  let depth = 0;
  let out = '';
  const tokens = text.match(/"(?:\\.|[^"\\])*"|[{}[\],:]|[^\s{}[\],:"]+/g) ?? [];
  const line = () => `\n${'  '.repeat(depth)}`;
  tokens.forEach((token, number) => {
    const next = tokens[number + 1];
    if (token === '{' || token === '[') {
      out += token;
      if (next !== '}' && next !== ']') {
        depth++;
        out += line();
      }
    } else if (token === '}' || token === ']') {
      const before = tokens[number - 1];
      if (before !== '{' && before !== '[') {
        depth--;
        out += line();
      }
      out += token;
    } else if (token === ',') out += `,${line()}`;
    else if (token === ':') out += ': ';
    else out += token;
  });
  return out;
}
