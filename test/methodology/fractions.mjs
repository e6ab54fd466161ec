// Fractions of BigInt, for the programs that recompute the examples of docs/methodology.md.
import { readFileSync } from "node:fs";

export const fraction = (text) => {
  const [whole, digits = ""] = text.split(".");
  return { num: BigInt(whole + digits), den: 10n ** BigInt(digits.length) };
};
export const inverse = ({ num, den }) => ({ num: den, den: num });
export const times = (a, b) => ({ num: a.num * b.num, den: a.den * b.den });
export const minus = (a, b) => ({ num: a.num * b.den - b.num * a.den, den: a.den * b.den });
export const plus = (a, b) => ({ num: a.num * b.den + b.num * a.den, den: a.den * b.den });

// decimal writes a whole number of units of 10^-digits without trailing zeros.
function decimal(units, digits) {
  const sign = units < 0n ? "-" : "", text = String(units < 0n ? -units : units).padStart(digits + 1, "0");
  const at = text.length - digits;
  return sign + (digits === 0 ? text : `${text.slice(0, at)}.${text.slice(at)}`.replace(/\.?0+$/, ""));
}

// rounded rounds half away from zero to some digits after the point.
export function rounded({ num, den }, digits) {
  const size = num < 0n ? -num : num, units = (2n * size * 10n ** BigInt(digits) + den) / (2n * den);
  return decimal(num < 0n ? -units : units, digits);
}

// significant rounds a positive fraction half up to some significant digits.
export function significant({ num, den }, digits = 12) {
  let exponent = 0; // of the last digit
  while (num >= den * 10n ** BigInt(digits)) [den, exponent] = [den * 10n, exponent + 1];
  while (num < den * 10n ** BigInt(digits - 1)) [num, exponent] = [num * 10n, exponent - 1];
  const units = (2n * num + den) / (2n * den);
  return exponent >= 0 ? String(units) + "0".repeat(exponent) : decimal(units, -exponent);
}

// show prints what solve makes of the lines of each example of a kind, of all or of some.
export function show(kind, solve, some = () => true) {
  const page = readFileSync(process.argv[2], "utf8");
  for (const [, block] of page.matchAll(new RegExp(`^\`\`\`example ${kind}\\n([^]*?)^\`\`\``, "gm"))) {
    if (some(block)) console.log(solve(block.trim().split("\n")).join("\n"));
  }
}

// split divides the lines of an example into pairs of what goes in, and what is wanted.
export function split(lines) {
  const inputs = [], wanted = [];
  for (const line of lines) {
    const [, want, name, text] = line.match(/^(= )?(.*?): (.*)$/);
    if (want) wanted.push(name);
    else inputs.push([name, text]);
  }
  return { inputs, wanted };
}
