// Recomputes the rates of the examples in docs/methodology.md, with fractions of BigInt.
import { fraction, inverse, show, significant, times } from "./fractions.mjs";

const minute = 60_000, hour = 60 * minute, day = 24 * hour, turkey = 3 * hour;

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

show("rates", solve);
