// Follows disclosures without loss: node client.mjs [TOPIC…]. Node 20 needs --experimental-websocket, later versions
// and browsers do not; in a browser, store the number in localStorage instead of a file.
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';

const { PIYASA_URL = 'ws://127.0.0.1:8080', PIYASA_KEY } = process.env;
const topics = process.argv.length > 2 ? process.argv.slice(2) : ['all'];

let last = existsSync('last_index') ? Number(readFileSync('last_index', 'utf8')) : 0; // the highest number processed
const seen = new Set(); // a disclosure may come twice, and a late one has a lower number
let pause = 250; // milliseconds until the next attempt

function handle(disclosure) {
  console.log(JSON.stringify(disclosure)); // your work goes here; it must be done when this returns
}

function take(disclosure) {
  const number = disclosure.disclosure_index;
  if (seen.has(number)) return;
  handle(disclosure);
  seen.add(number);
  last = Math.max(last, number);
  pause = 250; // progress
  writeFileSync('last_index.new', String(last));
  renameSync('last_index.new', 'last_index'); // a crash leaves the old number or the new one
}

function connect() {
  const socket = new WebSocket(`${PIYASA_URL}/v1/kap-feed/stream`);
  const say = message => socket.send(JSON.stringify(message));
  const resume = from => say({ action: 'subscribe', ids: topics, last_seen_index: from });
  let complete = false; // whether all replays are complete
  let pings = 0; // pings without an answer
  const timer = setInterval(() => {
    if (++pings > 2) over({ message: 'silence' });
    else if (socket.readyState === WebSocket.OPEN) say({ action: 'ping' });
  }, 30_000);

  const on = {
    auth_ok: () => resume(last),
    subscribed: ({ invalid }) => invalid.length && console.error('no topics:', invalid),
    disclosure({ replay, data }) {
      // While a replay has a hole, skip live disclosures: the next replay repeats them in order.
      if (complete || replay || data.disclosure_index < last) take(data);
    },
    replay_done({ truncated, last_index }) {
      if (truncated) return resume(last_index);
      complete = true;
      pause = 250;
    },
    error: (frame) => (frame.code === 'store_went_back' ? console.error('the store lost:', frame.lost) : over(frame)),
  };
  socket.onopen = () => say({ action: 'auth', api_key: PIYASA_KEY });
  socket.onmessage = ({ data }) => {
    const frame = JSON.parse(data);
    pings = 0;
    on[frame.type]?.(frame);
  };
  socket.onerror = socket.onclose = over; // Node reports some ends by only one of them

  function over({ code = '', reason, message = reason }) {
    clearInterval(timer);
    socket.onmessage = socket.onerror = socket.onclose = null;
    socket.close();
    console.error('disconnected:', code, message);
    if ([4400, 4401, 4403].includes(code)) return void (process.exitCode = 1); // retrying does not help
    setTimeout(connect, pause * (0.5 + Math.random()));
    pause = Math.min(2 * pause, 10_000);
  }
}

connect();
