import { apiKey } from '../site/key';
import { askForKey } from '../site/site';

/** How many frames a form shows; older ones are removed. */
const MOST = 200;

/** Makes the forms of sockets connect, send and show frames. */
export function sockets() {
  for (const form of document.querySelectorAll<HTMLFormElement>('.try form[data-socket]')) {
    const box = form.parentElement!.querySelector<HTMLElement>('[data-answer]')!;
    const [status, log] = [box.querySelector('[role=status]')!, box.querySelector('pre')!];
    const [connect, close] = form.querySelectorAll('button');
    const message = form.querySelector<HTMLTextAreaElement>('[data-body]')!;
    const address = location.origin.replace(/^http/, 'ws') + form.dataset.path;
    form.querySelector('[data-line]')!.textContent = address;
    close.disabled = false;
    close.ariaDisabled = 'true';
    let socket: WebSocket | undefined;
    const frames: string[] = [];
    const note = (frame: string) => {
      frames.push(frame);
      if (frames.length > MOST) frames.shift();
      log.textContent = frames.join('\n');
      log.scrollTop = log.scrollHeight;
    };
    const say = (text: string, secret = '') => {
      socket!.send(text);
      note(`> ${secret ? text.replaceAll(secret, '…') : text}`);
    };
    form.addEventListener('submit', event => {
      event.preventDefault();
      const key = apiKey.value;
      if (!key) return askForKey();
      if (socket?.readyState === WebSocket.OPEN) return say(message.value);
      if (socket?.readyState === WebSocket.CONNECTING) return;
      box.hidden = false;
      status.textContent = 'Connecting…';
      const opened = (socket = new WebSocket(address));
      const ping = setInterval(() => opened.readyState === WebSocket.OPEN && opened.send('{"action": "ping"}'), 30_000);
      opened.onopen = () => {
        status.textContent = 'Connected';
        connect.textContent = 'Send';
        close.ariaDisabled = null;
        say(JSON.stringify({ action: 'auth', api_key: key }), key);
        say(message.value);
      };
      opened.onmessage = ({ data }) => note(`< ${data}`);
      opened.onclose = ({ code, reason }) => {
        clearInterval(ping);
        status.textContent = `Closed: ${code} ${reason}`.trim();
        connect.textContent = 'Connect and send';
        close.ariaDisabled = 'true';
      };
    });
    close.addEventListener('click', () => socket?.close(1000));
  }
}
