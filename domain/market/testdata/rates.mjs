// Recomputes the rates of the examples in docs/methodology.md, with fractions of BigInt.
import { readFileSync } from "node:fs";

const minute = 60_000, hour = 60 * minute, day = 24 * hour, turkey = 3 * hour;

const fraction = (text) => {
  const [whole, digits = ""] = text.split(".");
  return { num: BigInt(whole + digits), den: 10n ** BigInt(digits.length) };
};
const inverse = ({ num, den }) => ({ num: den, den: num });
const times = (a, b) => ({ num: a.num * b.num, den: a.den * b.den });

// significant rounds a positive fraction half up to 12 significant digits.
function significant({ num, den }) {
  let exponent = 0; // of the last digit
  while (num >= den * 10n ** 12n) [den, exponent] = [den * 10n, exponent + 1];
  while (num < den * 10n ** 11n) [num, exponent] = [num * 10n, exponent - 1];
  const digits = String((2n * num + den) / (2n * den));
  if (exponent >= 0) return digits + "0".repeat(exponent);
  const text = digits.padStart(1 - exponent, "0");
  return `${text.slice(0, exponent)}.${text.slice(exponent)}`.replace(/\.?0+$/, "");
}

// path takes the first way from one currency to another: directly, inverse, through USD, through TRY.
function path(from, to, rate) {
  const leg = (a, b) => rate(a + b) ?? (rate(b + a) && inverse(rate(b + a)));
  const direct = leg(from, to);
  if (direct) return direct;
  for (const via of ["USD", "TRY"]) {
    if (via === from || via === to) continue;
    const [a, b] = [leg(from, via), leg(via, to)];
    if (a && b) return times(a, b);
  }
}

function solve(lines) {
  const inputs = {}, pairs = {}, wanted = [];
  for (const line of lines) {
    const [, want, name, text] = line.match(/^(= )?(.*?): (.*)$/);
    const words = name.split(" ");
    if (want) wanted.push(name);
    else if (words.length < 3) inputs[name] = text;
    else {
      const [pair, kind, at] = words, [rate, until] = text.split(", current until ");
      const of = (pairs[pair] ??= { heard: [], closes: {} });
      if (kind === "close") of.closes[at] = fraction(rate);
      else of.heard.push({ at: Date.parse(at), until: Date.parse(until ?? at), rate: fraction(rate) });
    }
  }
  for (const of of Object.values(pairs)) of.heard.sort((a, b) => b.at - a.at);
  const now = Date.parse(inputs.now), bist = inputs.instrument.startsWith("bist:"), coin = inputs.instrument.startsWith("crypto:");
  const turkeyDay = (t) => new Date(t + turkey).toISOString().slice(0, 10);

  const current = (pair, t) => pairs[pair]?.heard.find((o) => o.at <= t && (t - o.at <= hour || t < o.until))?.rate;
  const close = (pair, date) => pairs[pair]?.closes[date] ?? pairs[pair]?.heard.find((o) => turkeyDay(o.at) === date)?.rate;
  const heldBefore = (pair, date, t) => {
    const o = pairs[pair]?.heard.find((o) => o.at <= t && turkeyDay(o.at) < date && t < o.until);
    return o && close(pair, turkeyDay(o.at));
  };

  return wanted.map((name) => {
    const [resolution, at] = name.split(" "), { from, to } = inputs;
    let rate;
    if (resolution === "1d") {
      const ends = Date.parse(at) + day - (bist ? turkey : 0), shown = coin ? ends - hour : ends - 1;
      rate = now < ends ? path(from, to, (pair) => current(pair, now))
        : path(from, to, (pair) => close(pair, at) ?? heldBefore(pair, at, shown));
    } else {
      const t = Date.parse(at), shown = resolution === "2h" ? t : t + 5 * minute - 1;
      const date = bist ? turkeyDay(t) : at.slice(0, 10);
      rate = path(from, to, (pair) => current(pair, shown));
      if (!rate && now >= Date.parse(date) + day - turkey) rate = path(from, to, (pair) => current(pair, shown) ?? close(pair, date));
    }
    return `${name}: ${rate ? significant(rate) : "null"}`;
  });
}

const page = readFileSync(process.argv[2], "utf8");
for (const [, block] of page.matchAll(/^```example rates\n([^]*?)^```/gm)) console.log(solve(block.trim().split("\n")).join("\n"));
