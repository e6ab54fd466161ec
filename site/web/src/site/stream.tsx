import type { State } from './live';

/** How a stream is, as a tag. */
export function Stream({ state, why }: { state: State; why?: string }) {
  const words = { connecting: 'connecting', live: 'live', lost: 'connection lost, trying again', refused: 'not streamed' };
  return (
    <span class={`tag ${{ live: 'up', refused: 'warn', lost: 'warn', connecting: '' }[state]}`} title={why}>
      {words[state]}
    </span>
  );
}
