// The language that the reader has chosen, for all pages.
import { inBrowser } from '../site/stored';

const CHOSEN = 'piyasa:code';

/** Makes tabs of blocks of code that do the same in several languages. */
export function tabs() {
  const choices: ((language: string) => void)[] = [];
  for (const [group, box] of document.querySelectorAll<HTMLElement>('.page .tabs').entries()) {
    const panels = [...box.querySelectorAll<HTMLElement>(':scope > .code')];
    const list = document.createElement('div');
    list.setAttribute('role', 'tablist');
    list.setAttribute('aria-label', 'Language');
    const buttons = panels.map((panel, number) => {
      const button = document.createElement('button');
      button.type = 'button';
      button.id = `tab-${group}-${number}`;
      panel.id = `panel-${group}-${number}`;
      button.setAttribute('role', 'tab');
      button.setAttribute('aria-controls', panel.id);
      button.textContent = panel.querySelector(':scope > p')!.firstChild!.textContent;
      panel.setAttribute('role', 'tabpanel');
      panel.setAttribute('aria-labelledby', button.id);
      button.addEventListener('click', () => {
        inBrowser.set(CHOSEN, panel.dataset.language!);
        for (const choose of choices) choose(panel.dataset.language!);
      });
      return button;
    });
    const choose = (language: string) => {
      const at = panels.findIndex(panel => panel.dataset.language === language);
      if (at < 0) return;
      panels.forEach((panel, number) => (panel.hidden = number !== at));
      buttons.forEach((button, number) => {
        button.setAttribute('aria-selected', String(number === at));
        button.tabIndex = number === at ? 0 : -1;
      });
    };
    list.addEventListener('keydown', event => {
      const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
      if (!step) return;
      const next = buttons[(buttons.indexOf(document.activeElement as HTMLButtonElement) + step + buttons.length) % buttons.length];
      next.focus();
      next.click();
    });
    list.append(...buttons);
    box.prepend(list);
    choices.push(choose);
    choose(panels[0].dataset.language!);
  }
  const chosen = inBrowser.get(CHOSEN);
  if (chosen) for (const choose of choices) choose(chosen);
}
