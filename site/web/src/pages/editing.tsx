import { useState } from 'preact/hooks';
import { Search } from '../site/catalog';
import { t } from '../site/words';
import { addList, changeList, freeName, type List, lists, LONGEST_NAME, MOST, MOST_LISTS, nameOf, show, titleOf } from './lists';

/** Names the list, adds instruments to it, and makes and deletes lists. */
export function Editing({ list, ids, change }: { list: List; ids: string[]; change: (to: (ids: string[]) => string[]) => void }) {
  const [failed, setFailed] = useState({ key: '', why: '' });
  const wrong = failed.key === list.key && failed.why;
  const setWrong = (why: string) => setFailed({ key: list.key, why });
  const [undo, setUndo] = useState<{ said: string; act: () => void }>();
  const first = lists.value[0]!.key === list.key;
  const add = (id: string) => {
    if (ids.includes(id)) return setWrong(t('{id} is in the list already.', { id }));
    if (ids.length >= MOST) return setWrong(t('A list has at most {count} instruments.', { count: MOST }));
    setWrong('');
    change(ids => [...ids, id]);
  };
  const create = () => {
    setUndo(undefined);
    const made = addList({ name: t('New list'), ids: [], columns: list.columns });
    setWrong(made ? '' : t('There are at most {count} lists.', { count: MOST_LISTS }));
  };
  const remove = () => {
    const at = lists.value.findIndex(other => other.key === list.key);
    lists.change(all => all.filter(other => other.key !== list.key));
    show(lists.value[Math.max(0, at - 1)]!.key);
    setUndo({ said: t('“{name}” is deleted.', { name: titleOf(list) }), act: () => void addList(list, at) });
  };
  const reset = () => {
    const { ids } = list;
    changeList(list.key, () => ({ ids: undefined }));
    setUndo({ said: t('The first list is as it was at first.'), act: () => changeList(list.key, () => ({ ids })) });
  };
  return (
    <div class="editing">
      <div class="row">
        <Name key={list.key} list={list} fail={setWrong} />
        <button type="button" onClick={create}>
          {t('New list')}
        </button>
        {!first && (
          <button type="button" class="danger" onClick={remove}>
            {t('Delete this list')}
          </button>
        )}
        {first && list.ids && (
          <button type="button" onClick={reset}>
            {t('Back to the first list')}
          </button>
        )}
      </div>
      <div role="status" class="row">
        {undo && (
          <>
            {undo.said}
            <button
              type="button"
              onClick={() => {
                undo.act();
                setUndo(undefined);
              }}
            >
              {t('Undo')}
            </button>
          </>
        )}
      </div>
      {wrong && (
        <p role="alert" class="down">
          {wrong}
        </p>
      )}
      <Search action={{ label: t('Add'), take: add }} />
      <p class="muted small">{t('Drag a row to where it belongs, or press Alt and an arrow on one of its buttons.')}</p>
    </div>
  );
}

/** The name of a list; typed text takes effect on Enter or when the visitor leaves the field. */
function Name({ list, fail }: { list: List; fail: (why: string) => void }) {
  const [typed, setTyped] = useState<string>();
  const title = titleOf(list);
  const rename = () => {
    const name = nameOf(typed ?? title);
    if (!name) return fail(t('A list needs a name.'));
    if (name !== title && freeName(name, lists.value) !== name) return fail(t('Another list is called “{name}”.', { name }));
    fail('');
    setTyped(undefined);
    if (name !== title) changeList(list.key, () => ({ name }));
  };
  return (
    <form
      onSubmit={event => {
        event.preventDefault();
        rename();
      }}
    >
      <label class="row">
        {t('Name')}
        <input
          type="text"
          value={typed ?? title}
          maxLength={LONGEST_NAME}
          autocomplete="off"
          onInput={event => setTyped(event.currentTarget.value)}
          onChange={rename}
        />
      </label>
    </form>
  );
}
