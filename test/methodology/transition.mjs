// Recomputes the twelve months of the examples in docs/methodology.md whose fiscal years move.
import { show, split } from "./fractions.mjs";

const day = 86_400_000;

// monthsOf counts the months from one day to another, both included; days may differ by 10.
const monthsOf = (start, end) => Math.round((end + day - start) / day / 30.4375);
const near = (a, b) => Math.abs(a - b) <= 10 * day;
const yearsLater = (t, n) => {
  const d = new Date(t + day); // the day after a month's last one
  return Date.UTC(d.getUTCFullYear() + n, d.getUTCMonth(), d.getUTCDate()) - day;
};
const text = (t) => new Date(t).toISOString().slice(0, 10);

function solve(lines) {
  const { inputs, wanted } = split(lines);
  const filings = inputs.filter(([name]) => name.includes(" to ")).map(([name, figures]) => {
    const [, year, label, end] = name.match(/^(\d+) (\S+) to (\S+)$/);
    const month = label === "FY" ? 12 : parseInt(label, 10);
    return { year: Number(year), month, end: Date.parse(end), revenue: BigInt(figures.match(/revenue (\d+)/)[1]) };
  });
  const years = filings.filter((f) => f.month === 12).sort((a, b) => a.end - b.end);
  for (const f of filings) {
    const before = years.find((y) => y.year === f.year - 1);
    const d = new Date(f.end + day);
    f.start = before ? before.end + day : Date.UTC(d.getUTCFullYear(), d.getUTCMonth() - f.month, 1);
    f.months = monthsOf(f.start, f.end);
  }
  // moved are the days on which a year of the old calendar began that did not come to its end.
  const moved = years.slice(1).flatMap((y, i) => (text(y.end).slice(5) === text(years[i].end).slice(5) ? [] : [years[i].end + day]));

  return wanted.map((name) => {
    const [label, year, sources] = name.split(" ");
    const newest = filings.find((f) => f.year === Number(year) && label === (f.months % 3 ? `${f.months}M` : `Q${f.months / 3}`));
    const named = (f) => `${f.months === 12 ? "annual" : "quarterly"}#${f.year}-${String(f.month).padStart(2, "0")}`;
    if (newest.months === 12) return `${name}: ${sources ? named(newest) : `revenue ${newest.revenue}`}`;
    const full = filings.find((f) => f.months === 12 && near(f.end + day, newest.start));
    const less = full && filings.find((f) => near(f.start, full.start) && near(f.end, yearsLater(newest.end, -1)));
    if (sources) return `${name}: ${[full, newest, less].filter(Boolean).map(named).join(" ")}`;
    if (full && less) return `${name}: revenue ${full.revenue + newest.revenue - less.revenue}`;
    const changed = moved.some((on) => yearsLater(newest.end, -1) < on && on <= newest.end);
    return `${name}: !${changed ? "meaning_changed" : "missing_input_period"}`;
  });
}

show("statements", solve, (block) => block.includes("timeframe: ttm") && block.includes(" to "));
