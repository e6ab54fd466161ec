// Recomputes the restated amounts of the examples in docs/methodology.md, over links of bases.
import { fraction, inverse, rounded, show, significant, split, times } from "./fractions.mjs";

function solve(lines) {
  const { inputs, wanted } = split(lines), levels = {}, links = [];
  let amount;
  for (const [name, text] of inputs) {
    const [from, to] = name.split(" to ");
    if (to) {
      const [factor, divisor = "1"] = text.split(" / ");
      links.push({ from, to, ratio: times(fraction(factor), inverse(fraction(divisor))) });
    } else if (name === "amount") amount = fraction(text);
    else {
      const [level, base] = text.split(" ");
      levels[name] = { level: fraction(level), base };
    }
  }
  const months = Object.keys(levels).sort();
  // A month that states no base has that of the nearest months around it that do, where these agree.
  const around = (month) => {
    if (levels[month].base) return levels[month].base;
    const before = months.filter((m) => m < month && levels[m].base).at(-1), after = months.find((m) => m > month && levels[m].base);
    const bases = new Set([before, after].filter(Boolean).map((m) => levels[m].base));
    return bases.size === 1 ? [...bases][0] : undefined;
  };
  // begins is the first month that counts in a base.
  const begins = (base) => months.find((m) => levels[m].base === base);

  return wanted.map((name) => {
    const [from, to] = name.split(" to "), [a, b] = [around(from), around(to)];
    const changed = (base, other, on) => `${name}: !meaning_changed base ${base ?? "?"} to ${other ?? "?"} on ${on}-01`;
    if (!a || !b) {
      const [first, last] = [from, to].sort(), known = around(first);
      return changed(known, around(last), known ? last : first);
    }
    let ratio = times(levels[to].level, inverse(levels[from].level)), over = "";
    if (a !== b) {
      const forth = from < to, [older, newer] = forth ? [a, b] : [b, a];
      const link = links.find((l) => l.from === older && l.to === newer);
      if (!link) return changed(older, newer, begins(newer));
      ratio = times(ratio, forth ? inverse(link.ratio) : link.ratio);
      over = ` over ${significant(link.ratio)} from ${begins(newer)}-01`;
    }
    return `${name}: ${rounded(times(amount, ratio), 2)}${over}`;
  });
}

show("restatement", solve);
