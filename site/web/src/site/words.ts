// The language of the pages: that of the browser, or the one that the visitor has chosen.
import { signal } from '@preact/signals';
import { inBrowser } from './stored';

export type Language = 'en' | 'tr';

const STORED = 'piyasa:language';
const own = inBrowser.get(STORED);

export const language: Language = own === 'en' || own === 'tr' ? own : navigator.language.startsWith('tr') ? 'tr' : 'en';

/** How the language writes numbers and dates. */
export const locale = navigator.language.startsWith(language) ? navigator.language : language === 'tr' ? 'tr-TR' : 'en-GB';

let words: Record<string, string> = {};

/** Loads the words of the language; until then, and for missing words, texts are English. */
export const spoken: Promise<void> =
  language === 'tr'
    ? import('./tr').then(({ default: turkish }) => {
        words = turkish;
      })
    : Promise.resolve();

document.documentElement.lang = language;

/** An English text in the language of the page. {name} stands for a value. */
export const t = (text: string, values: Record<string, string | number> = {}): string =>
  (words[text] ?? text).replace(/\{(\w+)\}/g, (found, name: string) => String(values[name] ?? found));

/** A text of the API in the language of the page, if the dictionary has it; in the dictionary {1}, {2} … stand for its values. */
export function translated(message: string): string {
  for (const [key, text] of Object.entries(words)) {
    if (!key.includes('{1}')) continue;
    const pattern = key.replace(/[.*+?^$()|[\]\\]/g, '\\$&').replace(/\{\d\}/g, '(.+?)');
    const [found, ...values] = new RegExp(`^${pattern}$`).exec(message) ?? [];
    if (found) return text.replace(/\{(\d)\}/g, (_, n: string) => t(values[Number(n) - 1]!));
  }
  return t(message);
}

/** A day such as 2026-08-21 as the language writes it. */
export const writtenDay = (day: string): string =>
  language === 'tr' && !exact.value ? day.replace(/^(\d{4})-(\d\d)-(\d\d)$/, '$3.$2.$1') : day;

/** The text in the language of the page where the data has it, else in the other one. */
export const inLanguage = (tr: string | null | undefined, en: string | null | undefined): string | undefined =>
  (language === 'tr' ? (tr ?? en) : (en ?? tr)) ?? undefined;

const EXACT = 'piyasa:exact';

/** Whether figures are shown as the API writes them, whatever the language. */
export const exact = signal(inBrowser.get(EXACT) === 'yes');

export function showExact(shown: boolean) {
  inBrowser.set(EXACT, shown ? 'yes' : 'no');
  exact.value = shown;
}

/** A decimal with the mark of the language. */
export const written = (text: string): string => (language === 'tr' && !exact.value ? text.replace('.', ',') : text);

/**
 * Reads a typed decimal: with the mark of the language or the other one, and with separated
 * thousands. Undefined if it is not a number or is ambiguous: 1.234 is over a thousand in Turkish,
 * but little more than one elsewhere.
 */
export function typedDecimal(text: string): string | undefined {
  const typed = text.trim().replace(/\s(?=\d{3}(\D|$))/g, '');
  const marks = typed.match(/[.,]/g) ?? [];
  const mark = marks.length === 1 || new Set(marks).size === 2 ? typed.lastIndexOf(marks.at(-1)!) : typed.length;
  const [whole, fraction] = [typed.slice(0, mark), typed.slice(mark + 1)];
  if (!/^-?(\d{1,20}|\d{1,3}([.,])\d{3}(\2\d{3}){0,5})$/.test(whole) || !/^\d{0,20}$/.test(fraction) || typed.length === mark + 1)
    return undefined;
  if (marks.length === 1 && typed[mark] !== written('.') && /^-?[1-9]\d{0,2}$/.test(whole) && fraction.length === 3) return undefined;
  return whole.replace(/[.,]/g, '') + (fraction && `.${fraction}`);
}

/** What to say of a typed text that is no decimal, or could be two. */
export const noDecimal = (text: string): string =>
  t('A number is written like {example}, without a mark between thousands; “{text}” is not.', {
    example: written('1234.5'),
    text: text.trim(),
  });

/** Chooses a language for this browser, and draws the page again. */
export function speak(chosen: Language) {
  inBrowser.set(STORED, chosen);
  location.reload();
}
