// Recomputes the adjusted closes of the examples in docs/methodology.md.
import { fraction, inverse, minus, plus, rounded, show, significant, split, times } from "./fractions.mjs";

const one = fraction("1");

function solve(lines) {
  const { inputs, wanted } = split(lines), closes = {}, stated = {}, steps = [];
  for (const [name, text] of inputs) {
    const [day, kind] = name.split(" ");
    if (kind) steps.push({ day, kind, text });
    else [closes[day], stated[day]] = [fraction(text), text];
  }
  const days = Object.keys(closes).sort();
  steps.sort((a, b) => (a.day < b.day ? -1 : a.day > b.day ? 1 : (b.kind === "dividend") - (a.kind === "dividend")));

  // ratios returns what closes before each step are multiplied by: of one day one after the other.
  function ratios(all) {
    let earlier = one, day;
    return all.map((step) => {
      if (step.day !== day) [earlier, day] = [one, step.day];
      const last = times(closes[days.filter((d) => d < day).at(-1)], earlier);
      const [, now, before, price] = step.text.match(/^(\S+) for (\S+?)(?: at (\S+))?$/) ?? [];
      let ratio;
      if (step.kind === "dividend" || step.kind === "spin_off") ratio = times(minus(last, fraction(step.text)), inverse(last));
      else {
        const paid = price ? times(minus(fraction(now), fraction(before)), fraction(price)) : fraction("0");
        ratio = times(plus(times(fraction(before), last), paid), inverse(times(fraction(now), last)));
      }
      earlier = times(earlier, ratio);
      return { day, ratio };
    });
  }
  const all = { none: [], splits: ratios(steps.filter((s) => s.kind !== "dividend")), all: ratios(steps) };
  return wanted.map((name) => {
    const [adjust, day] = name.split(" ");
    const later = all[adjust].filter((s) => s.day > day);
    if (!later.length) return `${name}: ${stated[day]}`;
    const close = later.reduce((product, s) => times(product, s.ratio), closes[day]);
    return `${name}: ${close.num < close.den ? significant(close, 8) : rounded(close, 8)}`;
  });
}

show("adjusted", solve);
