// Reads series as JSON from stdin, an array of {close, high, low, volume} of
// numbers, and prints what the npm package trading-signals says of the newest
// bar of each: an array of {"rsi": 51.2, "macd signal": 0.3, ...}.
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';

const web = createRequire(new URL('../../../site/web/package.json', import.meta.url));
const { ADX, ATR, BollingerBands, EMA, MACD, OBV, ROC, RSI, SMA, StochasticOscillator } =
  await import(pathToFileURL(web.resolve('trading-signals')));

const periods = [20, 50, 200];

// The last result of an indicator that is fed with all of the inputs.
function last(indicator, inputs) {
  let result;
  for (const input of inputs) result = indicator.update(input, false) ?? result;
  return result;
}

function values({ close, high, low, volume }) {
  const bars = close.map((c, i) => ({ close: c, high: high[i], low: low[i], volume: volume[i] }));
  const macd = last(new MACD(new EMA(12), new EMA(26), new EMA(9)), close);
  const bands = last(new BollingerBands(20, 2), close);
  const stochastic = last(new StochasticOscillator({ kPeriod: 14, kSlowingPeriod: 3, dPeriod: 3 }), bars);
  const adx = new ADX(14);
  const all = {
    rsi: last(new RSI(14), close),
    'macd macd': macd.macd, 'macd signal': macd.signal, 'macd histogram': macd.histogram,
    'bbands upper': bands.upper, 'bbands middle': bands.middle, 'bbands lower': bands.lower,
    roc: last(new ROC(12), close) * 100,
    obv: last(new OBV(2), bars),
    atr: last(new ATR(14), bars),
    'adx adx': last(adx, bars), 'adx plus_di': adx.pdi * 100, 'adx minus_di': adx.mdi * 100,
    'stoch k': stochastic.stochK, 'stoch d': stochastic.stochD,
  };
  for (const n of periods) {
    all[`sma ${n}`] = last(new SMA(n), close);
    all[`ema ${n}`] = last(new EMA(n), close);
  }
  return all;
}

let text = '';
for await (const chunk of process.stdin) text += chunk;
console.log(JSON.stringify(JSON.parse(text).map(values)));
