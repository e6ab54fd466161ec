import { render } from 'preact';
import { Search } from './catalog';
import { spoken } from './words';

/** Draws the search of the header in its place, with the text typed before the script loaded. */
export async function find(place: HTMLElement) {
  await spoken;
  const typed = place.querySelector('input')?.value ?? '';
  place.replaceChildren();
  render(<Search typed={typed} focused />, place);
}
