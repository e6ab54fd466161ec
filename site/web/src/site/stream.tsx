import type { State } from './live';
import { apiKey, refusedKey } from './key';
import { gone } from './server';
import { t } from './words';

/** The state of a stream's connection, as a tag: its data may still be old. */
export function Stream({ state, why }: { state: State; why?: string }) {
  const words = { connecting: 'connecting', live: 'connected', lost: 'connection lost, trying again', refused: 'not streamed' };
  const keyless = !apiKey.value || refusedKey.value === apiKey.value;
  const shown = keyless ? 'refused' : gone.value && state === 'live' ? 'lost' : state; // nobody has told yet
  return (
    <span class={`tag ${{ live: 'up', refused: 'warn', lost: 'warn', connecting: '' }[shown]}`} title={why}>
      {t(words[shown])}
    </span>
  );
}
