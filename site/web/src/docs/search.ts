// Shows the results of a search while it is typed; Enter leads to the page with all of them.
const form = document.querySelector<HTMLFormElement>('.book .search');

if (form) {
  const field = form.querySelector('input')!;
  const hits = form.querySelector<HTMLElement>('.hits')!;
  let resting: ReturnType<typeof setTimeout>;
  let asked: AbortController | undefined;

  const find = async () => {
    asked?.abort();
    const query = field.value.trim();
    if (query.length < 2) return void (hits.hidden = true);
    asked = new AbortController();
    try {
      const answer = await fetch(`${form.action}?q=${encodeURIComponent(query)}`, { signal: asked.signal });
      const page = new DOMParser().parseFromString(await answer.text(), 'text/html');
      const found = [...page.querySelectorAll('.found a')].slice(0, 8);
      if (found.length) {
        const list = document.createElement('ul');
        for (const link of found) {
          const item = document.createElement('li');
          item.append(document.importNode(link, true));
          list.append(item);
        }
        hits.replaceChildren(list);
      } else hits.textContent = page.querySelector('.page [role=status]')?.textContent ?? 'The search does not answer.';
      hits.hidden = false;
    } catch (error) {
      if ((error as Error).name !== 'AbortError') hits.hidden = true; // Enter still leads to the page
    }
  };

  field.addEventListener('input', () => {
    clearTimeout(resting);
    resting = setTimeout(find, 150);
  });
  form.addEventListener('keydown', event => {
    const links = [...hits.querySelectorAll('a')];
    if (event.key === 'Escape' && !hits.hidden) {
      hits.hidden = true;
      field.focus();
    }
    if (hits.hidden || !['ArrowDown', 'ArrowUp'].includes(event.key) || !links.length) return;
    event.preventDefault();
    const at = links.indexOf(document.activeElement as HTMLAnchorElement) + (event.key === 'ArrowDown' ? 1 : -1);
    (links[at] ?? field).focus();
  });
  form.addEventListener('focusout', event => {
    if (!form.contains(event.relatedTarget as Node)) hits.hidden = true;
  });
  // As in many books, / goes to the search.
  document.addEventListener('keydown', event => {
    if (event.key !== '/' || event.ctrlKey || event.metaKey || /^(INPUT|TEXTAREA|SELECT)$/.test(document.activeElement?.tagName ?? ''))
      return;
    event.preventDefault();
    field.focus();
  });
}
